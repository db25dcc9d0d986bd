//! MySQL and MariaDB, and whatever speaks their protocol.

pub mod answers;
pub mod asking;
pub mod backend;
pub mod cluster;
pub mod control;
pub mod data;
mod dead_counters;
pub mod describe;
pub mod facts;
pub mod found;
pub mod instruments;
pub mod keys;
pub mod kinds;
pub mod loader;
pub mod locks;
pub(crate) mod of_node;
pub mod plugins;
pub mod rest;
pub mod samplers;
pub mod servers;
pub mod session;
mod settling;
pub mod start;
mod state;

pub use servers::MySql;
mod target;
pub mod users;
