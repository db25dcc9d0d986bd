//! Servers of documents that speak MongoDB's protocol.

pub mod kind;
pub mod load;
pub mod provision;
pub mod session;
pub mod users;
