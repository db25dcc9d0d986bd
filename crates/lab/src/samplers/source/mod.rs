//! What a source of numbers is: something that is read at both ends of each phase and in the seconds between, of what a
//! run has that can be read.

use model::record::state::State;

mod asking;
mod process;
mod reading;
mod sampler;

pub(crate) use asking::Asker;
pub use asking::{Ask, Dialect, Refused};
pub use process::{Process, Workers};
pub use reading::Reading;
pub(crate) use sampler::{Available, Owner, Sampler, Server, Turn, make};

pub trait Source {
    fn name(&self) -> &str;
    /// Adds what it reads; what it could not read it names as missing.
    fn read(&mut self, occasion: Occasion, reading: &mut Reading);
    /// What held meanwhile, of a source that tells no numbers.
    fn states(&mut self) -> Vec<State> {
        Vec::new()
    }
}

/// Why a source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The end of a phase: everything counts.
    Mark,
    /// One of the seconds in between: a source that is dear to read may pass.
    Second,
}
