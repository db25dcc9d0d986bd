//! Servers of documents that speak MongoDB's protocol.

pub mod backend;
pub mod kinds;
pub mod load;
pub mod servers;
pub mod session;

pub use servers::MongoDb;
pub mod users;
