//! HandlerSocket, a plugin of MariaDB that reads rows by key.

pub mod session;
