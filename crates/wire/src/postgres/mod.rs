//! The PostgreSQL client protocol, version 3.0, as PostgreSQL 10 to 17 speak it.
//!
//! Three conversations, as for MySQL: `login` (start-up to the first ReadyForQuery), `ask` (what a client says),
//! `reply` (what it hears, row by row, in place). Values travel as text in both directions, because that is what those
//! who read them want. A crate that writes and reads these messages exists; it allocates for each of them and draws its
//! own nonces, which a recording could not be replayed against. Not here: TLS itself, cursors, COPY, replication,
//! Kerberos.

pub mod ask;
pub mod auth;
pub mod error;
pub mod login;
pub mod message;
pub mod reply;
pub mod row;
pub mod tag;

pub use error::{Refusal, ServerError};
pub use login::{Account, Login, LoginError, LoginStep, Session, Transport};
pub use reply::{Reply, Step, Summary, Visitor};
pub use row::Row;
