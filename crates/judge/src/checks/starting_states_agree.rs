//! Numbers are comparable when their runs began alike: on the same rows, prepared in the same way, with the engine at
//! rest. A run that follows a writer finds another tree than the writer did, old row versions that purge still removes
//! on its time, and dirty pages that are flushed on its account; a study once measured its reference before and its
//! candidate after such a run.
//!
//! Other rows, another way of preparing them (a copy of a snapshot, a fresh load, found there), or data that an earlier
//! run of the lab had written into fail. Data that were found and compared with their generator are those of an earlier
//! load, and count as loaded. Data that take up 5 % more in one run than in another, a thousand old row versions, or a
//! checkpoint that lags by 5 % of the redo log warn; and so does a buffer pool that held most of the data before one
//! run and little of them before another, where no warm-up made the two alike.

use crate::frame::applies::tables;
use crate::frame::{Applies, CellEvidence, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, prepared, strangers};
use model::{PhaseKind, Share, StartingState, Status};
use std::collections::BTreeSet;

pub const CHECK: Check = Check {
    id: "starting_states_agree",
    claim: || "every run began on the same data, prepared alike, with the engine at rest".into(),
    source: include_str!("starting_states_agree.rs"),
    applies: Applies::Run(tables),
    needs: &[],
    limits: &[START_BYTES, START_HISTORY, START_CHECKPOINT, START_POOL],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "let every run begin from a snapshot: keep ASSAY_SNAPSHOTS above the size of the data, and measure on a server of assay's own",
    look: Look::Cell(look),
};

const START_BYTES: Limit =
    Limit::share("start_bytes", 0.05, "trees that were filled alike differ by less").convention();
pub(super) const START_HISTORY: Limit =
    Limit::number("start_history", 1000.0, "row versions; fewer are purged within a second of any run").convention();
const START_POOL: Limit = Limit::share(
    "start_pool",
    0.5,
    "of the data, by which buffer pools differ before runs: one begins by reading them, the other does not",
)
.convention();
const START_CHECKPOINT: Limit =
    Limit::share("start_checkpoint", 0.05, "of the redo log; below it no flushing is forced").convention();

/// Bytes of InnoDB's pages, where nobody says otherwise.
const PAGE: f64 = 16_384.0;

fn look(cell: &CellEvidence) -> Sight {
    let state =
        |run: &RunEvidence| run.run.start.clone().ok_or(format!("how run {} began was not recorded", run.run.id));
    let states: Vec<StartingState> = cell.runs.iter().map(state).collect::<Result<_, _>>()?;
    let first = states.first().ok_or("there is no run")?;
    let limit = "the same data, prepared alike";
    let fail = |measured: String, sentence: String| Ok(Seen::new(Status::Fail, measured, limit, sentence));
    if let Some((run, _)) = pairs(cell, &states).find(|(_, s)| s.datasets != first.datasets) {
        return fail("other rows".into(), format!("Run {} began on other rows than the first.", run.run.id));
    }
    let alike = |run: &RunEvidence| cell.runs.first().is_some_and(|first| prepared::alike(first, run));
    if let Some((run, other)) = pairs(cell, &states).find(|(run, _)| !alike(run)) {
        let (one, two) = (first.prepared, other.prepared);
        return fail(
            two.to_string(),
            format!("The data of the first run were {one}, those of run {} were {two}.", run.run.id),
        );
    }
    if let Some((run, _)) = pairs(cell, &states).find(|(_, s)| s.aged) {
        return fail("aged".into(), format!("Before run {} an earlier run had written into its data.", run.run.id));
    }
    let (least, most) = (states.iter().map(|s| s.bytes.0).min(), states.iter().map(|s| s.bytes.0).max());
    let (least, most) = (least.unwrap_or(0) as f64, most.unwrap_or(0) as f64);
    let apart = Share(if least > 0.0 { most / least - 1.0 } else { 0.0 });
    let mut unrest = Vec::new();
    if apart.0 > cell.limits.of(&START_BYTES) {
        unrest.push(format!("the data differ by {apart} in size between runs"));
    }
    for (run, state) in pairs(cell, &states) {
        if let Some(history) = state.history.filter(|h| *h as f64 > cell.limits.of(&START_HISTORY)) {
            let who = strangers::holders(run).map_or(String::new(), |who| format!(" ({who})"));
            unrest.push(format!("{history} old row versions were left before run {}{who}", run.run.id));
        }
        let lag = state.checkpoint_age.zip(run.redo_capacity()).map(|(age, redo)| Share(age.0 as f64 / redo));
        if let Some(lag) = lag.filter(|l| l.0 > cell.limits.of(&START_CHECKPOINT)) {
            unrest.push(format!("{lag} of the redo log were not yet checkpointed before run {}", run.run.id));
        }
    }
    let is_warmed = |run: &RunEvidence| {
        run.run.phases.iter().any(|phase| phase.kind == PhaseKind::WarmUp && phase.settled.is_none())
    };
    let held = pairs(cell, &states).filter(|(run, _)| !is_warmed(run));
    let held: Vec<_> = held.filter_map(|(run, state)| Some((in_pool(run, state)?, run))).collect();
    let by_share = |a: &&(f64, &RunEvidence), b: &&(f64, &RunEvidence)| a.0.total_cmp(&b.0);
    if let Some(((little, one), (much, other))) = held.iter().min_by(by_share).zip(held.iter().max_by(by_share))
        && much - little > cell.limits.of(&START_POOL)
    {
        unrest.push(format!(
            "{} of them were in the buffer pool before run {}, {} before run {}, and nothing warmed it up",
            Share(*little),
            one.run.id,
            Share(*much),
            other.run.id
        ));
    }
    let n = states.len();
    let ways: BTreeSet<String> = states.iter().map(|s| s.prepared.to_string()).collect();
    let prepared = ways.into_iter().collect::<Vec<_>>().join(" or ");
    Ok(match unrest.first() {
        None => Seen::new(
            Status::Pass,
            apart.to_string(),
            limit,
            format!("The data of {n} runs were {prepared}, and the engine was at rest."),
        ),
        Some(what) => Seen::new(
            Status::Warn,
            what.clone(),
            limit,
            format!("The data were {prepared}, but {}.", unrest.join("; ")),
        ),
    })
}

fn pairs<'c>(
    cell: &'c CellEvidence<'c>,
    states: &'c [StartingState],
) -> impl Iterator<Item = (&'c RunEvidence<'c>, &'c StartingState)> {
    cell.runs.iter().zip(states)
}

/// The share of the data that the pool's pages would hold, if they were of nothing else.
fn in_pool(run: &RunEvidence, state: &StartingState) -> Option<f64> {
    let page: f64 = run.variable("innodb_page_size").map_or(Ok(PAGE), |size| size.parse()).ok()?;
    let pages = state.pool_pages?.0 as f64;
    (state.bytes.0 > 0).then(|| (pages * page / state.bytes.0 as f64).min(1.0))
}
