//! Redo may only be overwritten when the pages that it changed are on disk. When writes outrun flushing, the age of the
//! last checkpoint nears the size of the log, and from about three quarters of it on writers flush pages themselves and
//! wait. It comes in waves, so that a mean hides it. A larger log moves the wall; flushing that cannot keep up at all
//! meets it later.

use super::frame::finding::{CLOSES, Case, Cause, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::frame::account::per_operation_of;
use crate::frame::{CellEvidence, RunEvidence};
use crate::stats::average;
use model::units::{Share, round3};

const AGE: &str = "db.checkpoint_age";
/// What the age may reach: MariaDB says it, MySQL where flushing becomes asynchronous.
const MOST: [&str; 2] = ["status.Innodb_checkpoint_max_age", "innodb.log_max_modified_age_async"];
const SYNC: &str = "innodb.buffer_flush_sync_waits";
/// From here on InnoDB flushes as fast as it can, and shortly after makes writers wait.
const NEAR: Share = Share(0.75);
const LARGER: i64 = 4;

pub const CAUSE: Cause = Cause {
    id: "checkpoint_stalls",
    symptom: || format!("redo since the last checkpoint reaches {NEAR} of what the log holds"),
    necessary: || format!("the age of the checkpoint is read (`{AGE}`), and it writes"),
    test: || {
        format!("what the waits take is not timed: the cause must answer for {SUFFICIENT} of the whole by intervention")
    },
    intervention: || format!("{LARGER} times the redo log (`settings.redo`) closes {CLOSES} of an operation's time"),
    source: include_str!("checkpoint_stalls.rs"),
    indicator: Some(fullness),
    within: &[],
    look,
};

/// A level at the end of a run's phases, the highest.
fn level(run: &RunEvidence, gauge: &str) -> Option<f64> {
    run.phases.iter().filter_map(|p| p.counters.get(gauge)).map(|e| e.end.max(e.begin)).reduce(f64::max)
}

fn fullness(run: &RunEvidence) -> Option<f64> {
    let most = MOST.iter().find_map(|gauge| level(run, gauge)).filter(|most| *most > 0.0)?;
    Some(level(run, AGE)? / most)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let full = average(&cell.runs.iter().map(fullness).collect::<Option<Vec<f64>>>()?);
    if full < NEAR.0 || per_operation_of(cell, "db.redo_written").is_none_or(|bytes| bytes == 0.0) {
        return None;
    }
    let symptom = format!("{}: the redo log is {} full of what no checkpoint has covered.", name(cell), Share(full));
    let waits = per_operation_of(cell, SYNC).filter(|w| *w > 0.0);
    let waits =
        waits.map_or(String::new(), |w| format!(" Writers waited for flushing {} times per operation.", round3(w)));
    let seen = format!("InnoDB flushes without restraint from {NEAR} on.{waits}");
    let mut case = Case::of(cell, symptom, Necessary::Present(seen));
    let redo = cell.cell.server.settings.get("redo").and_then(model::value::Value::count);
    let larger = redo.and_then(|redo| Change::setting(cell, "redo", redo * LARGER));
    case.next_experiment = next::experiment(cell, CAUSE.id, larger);
    Some(case)
}
