//! The world.

pub mod process;
pub mod servers;
pub mod trouble;
