//! Two transactions that want the same row go one after the other, however many CPUs there are. The wait is counted by
//! the engine, in whole milliseconds, and nothing else of the server is busy meanwhile. A few hot rows are enough: what
//! helps is fewer of them, by drawing keys evenly or by having more rows.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::frame::account::{ROW_LOCK_TIME, per_operation, per_operation_of};
use crate::frame::{CellEvidence, RunEvidence};
use model::units::{Share, round3};

const WAITS: &str = "db.row_lock_waits";
const WORTH: Share = Share(0.10);
/// So many times the rows leave as many fewer collisions.
const SPREAD: i64 = 16;

pub const CAUSE: Cause = Cause {
    id: "row_locks",
    symptom: || format!("waiting for rows takes more than {WORTH} of an operation's time"),
    necessary: || format!("the engine counts waits for rows (`{WAITS}`)"),
    test: || format!("their time (`{ROW_LOCK_TIME}`) covers {SUFFICIENT} of an operation's time"),
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
    let time = |run: &RunEvidence| per_operation(run, ROW_LOCK_TIME).map(|millis| millis * 1e3);
    let cost = Cost::of_operation(cell, "Waiting for rows", time).filter(|c| c.share.value >= WORTH.0)?;
    let symptom = format!("{}: users wait for each other's rows.", name(cell));
    let necessary = match per_operation_of(cell, WAITS) {
        Some(waits) if waits > 0.0 => {
            let deadlocks = per_operation_of(cell, "db.deadlocks").filter(|d| *d > 0.0);
            let deadlocks = deadlocks.map_or(String::new(), |d| format!(" and {} deadlocks", round3(d)));
            Necessary::Present(format!("There are {} waits{deadlocks} per operation.", round3(waits)))
        }
        Some(_) => Necessary::Contradicted,
        None => Necessary::NotMeasured(format!("`{WAITS}` was not counted")),
    };
    let mut case = Case::of(cell, symptom, necessary);
    case.cost = Some(cost);
    case.next_experiment = next::experiment(cell, CAUSE.id, spread(cell));
    Some(case)
}

fn spread(cell: &CellEvidence) -> Option<Change> {
    Change::parameter(cell, "distribution", "uniform")
        .or_else(|| Change::parameter(cell, "rows", cell.cell.parameters.get("rows")?.count()? * SPREAD))
}
