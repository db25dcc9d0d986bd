//! A page that is to be read needs a free place in the buffer pool. A thread of the server's own keeps some free; when
//! it falls behind, users look for one themselves, write a dirty page, and wait. The server counts these waits. More
//! places kept free (`innodb_lru_scan_depth`) cure it where the disk has strength left, and nothing does where it has
//! not.

use super::frame::finding::{CLOSES, Case, Cause, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::frame::account::{per_operation, per_operation_of};
use crate::frame::{CellEvidence, RunEvidence};
use model::units::round3;

const WAITS: &str = "status.Innodb_buffer_pool_wait_free";
const DEPTH: &str = "innodb_lru_scan_depth";
/// Per operation.
const MANY: f64 = 0.001;
const DEEPER: i64 = 4;

pub const CAUSE: Cause = Cause {
    id: "free_pages",
    symptom: || format!("users wait for a free page more than {MANY} times per operation"),
    necessary: || format!("the server counts these waits (`{WAITS}`)"),
    test: || {
        format!("what they take is not timed: the cause must answer for {SUFFICIENT} of the whole by intervention")
    },
    intervention: || format!("`native.{DEPTH}` times {DEEPER} closes {CLOSES} of an operation's time"),
    source: include_str!("free_pages.rs"),
    indicator: Some(waits),
    within: &[],
    look,
};

fn waits(run: &RunEvidence) -> Option<f64> {
    per_operation(run, WAITS)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let waits = per_operation_of(cell, WAITS).filter(|waits| *waits > MANY)?;
    let symptom = format!("{}: users wait for free pages.", name(cell));
    let seen = format!("There are {} such waits per operation.", round3(waits));
    let mut case = Case::of(cell, symptom, Necessary::Present(seen));
    let deeper = Change::variable(cell, DEPTH, |depth| depth * DEEPER);
    case.next_experiment = next::experiment(cell, CAUSE.id, deeper);
    Some(case)
}
