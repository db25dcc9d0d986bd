//! sysbench scripts on the load: their commands carried out with sessions of this room, and their events as a load like
//! any other. What a script is, and what it may ask, is the room `lua`; how its numbers are shown is for whoever calls.

mod noted;
mod perform;
mod run;

pub use noted::Noting;
pub use perform::{Main, Performed, perform, report};
pub use run::{Counts, Limits, QUEUE_FULL, Ran, Told, phases, run, run_noted};

use crate::backends::own_sessions::ScriptEndpoints;
use lua::option::Options;
use lua::script::Script;
use lua::scripted::Scripted;
use model::load::Io;
use std::sync::Arc;

/// A script with everything that its states and sessions are made from.
#[derive(Clone)]
pub struct Stage {
    pub scripted: Arc<Scripted>,
    pub endpoints: ScriptEndpoints,
    pub threads: u32,
    /// Threads of ours that all users sit on.
    pub workers: u32,
    pub io: Io,
}

impl Stage {
    pub fn new(
        script: Arc<Script>,
        options: Options,
        as_globals: bool,
        endpoints: ScriptEndpoints,
        threads: u32,
    ) -> Self {
        let scripted = Arc::new(Scripted::new(script, Arc::new(options), as_globals));
        let workers = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        Self { scripted, endpoints, threads, workers, io: Io::Auto }
    }
}
