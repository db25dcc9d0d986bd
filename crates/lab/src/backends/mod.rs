//! One folder per protocol: which servers speak it, how they are named, started, loaded and read, and what one user
//! says through a session of it. `channel` and `tls` stand between every protocol and the line; `own_sessions` are
//! those that scripts open themselves.

pub mod access;
pub mod alone;
pub mod channel;
pub mod dsn;
pub mod endpoint;
mod faults;
#[cfg(test)]
mod golden;
pub mod handlersocket;
pub mod keyed;
pub mod kinds;
pub mod memcached;
pub mod mongodb;
pub mod mysql;
pub mod opening;
pub mod own_sessions;
pub mod postgres;
mod random;
pub mod samplers;
pub mod sql;
pub mod tls;
