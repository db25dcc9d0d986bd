//! HandlerSocket, a plugin of MariaDB that reads rows by key.

pub mod backend;
pub mod session;

pub use backend::HandlerSocket;
