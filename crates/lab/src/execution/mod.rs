//! One run: users in, sampling, disturbances, users out, all of it written down. It borrows an instance and owns
//! nothing between runs.

pub mod around;
pub mod audit;
pub mod drain;
pub mod driving;
pub mod groups;
mod limit_watch;
pub mod ranks;
mod record;
pub mod recorder;
pub mod run;
pub mod sampling;
mod settling;
mod sources;
mod states;
pub mod troubles;
pub(crate) mod way;
