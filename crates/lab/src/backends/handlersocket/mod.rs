//! HandlerSocket, a plugin of MariaDB that reads rows by key.

pub mod session;
pub mod users;

pub use users::HandlerSocket;
