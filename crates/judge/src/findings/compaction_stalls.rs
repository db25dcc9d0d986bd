//! RocksDB writes into memory and merges files behind it. When merging falls behind, writers are slowed down and then
//! stopped, for which the engine keeps the time. The rate of a short run is then borrowed from merging that is still
//! owed; more threads for it help where CPUs and disk have strength left.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use super::frame::rivals::REST;
use crate::frame::account::per_operation;
use crate::frame::{CellEvidence, RunEvidence};
use model::units::Share;

/// Microseconds.
const STALLED: &str = "status.Rocksdb_stall_micros";
const JOBS: &str = "rocksdb_max_background_jobs";
const WORTH: Share = Share(0.02);
const MORE: i64 = 4;

pub const CAUSE: Cause = Cause {
    id: "compaction_stalls",
    symptom: || format!("writers of RocksDB are held back for more than {WORTH} of an operation's time"),
    necessary: || format!("the engine is RocksDB, and it counts the time (`{STALLED}`)"),
    test: || format!("that time covers {SUFFICIENT} of an operation's time"),
    intervention: || format!("`native.{JOBS}` times {MORE} closes {CLOSES} of that time"),
    source: include_str!("compaction_stalls.rs"),
    indicator: Some(stalled),
    within: &[REST],
    look,
};

fn stalled(run: &RunEvidence) -> Option<f64> {
    per_operation(run, STALLED)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let cost = Cost::of_operation(cell, "Waiting for compaction", stalled).filter(|c| c.share.value > WORTH.0)?;
    let symptom = format!("{}: writers are held back.", name(cell));
    let mut case = Case::of(cell, symptom, Necessary::Present("RocksDB says so itself.".into()));
    case.cost = Some(cost);
    // Left to itself the number of jobs is told as -1 or 2.
    let more = Change::variable(cell, JOBS, |jobs| jobs.max(2) * MORE);
    case.next_experiment = next::experiment(cell, CAUSE.id, more);
    Some(case)
}
