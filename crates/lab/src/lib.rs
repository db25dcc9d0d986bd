//! The only room that touches the world: servers, sessions, load, samplers, and the notebook that all of it goes into.
//! It never knows whether a run is good: it carries out a plan and writes down what happened, failures included.

pub mod backends;
pub mod campaign;
pub mod capture;
pub mod disturbances;
pub mod execution;
pub mod executor;
pub mod load;
pub mod notebook;
pub mod os;
mod profiler;
pub mod provision;
pub mod ranks;
pub mod replay;
pub mod samplers;
pub mod servers;
pub mod shapes;
pub mod traces;
pub mod trouble;

pub use campaign::{Halt, Noting, Progress, Rules, carry_out, check, follow};
pub use servers::survey::survey;
