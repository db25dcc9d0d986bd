//! PostgreSQL, so far for scripts only: the lab starts none and puts no data into it, and what it asks MySQL's family
//! beyond a session's settings (plans, handlers, tables) is not asked here.

pub mod backend;
pub mod samplers;
pub mod servers;
pub mod session;
mod state;

pub use servers::PostgreSql;
