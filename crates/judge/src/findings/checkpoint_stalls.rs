//! Redo may only be overwritten when the pages that it changed are on disk. When writes outrun flushing, the age of the
//! last checkpoint nears the size of the log, and from about three quarters of it on writers flush pages themselves and
//! wait. It comes in waves, so that a mean hides it. A larger log moves the wall; flushing that cannot keep up at all
//! meets it later.

use super::frame::finding::{CLOSES, Case, Cause, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::frame::account::per_operation_of;
use crate::frame::{CellEvidence, RunEvidence};
use crate::stats::average;
use model::plan::served::HEAP;
use model::units::{Share, round3};

const AGE: &str = "db.checkpoint_age";
/// What the age may reach: MariaDB says it, MySQL where flushing becomes asynchronous.
const MOST: [&str; 2] = ["status.Innodb_checkpoint_max_age", "innodb.log_max_modified_age_async"];
const REQUESTED: &str = "postgres.checkpoints_requested";
const SYNC: &str = "innodb.buffer_flush_sync_waits";
/// From here on InnoDB flushes as fast as it can, and shortly after makes writers wait.
const NEAR: Share = Share(0.75);
const LARGER: i64 = 4;

pub const CAUSE: Cause = Cause {
    id: "checkpoint_stalls",
    symptom: || {
        format!(
            "redo since the last checkpoint reaches {NEAR} of what the log holds; in PostgreSQL checkpoints begin because the log is \
             full and not because it is time (`{REQUESTED}`)"
        )
    },
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
    if run.cell.server.engine == HEAP {
        return run.rate(REQUESTED);
    }
    let most = MOST.iter().find_map(|gauge| level(run, gauge)).filter(|most| *most > 0.0)?;
    Some(level(run, AGE)? / most)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    if cell.cell.server.engine == HEAP {
        return in_postgresql(cell);
    }
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
    case.next_experiment = next::experiment(cell, CAUSE.id, larger(cell));
    Some(case)
}

fn larger(cell: &CellEvidence) -> Option<Change> {
    let redo = cell.cell.server.settings.get("redo").and_then(model::value::Value::count);
    redo.and_then(|redo| Change::setting(cell, "redo", redo * LARGER))
}

/// Each page that is changed after a checkpoint goes into the log whole, and the checkpoint's own writes and syncs
/// are beside the users'.
fn in_postgresql(cell: &CellEvidence) -> Option<Case> {
    let sum = |counter: &str| cell.runs.iter().filter_map(|run| run.growth(counter)).map(|g| g.delta).sum::<f64>();
    let (requested, records) = (sum(REQUESTED), sum("postgres.wal_records"));
    if requested < 1.0 {
        return None;
    }
    let seconds: f64 = cell.runs.iter().map(RunEvidence::seconds).sum();
    let symptom =
        format!("{}: a checkpoint began every {} s because the log was full.", name(cell), round3(seconds / requested));
    let whole = if records > 0.0 { Share(sum("postgres.wal_full_pages") / records) } else { Share(0.0) };
    let seen = format!(
        "There were {requested} of them; {whole} of the log's records carried a whole page, and checkpoints wrote for {} ms and \
         synced for {} ms.",
        round3(sum("postgres.checkpoint_write_ms")),
        round3(sum("postgres.checkpoint_sync_ms"))
    );
    let mut case = Case::of(cell, symptom, Necessary::Present(seen));
    case.next_experiment = next::experiment(cell, CAUSE.id, larger(cell));
    Some(case)
}
