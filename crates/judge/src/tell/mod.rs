//! The sentences that a report opens with, generated so that prose and evidence cannot diverge.

pub mod claims;
pub mod health;
mod reasons;
