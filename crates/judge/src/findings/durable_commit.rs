//! A durable commit waits until its redo is on disk, and on most disks that takes longer than the transaction. Users
//! who commit at the same time share a write, so the rate grows with the users while each of them waits as long as
//! before. What the wait costs is the time of COMMIT itself, which the client measures. Where statements commit by
//! themselves the wait is inside them and in no term of the account: then it is only consistent with it, until the wait
//! is taken away.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use super::frame::rivals::REST;
use crate::frame::account::{per_operation, per_operation_of, split};
use crate::frame::{CellEvidence, RunEvidence};
use model::plan::served::HEAP;
use model::units::{Share, round3};

const FSYNCS: &str = "db.redo_fsyncs";
const FLUSH: &str = "innodb_flush_log_at_trx_commit";
const COMMITS: &str = "synchronous_commit";
const COMMIT: &str = "commit";
/// The share of an operation's time from which on the wait is worth a sentence.
const WORTH: Share = Share(0.10);

pub const CAUSE: Cause = Cause {
    id: "durable_commit",
    symptom: || format!("commits take more than {WORTH} of an operation's time"),
    necessary: || {
        format!(
            "every commit is durable (`{FLUSH}` = 1, `{COMMITS}` = on), and where it is counted redo is synced meanwhile (`{FSYNCS}`)"
        )
    },
    test: || format!("the time of COMMIT covers {SUFFICIENT} of an operation's time"),
    intervention: || {
        format!(
            "`settings.flush_at_commit` = 2, which syncs once a second (in PostgreSQL 0, which leaves it to the log's writer), closes {CLOSES} of that time"
        )
    },
    source: include_str!("durable_commit.rs"),
    indicator: Some(fsyncs),
    within: &[REST, "files", "locks of the server"],
    look,
};

fn fsyncs(run: &RunEvidence) -> Option<f64> {
    per_operation(run, FSYNCS)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let commits: f64 = cell.runs.iter().flat_map(RunEvidence::tallies).map(|t| t.commits as f64).sum();
    let writes = per_operation_of(cell, "db.redo_written").is_some_and(|bytes| bytes > 0.0);
    if !writes
        || commits == 0.0
            && cell.runs.iter().all(|r| r.run.whole.writes.is_none_or(|w| w.rows.is_none_or(|rows| rows == 0)))
    {
        return None;
    }
    let (what, open) =
        if commits > 0.0 { ("COMMIT", None) } else { ("Waiting inside statements that commit", Some(())) };
    let mut cost =
        Cost::of_operation(cell, what, |run| if commits > 0.0 { in_commit(run) } else { waiting(cell, run) })?;
    if cost.share.value < WORTH.0 {
        return None;
    }
    if open.is_none() {
        // Timed by itself, so that it rests on no account.
        cost.open = Share(0.0);
    }
    let symptom = format!("{}: commits take {} of an operation's time.", name(cell), Share(cost.share.value));
    let is_postgres = cell.cell.server.engine == HEAP;
    let (promise, relaxed) = if is_postgres { (COMMITS, 0) } else { (FLUSH, 2) };
    let durable = cell.runs.first()?.variable(promise);
    let necessary = match (durable, per_operation_of(cell, FSYNCS)) {
        (Some("1" | "on"), Some(syncs)) if syncs > 0.0 => {
            Necessary::Present(format!("Each is durable, and redo is synced {} times per operation.", round3(syncs)))
        }
        (Some("1" | "on"), None) => Necessary::Present("Each is durable; this server does not count its syncs.".into()),
        (Some(_), _) => Necessary::Contradicted,
        (None, _) => Necessary::NotMeasured(format!("`{promise}` is not known")),
    };
    let mut case = Case::of(cell, symptom, necessary);
    case.cost = Some(cost);
    case.next_experiment = next::experiment(cell, CAUSE.id, Change::setting(cell, "flush_at_commit", relaxed));
    Some(case)
}

/// Microseconds of COMMIT per operation.
fn in_commit(run: &RunEvidence) -> Option<f64> {
    let commits = run.statements().filter(|(name, _)| *name == COMMIT);
    let spent: f64 = commits.map(|(_, s)| s.service.sum().micros()).sum();
    (run.done() > 0).then(|| spent / run.done() as f64)
}

fn waiting(cell: &CellEvidence, run: &RunEvidence) -> Option<f64> {
    Some(split(cell, run)?.rest().max(0.0))
}
