//! With a binary log a commit is written twice, to the log and to the redo, in an order that both must agree on.
//! Commits in a group share the syncs, and yet each waits for its turn. The time in the log's file is that of the users
//! who lead their groups; the others wait for them, which is in no term of the account.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use super::frame::rivals::REST;
use crate::frame::account::{per_operation, per_operation_of};
use crate::frame::{CellEvidence, RunEvidence};
use model::units::{Share, round3};

const WRITTEN: &str = "status.Binlog_bytes_written";
const TIME: &str = "foreground.binlog_time";
const WORTH: Share = Share(0.05);

pub const CAUSE: Cause = Cause {
    id: "binlog_commit",
    symptom: || format!("writing the binary log takes more than {WORTH} of an operation's time"),
    necessary: || "the binary log is on (`log_bin`)".into(),
    test: || format!("calls on its file (`{TIME}`) cover {SUFFICIENT} of an operation's time"),
    intervention: || format!("`settings.binlog` = false closes {CLOSES} of that time"),
    source: include_str!("binlog_commit.rs"),
    indicator: Some(time),
    within: &["files", REST],
    look,
};

/// Microseconds per operation.
fn time(run: &RunEvidence) -> Option<f64> {
    per_operation(run, TIME).map(|ns| ns / 1e3)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let cost = Cost::of_operation(cell, "Writing the binary log", time).filter(|c| c.share.value > WORTH.0)?;
    let symptom = format!("{}: commits go through the binary log.", name(cell));
    let first = cell.runs.first()?;
    let sync = first.variable("sync_binlog").unwrap_or("unknown");
    let written =
        per_operation_of(cell, WRITTEN).map_or(String::new(), |b| format!(", {} bytes per operation", round3(b)));
    let necessary = match first.variable("log_bin") {
        Some("ON" | "1") => Necessary::Present(format!("It is on (`sync_binlog` = {sync}){written}.")),
        Some(_) => Necessary::Contradicted,
        None => Necessary::NotMeasured("`log_bin` is not known".into()),
    };
    let mut case = Case::of(cell, symptom, necessary);
    case.cost = Some(cost);
    case.next_experiment = next::experiment(cell, CAUSE.id, Change::setting(cell, "binlog", false));
    Some(case)
}
