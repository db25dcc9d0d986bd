//! InnoDB's memcached plugin reads each get in a transaction of its own, unless it is told to put several into one. On
//! 5.6 that is a transaction that could write: it takes an id and a place in the list of all of them, under the mutex
//! that every start and every commit takes. 5.7 and later begin it read-only and without locks, and it takes neither.
//! Which of the two it is, the engine's own counts of commits say; what it costs, cells beside it that differ in
//! `settings.read_batch` alone. Few CPUs show the length of that path and nothing of the contention for it.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::checks::gets_agree::COMMITS;
use crate::frame::account::{cycle_us, open, per_operation, per_operation_of};
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::frame::naming::listed;
use crate::stats::mean;
use model::plan::served::CACHE;
use model::protocol::Protocol;
use model::units::{Share, round3};

pub(super) const BATCH: &str = "settings.read_batch";
/// What the proposal puts into one transaction: the study's own, and enough that what is left of it is no cost.
pub(super) const MANY: i64 = 128;
/// Per operation; a transaction of two gets has half of it.
const EACH: f64 = 0.6;
/// Threads that wait for one mutex need CPUs to run on.
pub(super) const FEW_CPUS: usize = 4;

pub const CAUSE: Cause = Cause {
    id: "transaction_per_get",
    symptom: || format!("users of InnoDB's memcached plugin commit more than {EACH} transactions per operation"),
    necessary: || "the engine counts commits (`settings.engine_counters`), and says of which kind they are".into(),
    test: || format!("with more gets in one transaction an operation takes {SUFFICIENT} less time"),
    intervention: || format!("`{BATCH}` = {MANY} closes {CLOSES} of an operation's time"),
    source: include_str!("transaction_per_get.rs"),
    indicator: Some(commits),
    within: &[],
    look,
};

/// Per operation, of every kind.
fn commits(run: &RunEvidence) -> Option<f64> {
    COMMITS.into_iter().map(|kind| per_operation(run, kind)).sum()
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.counted_cells().filter_map(|cell| case(scene, cell)).collect()
}

fn case(scene: &Scene, cell: &CellEvidence) -> Option<Case> {
    let each: Vec<f64> = COMMITS.into_iter().map(|kind| per_operation_of(cell, kind)).collect::<Option<_>>()?;
    let [writing, ..] = each[..] else { unreachable!("there are three kinds") };
    let all: f64 = each.iter().sum();
    if !by_plugin(cell) || all < EACH {
        return None;
    }
    let kinds = COMMITS.iter().zip(&each).filter(|(_, each)| **each > EACH / 100.0);
    let kinds: Vec<_> = kinds.map(|(kind, each)| format!("{} `{kind}`", round3(*each))).collect();
    let what = match writing > all / 2.0 {
        true => "that could write, so that it takes an id and a place in the list of all of them",
        false => "that only reads, without an id and without a place in the list of all of them",
    };
    let symptom = format!("{}: every get is a transaction of its own, one {what}.", name(cell));
    let mut case = Case::of(cell, symptom, Necessary::Present(format!("An operation has {}.", listed(&kinds))));
    let beside = scene.cells().filter(|other| more_in_one(cell, other)).max_by_key(|other| batch(other));
    if let (Some(beside), false) = (beside, scene.struck.contains(&cell.cell.id)) {
        case.cost = cost(cell, beside);
    }
    if scene.evidence.record.host.cpus.len() < FEW_CPUS {
        case.unseen = Some(
            "On so few CPUs nobody waits for the mutex of transactions; more of them would show what that costs."
                .into(),
        );
    }
    case.next_experiment = next::experiment(cell, CAUSE.id, Change::setting(cell, "read_batch", MANY));
    Some(case)
}

/// Whether users come by the protocol of memcached, and not to memcached.
pub(super) fn by_plugin(cell: &CellEvidence) -> bool {
    let instance = cell.runs.first().and_then(|run| run.instance);
    cell.cell.protocols.iter().eq([&Protocol::Memcached]) && instance.is_some_and(|i| i.kind != CACHE)
}

fn batch(cell: &CellEvidence) -> Option<i64> {
    cell.cell.server.settings.get("read_batch").and_then(model::value::Value::count)
}

/// Whether the other is the same but for more gets in one transaction.
fn more_in_one(cell: &CellEvidence, other: &CellEvidence) -> bool {
    let rest = |c: &CellEvidence| {
        c.cell.axes.iter().filter(|(axis, _)| *axis != BATCH).map(|(a, v)| (a.clone(), v.clone())).collect::<Vec<_>>()
    };
    batch(other) > batch(cell) && rest(other) == rest(cell)
}

/// What an operation takes less where more gets share a transaction, block by block.
fn cost(cell: &CellEvidence, beside: &CellEvidence) -> Option<Cost> {
    let of_block = |run: &RunEvidence| {
        let other = beside.runs.iter().find(|other| other.run.block == run.run.block)?;
        Some(1.0 - cycle_us(other)? / cycle_us(run)?)
    };
    let share = mean::plain(&cell.runs.iter().filter_map(of_block).collect::<Vec<_>>())?;
    let (less, low, high) = (Share(share.value.abs()), Share(share.low), Share(share.high));
    let word = if share.value < 0.0 { "more" } else { "less" };
    let sentence = format!(
        "With {} gets in one ({}) an operation takes {less} {word} time ({low} to {high} less).",
        batch(beside)?,
        beside.cell.id
    );
    Some(Cost { share, open: open(cell), sentence })
}
