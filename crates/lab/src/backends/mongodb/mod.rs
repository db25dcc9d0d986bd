//! Servers of documents that speak MongoDB's protocol.

pub mod kind;
pub mod load;
pub mod servers;
pub mod session;
pub mod users;

pub use servers::MongoDb;
