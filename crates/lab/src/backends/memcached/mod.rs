//! memcached, and every server that speaks its protocol.

pub mod found;
pub mod kind;
pub mod provision;
pub mod samplers;
pub mod session;
