//! What a page is handed of a lab at work: the moment as it is, and the report so far with that moment in it, so that
//! the page knows that more will come. When all is over it is the report alone, byte for byte.

mod metrics;

pub use metrics::openmetrics;

use crate::page;
use crate::{document, markdown, tables};
use model::live::{Ahead, LiveLane, Moment, RunNow, RunResult};
use model::load::Until;
use model::plan::{PlannedRun, axis_text};
use model::{Cell, Details, Ending, Histogram, Judgement, Nanos, Plan, Record, RunId, Verdict};
use std::collections::BTreeMap;

/// Runs told one by one.
const MOST_RESULTS: usize = 200;
/// A busy CPU has this many nanoseconds in a second.
const CPU: f64 = 1e9;

/// What was seen of the record's files.
pub struct Seen<'a> {
    pub plan: &'a Plan,
    /// When the lab that runs began, and what time it is.
    pub started_unix_ms: u64,
    pub now_unix_ms: u64,
    pub what: &'a str,
    /// In the order in which they ended.
    pub over: Vec<SeenRun<'a>>,
    pub under_way: Option<SeenNow<'a>>,
    pub ahead: &'a [Verdict],
    pub is_over: bool,
}

/// A run that is over.
pub struct SeenRun<'a> {
    pub run: &'a RunId,
    pub ending: &'a Ending,
    pub started_unix_ms: u64,
    pub ended_unix_ms: u64,
    pub qps: Option<f64>,
    pub p99: Option<Nanos>,
}

/// The run under way.
pub struct SeenNow<'a> {
    pub run: &'a RunId,
    pub phase: &'a str,
    pub at: Nanos,
    pub seconds: Vec<SeenSecond<'a>>,
    pub readings: &'a BTreeMap<String, Vec<(Nanos, f64)>>,
}

/// What all users did in one second.
pub struct SeenSecond<'a> {
    /// Since the start of the run's first phase.
    pub number: u64,
    pub statements: u64,
    pub latency: &'a Histogram,
}

pub fn moment(seen: &Seen) -> Moment {
    let Seen { plan, over, under_way, .. } = seen;
    let result = |run: &SeenRun| RunResult {
        run: run.run.clone(),
        name: planned(plan, run.run).map_or_else(String::new, |planned| name(plan.cell(&planned.cell))),
        ending: match run.ending {
            Ending::Done => "done".into(),
            Ending::Failed { reason } | Ending::Skipped { reason } => reason.lines().next().unwrap_or_default().into(),
        },
        is_done: *run.ending == Ending::Done,
        qps: run.qps.filter(|_| *run.ending == Ending::Done),
        p99_us: run.p99.map(Nanos::micros),
    };
    Moment {
        done: over.len() as u32,
        total: plan.runs.len() as u32,
        is_at_most: plan.is_at_most(),
        left_s: left(seen),
        what: seen.what.into(),
        run: under_way.as_ref().and_then(|now| run_now(plan, now)),
        lanes: under_way.as_ref().map_or_else(Vec::new, lanes),
        results: over.iter().rev().take(MOST_RESULTS).map(result).collect(),
        ahead: seen.ahead.iter().map(ahead).collect(),
        is_over: seen.is_over,
    }
}

fn ahead(verdict: &Verdict) -> Ahead {
    let Verdict { check, sentence, advice, .. } = verdict.clone();
    Ahead { check, sentence, advice }
}

fn planned<'a>(plan: &'a Plan, id: &RunId) -> Option<&'a PlannedRun> {
    plan.runs.iter().find(|planned| planned.id == *id)
}

fn name(cell: &Cell) -> String {
    let axes = cell.axes.iter().filter(|(key, _)| *key != "workload");
    let axes: Vec<String> = axes.map(|(key, value)| format!("{key} {}", axis_text(key, value))).collect();
    if axes.is_empty() { cell.workload.clone() } else { format!("{} ({})", cell.workload, axes.join(", ")) }
}

fn run_now(plan: &Plan, now: &SeenNow) -> Option<RunNow> {
    let planned = planned(plan, now.run)?;
    let cell = plan.cell(&planned.cell);
    Some(RunNow {
        id: now.run.clone(),
        cell: planned.cell.clone(),
        name: name(cell),
        phase: now.phase.into(),
        at_s: now.at.seconds(),
        of_s: length(cell),
    })
}

/// Seconds of all phases, those at rest at most; `None` where one ends by count.
fn length(cell: &Cell) -> Option<f64> {
    let seconds = |until: &Until| match until {
        Until::Time(time) | Until::Rest(time) => Some(time.seconds()),
        Until::Count(_) => None,
    };
    cell.phases.iter().map(|phase| seconds(&phase.until)).sum()
}

/// What the phases to come take, and for each run what those of this lab took beside them.
fn left(seen: &Seen) -> Option<f64> {
    let over = |id: &RunId| seen.over.iter().any(|run| run.run == id);
    let lengths = seen.plan.runs.iter().filter(|run| !over(&run.id)).map(|run| length(seen.plan.cell(&run.cell)));
    let ahead: Vec<f64> = lengths.collect::<Option<_>>()?;
    if ahead.is_empty() || seen.is_over {
        return None;
    }
    let made: Vec<&SeenRun> = seen.over.iter().filter(|run| run.started_unix_ms >= seen.started_unix_ms).collect();
    // What a lab does before its first run, as finding its own ceiling, it does once.
    let first = made.iter().map(|run| run.started_unix_ms).min().unwrap_or(seen.now_unix_ms);
    let last = made.iter().map(|run| run.ended_unix_ms).max().unwrap_or(seen.now_unix_ms);
    let passed = last.saturating_sub(first) as f64 / 1e3;
    let measured: f64 = made.iter().filter_map(|run| length(seen.plan.cell(&planned(seen.plan, run.run)?.cell))).sum();
    let beside = if made.is_empty() { 0.0 } else { ((passed - measured) / made.len() as f64).max(0.0) };
    let gone = seen.now_unix_ms.saturating_sub(last) as f64 / 1e3;
    Some((ahead.iter().sum::<f64>() + beside * ahead.len() as f64 - gone).max(0.0))
}

/// What is drawn of the run under way: rate, tail, and who uses the CPUs.
fn lanes(now: &SeenNow) -> Vec<LiveLane> {
    let (Some(first), Some(last)) = (now.seconds.first(), now.seconds.last()) else { return Vec::new() };
    let (first, last) = (first.number, last.number);
    let by_second = |value: fn(&SeenSecond) -> Option<f64>| -> Vec<Option<f64>> {
        (first..=last).map(|at| now.seconds.iter().find(|second| second.number == at).and_then(value)).collect()
    };
    let cpus = |names: &[&str]| -> Vec<Option<f64>> {
        (first..=last).map(|at| names.iter().map(|name| busy(now.readings.get(*name)?, at)).sum()).collect()
    };
    let lane = |name: &str, unit: &str, values| LiveLane { name: name.into(), unit: unit.into(), values };
    let (server, client) = (cpus(&["server.cpu.user", "server.cpu.system"]), cpus(&["client.cpu.process"]));
    let all = cpus(&["host.cpu.total"]);
    let idle = cpus(&["host.cpu.idle", "host.cpu.iowait", "host.cpu.steal"]);
    let others = (0..all.len()).map(|i| Some((all[i]? - idle[i]? - server[i]? - client[i]?).max(0.0))).collect();
    vec![
        lane("statements", "/s", by_second(|second| Some(second.statements as f64))),
        lane("p99 latency", "µs", by_second(|second| second.latency.percentile(99.0).map(Nanos::micros))),
        lane("server", "CPUs", server),
        lane("client", "CPUs", client),
        lane("others", "CPUs", others),
    ]
}

/// CPUs that a counter of CPU time grew by in that second: between the readings nearest to its ends.
fn busy(readings: &[(Nanos, f64)], second: u64) -> Option<f64> {
    let after = readings.iter().position(|(at, _)| at.0 > second * 1_000_000_000)?;
    let (from, to) = (readings.get(after.checked_sub(1)?)?, readings[after]);
    let seconds = Nanos(to.0.0 - from.0.0).seconds();
    (seconds > 0.0).then(|| (to.1 - from.1) / CPU / seconds)
}

/// The page of a lab at work: the report so far, and the moment, after which it asks for the next.
pub fn page(record: &Record, judgement: &Judgement, details: &dyn Details, shell: &str, moment: &Moment) -> String {
    let document = document::Document::of(record, judgement);
    let markdown = markdown::of(record, judgement);
    page::live(record, &document, tables::all(record, judgement), details, shell, &markdown, moment)
}
