//! A lab at work, as a page shows it while it runs: how far it is, how long it still takes, what the run under way does
//! second by second, which runs are over, and which checks are about to fail while there is time to stop. It is made
//! from the record's files alone, so that whoever can read the folder can watch. The report of what is over is not in
//! here; it is drawn as always.

use crate::plan::{CellId, RunId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Moment {
    /// Runs that are over, of those that there are to be.
    pub done: u32,
    pub total: u32,
    /// There may be fewer: levels are looked for, or noise says how many repetitions there are.
    pub is_at_most: bool,
    /// Seconds that the rest will take; absent when nothing is left, or nobody can say.
    pub left_s: Option<f64>,
    /// The last event, as a sentence.
    pub what: String,
    pub run: Option<RunNow>,
    /// A value per second of the run under way, the last one now.
    pub lanes: Vec<LiveLane>,
    /// Runs that are over, the latest first; of very many the latest.
    pub results: Vec<RunResult>,
    /// Checks that would fail if the run under way ended now.
    pub ahead: Vec<Ahead>,
    /// The lab has stopped: the report is all there is.
    pub is_over: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct RunNow {
    pub id: RunId,
    pub cell: CellId,
    /// The workload and the values on the axes.
    pub name: String,
    pub phase: String,
    /// Seconds since its first phase began, and of all its phases; absent where those end by count.
    pub at_s: f64,
    pub of_s: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct LiveLane {
    pub name: String,
    pub unit: String,
    pub values: Vec<Option<f64>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct RunResult {
    pub run: RunId,
    pub name: String,
    /// `done`, or why it was not.
    pub ending: String,
    pub is_done: bool,
    /// Statements per second over all phases that measure.
    pub qps: Option<f64>,
    /// In microseconds.
    pub p99_us: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Ahead {
    pub check: String,
    pub sentence: String,
    pub advice: String,
}
