//! Servers of documents that speak MongoDB's protocol.

pub mod backend;
pub mod kind;
pub mod load;
pub mod servers;
pub mod session;

pub use servers::MongoDb;
pub mod users;
