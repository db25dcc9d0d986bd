//! Two transactions that want the same row go one after the other, however many CPUs there are. The wait is counted by
//! the engine, in whole milliseconds, and nothing else of the server is busy meanwhile. A few hot rows are enough: what
//! helps is fewer of them, by drawing keys evenly or by having more rows.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::frame::account::{ROW_LOCK_TIME, per_operation, per_operation_of};
use crate::frame::{CellEvidence, RunEvidence};
use crate::stats::average;
use model::plan::served::HEAP;
use model::units::{Nanos, Share, round3};

const WAITS: &str = "db.row_lock_waits";
const WAITING: &str = "postgres.waiting_lock";
const WORTH: Share = Share(0.10);
/// So many times the rows leave as many fewer collisions.
const SPREAD: i64 = 16;

pub const CAUSE: Cause = Cause {
    id: "row_locks",
    symptom: || format!("waiting for rows takes more than {WORTH} of an operation's time"),
    necessary: || format!("the engine counts waits for rows (`{WAITS}`; PostgreSQL shows who waits, `{WAITING}`)"),
    test: || {
        format!(
            "their time (`{ROW_LOCK_TIME}`; of PostgreSQL those who wait, seen once a second) covers {SUFFICIENT} of an operation's time"
        )
    },
    intervention: || format!("keys drawn evenly, or {SPREAD} times the rows, close {CLOSES} of that time"),
    source: include_str!("row_locks.rs"),
    indicator: Some(waits),
    within: &["row locks"],
    look,
};

fn waits(run: &RunEvidence) -> Option<f64> {
    per_operation(run, WAITS)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let is_postgres = cell.cell.server.engine == HEAP;
    let time = |run: &RunEvidence| match is_postgres {
        true => waiting(run).map(|waiting| waiting * run.seconds() * 1e6 / run.done().max(1) as f64),
        false => per_operation(run, ROW_LOCK_TIME).map(|millis| millis * 1e3),
    };
    let cost = Cost::of_operation(cell, "Waiting for rows", time).filter(|c| c.share.value >= WORTH.0)?;
    let symptom = format!("{}: users wait for each other's rows.", name(cell));
    let seen = cell.runs.iter().map(waiting).collect::<Option<Vec<f64>>>().filter(|_| is_postgres);
    let necessary = match per_operation_of(cell, WAITS) {
        Some(waits) if waits > 0.0 => {
            let deadlocks = per_operation_of(cell, "db.deadlocks").filter(|d| *d > 0.0);
            let deadlocks = deadlocks.map_or(String::new(), |d| format!(" and {} deadlocks", round3(d)));
            Necessary::Present(format!("There are {} waits{deadlocks} per operation.", round3(waits)))
        }
        Some(_) => Necessary::Contradicted,
        None if seen.is_some() => {
            let many = round3(average(&seen.unwrap_or_default()));
            Necessary::Present(format!("Of the sessions at work {many} waited for a lock on average."))
        }
        None => Necessary::NotMeasured(format!("`{WAITS}` was not counted")),
    };
    let mut case = Case::of(cell, symptom, necessary);
    case.cost = Some(cost);
    case.next_experiment = next::experiment(cell, CAUSE.id, spread(cell));
    Some(case)
}

/// How many sessions waited for a lock on average, where a server shows it and does not count it.
fn waiting(run: &RunEvidence) -> Option<f64> {
    let inside = |at: &Nanos| run.phases.iter().any(|phase| (phase.from..=phase.to).contains(at));
    let series = run.details.series(&run.run.id, &[WAITING]);
    let readings: Vec<f64> =
        series.iter().flat_map(|s| &s.readings).filter(|(at, _)| inside(at)).map(|(_, many)| *many).collect();
    (!readings.is_empty()).then(|| average(&readings))
}

fn spread(cell: &CellEvidence) -> Option<Change> {
    Change::parameter(cell, "distribution", "uniform")
        .or_else(|| Change::parameter(cell, "rows", cell.cell.parameters.get("rows")?.count()? * SPREAD))
}
