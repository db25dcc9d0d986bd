//! PostgreSQL, so far for scripts only.

pub mod provision;
pub mod samplers;
pub mod session;
