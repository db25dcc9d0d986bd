//! A statement finds its table open in the table cache, or opens it: files, definitions, and the locks around both. Too
//! small a cache opens a table for almost every statement, and shows in nothing but a count that should stand still
//! once the server is warm.

use super::frame::finding::{CLOSES, Case, Cause, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::frame::account::{per_operation, per_operation_of};
use crate::frame::{CellEvidence, RunEvidence};
use model::units::round3;

const OPENED: &str = "db.tables_opened";
const CACHE: &str = "table_open_cache";
/// Per operation.
const MANY: f64 = 0.01;
const LARGER: i64 = 8;

pub const CAUSE: Cause = Cause {
    id: "table_cache",
    symptom: || format!("more than {MANY} tables are opened per operation"),
    necessary: || format!("the server counts openings (`{OPENED}`), and sessions are kept"),
    test: || {
        format!("what openings take is not timed: the cause must answer for {SUFFICIENT} of the whole by intervention")
    },
    intervention: || format!("`native.{CACHE}` times {LARGER} closes {CLOSES} of an operation's time"),
    source: include_str!("table_cache.rs"),
    indicator: Some(opened),
    within: &[],
    look,
};

fn opened(run: &RunEvidence) -> Option<f64> {
    per_operation(run, OPENED)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let opened = per_operation_of(cell, OPENED).filter(|opened| *opened > MANY)?;
    let symptom = format!("{}: tables are opened again and again.", name(cell));
    let necessary = match cell.cell.load.reconnect_every {
        Some(_) => Necessary::NotMeasured("sessions that are opened anew open tables as well".into()),
        None => Necessary::Present(format!("There are {} openings per operation.", round3(opened))),
    };
    let mut case = Case::of(cell, symptom, necessary);
    let larger = Change::variable(cell, CACHE, |size| size * LARGER);
    case.next_experiment = next::experiment(cell, CAUSE.id, larger);
    Some(case)
}
