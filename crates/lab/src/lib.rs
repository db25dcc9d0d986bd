//! The only room that touches the world: servers, sessions, load, samplers, and the notebook that all of it goes into.
//! It never knows whether a run is good: it carries out a plan and writes down what happened, failures included.

mod ask;
pub mod canary;
pub mod carry_out;
pub mod clock;
pub mod disturbances;
pub mod load;
pub mod loader;
mod neighbours;
pub mod notebook;
pub mod present;
pub mod process;
mod procfs;
mod pulse;
pub mod samplers;
pub mod sampling;
pub mod scripts;
pub mod servers;
pub mod sessions;
pub mod snapshots;
pub mod survey;
pub mod trouble;
pub mod waits;

pub use carry_out::{Halt, Noting, Progress, carry_out, check};
pub use survey::survey;
