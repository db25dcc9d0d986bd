//! PostgreSQL: private servers and those that are there, their data and their users. Its parts are those of every
//! backend; where MySQL's family counts what PostgreSQL does not (handlers, an engine's own counters), nothing is read.

mod answers;
pub mod backend;
mod data;
mod instruments;
pub mod kinds;
pub mod loader;
pub mod samplers;
pub mod servers;
pub mod session;
mod settling;
mod start;
mod state;
mod target;
pub mod users;

pub use servers::PostgreSql;
