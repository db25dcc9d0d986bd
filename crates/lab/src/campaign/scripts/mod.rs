//! sysbench scripts on the load: their commands carried out with sessions of this room, and their events as a load like
//! any other. What a script is, and what it may ask, is the room `lua`; how its numbers are shown is for whoever calls.

mod perform;
mod run;

pub(crate) use perform::watched;
pub use perform::{Main, Performed, perform, report};
pub use run::{Counts, Limits, QUEUE_FULL, Ran, Told, phases, run, run_noted};

use crate::backends::own_sessions::ScriptEndpoints;
use crate::os::clock;
use lua::option::Options;
use lua::script::Script;
use lua::scripted::Scripted;
use model::load::Io;
use model::units::Nanos;
use std::sync::Arc;

/// sysbench has no time-outs: a day is longer than any of its runs.
pub(crate) const DEADLINE: Nanos = Nanos::from_secs(24 * 60 * 60);

/// After being told to stop, a script has so long to ask for something; then it is interrupted where it is.
const PATIENCE: Nanos = Nanos::from_millis(1_000);

/// Notes when a stop was first seen, and says whether patience is over.
#[derive(Default)]
struct LastResort(Option<Nanos>);

impl LastResort {
    fn is_due(&mut self, is_stopping: bool) -> bool {
        is_stopping && clock::now().0 > self.0.get_or_insert_with(clock::now).0 + PATIENCE.0
    }
}

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
