//! Where a series changes its level: methods one by one, and the vote over them.

pub mod energy;
pub mod partition;
pub mod vote;
