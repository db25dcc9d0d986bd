//! MySQL and MariaDB, and whatever speaks their protocol.

pub mod asking;
pub mod cluster;
pub mod control;
mod dead_counters;
pub mod facts;
pub mod found;
pub mod keys;
pub mod kinds;
pub mod locks;
pub mod plugins;
pub mod samplers;
pub mod session;
mod target;
pub mod users;
