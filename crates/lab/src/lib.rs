//! The world.

pub mod notebook;
pub mod process;
pub mod servers;
pub mod trouble;
pub mod clock;
pub mod load;
pub mod loader;
pub mod sessions;
