//! Sessions: what a workload says, turned into a protocol's bytes over a line, and the answers back. One file per
//! protocol; `at_large` are those that users open and close themselves; `control` is the session by which the lab itself talks to a server, one question at a time, and `channel` and
//! `tls` stand between the protocols and the line.

pub mod address;
pub mod alone;
pub mod at_large;
pub mod by_key;
pub mod channel;
pub mod control;
pub mod documents;
pub mod dsn;
mod locks;
pub mod mysql;
pub mod past_sql;
pub mod postgres;
mod random;
pub mod tls;
