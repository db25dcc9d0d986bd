//! Where a series changes its level: methods one by one, and below them what they share.

pub mod partition;
