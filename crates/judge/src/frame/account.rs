//! Where the time of an average operation went (latency accounting): outside the server, on its CPUs, waiting for one,
//! in files, for row locks, for locks of the server. Each term comes from a source of its own, so that what they leave
//! over, or cover twice, shows how much the account is worth. What a run of a cell does not tell is no term of it: it
//! is in the rest.
//!
//! Times are of the threads that serve users where performance_schema names them; else of the whole server, and then
//! what it does for itself (purge, flushing) is among them. Locks come from the explain run, as a share of that run's
//! own latency.

use super::evidence::{CellEvidence, RunEvidence};
use super::metrics::{SERVER_SYSTEM, SERVER_USER};
use crate::stats::{self, Interval, average};
use model::experiment::keys::USERS;
use model::judgement::{Account, Growth, Term};
use model::plan::CellId;
use model::units::{Share, round3};
use model::value::Value;
use std::collections::BTreeMap;

/// An account that leaves more than this over, or covers more than this twice, carries no quantitative claim.
pub const OPEN: Share = Share(0.10);
/// A term below this part of an operation is left out of the sentence.
const TOLD: Share = Share(0.01);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The client between statements, the way, and the server's reading and writing of packets.
    Outside,
    Cpu,
    RunQueue,
    Files,
    RowLocks,
    Locks,
}

impl Part {
    pub fn word(self) -> &'static str {
        match self {
            Self::Outside => "client and way",
            Self::Cpu => "server CPU",
            Self::RunQueue => "waiting for a CPU",
            Self::Files => "files",
            Self::RowLocks => "row locks",
            Self::Locks => "locks of the server",
        }
    }
    fn sources(self, run: &RunEvidence) -> Vec<&'static str> {
        match self {
            Self::Outside => vec![STATEMENT_TIME, STATEMENTS],
            Self::Cpu if of_users(run, CPU).is_some() => vec![CPU],
            Self::Cpu => vec![SERVER_USER, SERVER_SYSTEM],
            Self::RunQueue if of_users(run, QUEUE).is_some() => vec![QUEUE],
            Self::RunQueue => vec![SERVER_QUEUE],
            Self::Files => vec![FILE_TIME, FILE_CALLS],
            Self::RowLocks => vec![ROW_LOCK_TIME],
            Self::Locks => vec!["explain"],
        }
    }
}

const STATEMENTS: &str = "foreground.statements";
const FILE_CALLS: &str = "foreground.file_calls";
const STATEMENT_TIME: &str = "foreground.statement_time";
const CPU: &str = "foreground.cpu";
const QUEUE: &str = "foreground.runqueue.wait";
const SERVER_QUEUE: &str = "server.runqueue.wait";
pub const FILE_TIME: &str = "foreground.file_time";
/// In milliseconds.
pub const ROW_LOCK_TIME: &str = "db.row_lock_time_ms";

/// The split of one run, in microseconds per operation.
#[derive(Clone, Debug)]
pub struct Split {
    pub operation: f64,
    pub parts: BTreeMap<Part, f64>,
}

impl Split {
    pub fn rest(&self) -> f64 {
        self.operation - self.parts.values().sum::<f64>()
    }
}

/// Microseconds from an operation's actual start to its end.
pub fn operation_us(run: &RunEvidence) -> Option<f64> {
    let (sum, count) = run.operations().fold((0.0, 0), |(sum, count), (_, o)| {
        let of = o.service.as_ref().unwrap_or(&o.latency);
        (sum + of.sum().micros(), count + of.count())
    });
    (count > 0).then(|| sum / count as f64)
}

/// Microseconds from one operation of a user to its next, whatever lies between: what a user has for each. Where users
/// wait on purpose, only the operation itself.
pub fn cycle_us(run: &RunEvidence) -> Option<f64> {
    let load = &run.cell.load;
    if load.arrivals.is_some() || load.pause.is_some() {
        return operation_us(run);
    }
    (run.done() > 0).then(|| f64::from(run.users()) * run.seconds() * 1e6 / run.done() as f64)
}

/// A counter per operation done.
pub fn per_operation(run: &RunEvidence, counter: &str) -> Option<f64> {
    let done = run.done() as f64 / run.seconds();
    run.rate(counter).filter(|_| done > 0.0).map(|rate| rate / done)
}

/// The same on average over the repetitions that have it all.
pub fn per_operation_of(cell: &CellEvidence, counter: &str) -> Option<f64> {
    let each: Option<Vec<f64>> = cell.runs.iter().map(|r| per_operation(r, counter)).collect();
    each.filter(|each| !each.is_empty()).map(|each| average(&each))
}

fn micros(run: &RunEvidence, counter: &str) -> Option<f64> {
    of_users(run, counter).map(|nanos| nanos / 1e3)
}

/// What performance_schema knows of users is those of SQL: of users past it, only what the whole server counts is told.
fn of_users(run: &RunEvidence, counter: &str) -> Option<f64> {
    let knows = !counter.starts_with("foreground.") || run.cell.past_sql().next().is_none();
    per_operation(run, counter).filter(|_| knows)
}

/// The share of an operation's time that `us` tells, over repetitions.
pub fn share(cell: &CellEvidence, us: impl Fn(&RunEvidence) -> Option<f64>) -> Option<Interval> {
    let each: Option<Vec<f64>> = cell.runs.iter().map(|run| Some(us(run)? / operation_us(run)?)).collect();
    stats::mean::plain(&each?)
}

/// What the account of a cell leaves over; all of it where there is none.
pub fn open(cell: &CellEvidence) -> Share {
    splits(cell).map(|s| mean(&s)).map_or(Share(1.0), |s| Share(s.rest() / s.operation))
}

/// How much of what an operation takes longer than with the fewest users lies in these terms: over the blocks that
/// both have.
pub fn share_of_growth(high: &CellEvidence, low: &CellEvidence, parts: &[Part]) -> Option<Interval> {
    let by_block = |cell: &CellEvidence| -> Option<BTreeMap<u32, Split>> {
        cell.runs.iter().map(|run| Some((run.run.block, split(cell, run)?))).collect()
    };
    let (high, low) = (by_block(high)?, by_block(low)?);
    let within = |split: &Split| parts.iter().map(|part| split.parts.get(part).copied()).sum::<Option<f64>>();
    let each = high.iter().filter_map(|(block, high)| {
        let low = low.get(block)?;
        let longer = high.operation - low.operation;
        (longer > 0.0).then_some(())?;
        Some((within(high)? - within(low)?) / longer)
    });
    stats::mean::plain(&each.collect::<Vec<f64>>())
}

pub fn split(cell: &CellEvidence, run: &RunEvidence) -> Option<Split> {
    let operation = operation_us(run)?;
    let cpu = micros(run, CPU).or_else(|| Some(micros(run, SERVER_USER)? + micros(run, SERVER_SYSTEM)?))?;
    let queue = micros(run, QUEUE).or_else(|| micros(run, SERVER_QUEUE));
    // A thread that has slept waits for a CPU before it sees that its sleep is over, and the call that put it to sleep
    // is CPU of the kernel: what is timed as a sleep has both in it, and they are terms of their own. There is a sleep
    // for each request, of whose calls one, the sending, is within the statement; and one for each call on a file.
    let (requests, calls) =
        (per_operation(run, STATEMENTS).unwrap_or(0.0), per_operation(run, FILE_CALLS).unwrap_or(0.0));
    let system = cpu * in_kernel(run).unwrap_or(0.0);
    let slept = |us: f64, sleeps: f64, entered: f64| {
        us - (queue.unwrap_or(0.0) * sleeps + system * entered) / (requests + calls).max(1.0)
    };
    let parts = [
        (Part::Outside, micros(run, STATEMENT_TIME).map(|inside| slept(operation - inside, requests, requests / 2.0))),
        (Part::Cpu, Some(cpu)),
        (Part::RunQueue, queue),
        (Part::Files, micros(run, FILE_TIME).map(|us| slept(us, calls, calls))),
        (Part::RowLocks, per_operation(run, ROW_LOCK_TIME).map(|millis| millis * 1e3)),
        (Part::Locks, lock_share(cell).map(|share| share * operation)),
    ];
    let parts = parts.into_iter().filter_map(|(part, us)| Some((part, us?.max(0.0)))).collect();
    Some(Split { operation, parts })
}

/// Share of the server's CPU time that was the kernel's.
fn in_kernel(run: &RunEvidence) -> Option<f64> {
    let (user, system) = (run.rate(SERVER_USER)?, run.rate(SERVER_SYSTEM)?);
    (user + system > 0.0).then(|| system / (user + system))
}

/// Microseconds per operation in one kind of files (`foreground.data_time`), without what the other terms have of it.
pub fn in_files(cell: &CellEvidence, run: &RunEvidence, kind: &str) -> Option<f64> {
    let (of_kind, all) = (run.rate(kind)?, run.rate(FILE_TIME)?);
    let files = *split(cell, run)?.parts.get(&Part::Files)?;
    Some(if all > 0.0 { files * of_kind / all } else { 0.0 })
}

/// The share of the explain run's latency that passes in locks of the server's own.
fn lock_share(cell: &CellEvidence) -> Option<f64> {
    wait_share(cell, |event| {
        ["wait/synch/mutex/", "wait/synch/rwlock/", "wait/synch/prlock/", "wait/synch/sxlock/"]
            .iter()
            .any(|kind| event.starts_with(kind))
    })
}

/// The share of the explain run's latency that passes in waits of these names; `None` without such a run.
pub fn wait_share(cell: &CellEvidence, wanted: impl Fn(&str) -> bool) -> Option<f64> {
    let waited: u64 = cell.explain?.waits.iter().filter(|w| wanted(&w.event)).map(|w| w.time.0).sum();
    let operations =
        cell.explained?.phases.iter().flat_map(|p| p.groups.values()).flat_map(|g| g.tally.operations.values());
    let spent: f64 = operations.map(|o| o.service.as_ref().unwrap_or(&o.latency).sum().0 as f64).sum();
    (spent > 0.0).then(|| waited as f64 / spent)
}

/// All phases that measure do the same, and nothing is done to the server meanwhile: their mean means something.
pub fn is_even(cell: &CellEvidence) -> bool {
    cell.cell.phases.iter().all(|p| p.disturb.is_none() && !p.is_staged() && p.users.is_none())
}

/// One split per repetition; `None` where one of them cannot be split, and where users differ.
pub fn splits(cell: &CellEvidence) -> Option<Vec<Split>> {
    if !cell.own_groups().is_empty() || cell.runs.is_empty() || !is_even(cell) {
        return None;
    }
    cell.runs.iter().map(|run| split(cell, run)).collect()
}

/// The mean over repetitions of what all of them tell.
pub fn mean(splits: &[Split]) -> Split {
    let of = |get: &dyn Fn(&Split) -> f64| average(&splits.iter().map(get).collect::<Vec<_>>());
    let everywhere = splits[0].parts.keys().filter(|part| splits.iter().all(|s| s.parts.contains_key(part)));
    Split { operation: of(&|s| s.operation), parts: everywhere.map(|part| (*part, of(&|s| s.parts[part]))).collect() }
}

pub fn of(cell: &CellEvidence, lowest: Option<&CellEvidence>) -> Option<Account> {
    let split = mean(&splits(cell)?);
    let terms = split.parts.iter().map(|(part, us)| Term {
        name: part.word().into(),
        us: *us,
        from: part.sources(&cell.runs[0]).into_iter().map(String::from).collect(),
    });
    let growth = lowest.and_then(|low| growth(&split, &mean(&splits(low)?), low.cell.id.clone()));
    Some(Account {
        operation_us: split.operation,
        terms: terms.collect(),
        rest_us: split.rest(),
        sentence: sentence(&split, growth.as_ref().zip(lowest)),
        growth,
    })
}

/// Between two levels of the same curve, in the terms that both have.
fn growth(high: &Split, low: &Split, since: CellId) -> Option<Growth> {
    let shared = high.parts.iter().filter_map(|(part, us)| Some((part.word().to_string(), us - low.parts.get(part)?)));
    let mut terms: Vec<(String, f64)> = shared.collect();
    terms.sort_by(|a, b| b.1.total_cmp(&a.1));
    let operation_us = high.operation - low.operation;
    let rest_us = operation_us - terms.iter().map(|(_, us)| us).sum::<f64>();
    (operation_us > 0.0).then_some(Growth { since, operation_us, terms, rest_us })
}

fn sentence(split: &Split, growth: Option<(&Growth, &CellEvidence)>) -> String {
    let share = |us: f64| Share(us / split.operation);
    let mut parts: Vec<_> = split.parts.iter().filter(|(_, us)| share(**us).0 >= TOLD.0).collect();
    parts.sort_by(|a, b| b.1.total_cmp(a.1));
    let told: Vec<String> = parts.iter().map(|(part, us)| format!("{} {}", part.word(), share(**us))).collect();
    let open = share(split.rest());
    let rest = match open.0 {
        x if x > OPEN.0 => format!("; {open} is in no term"),
        x if x < -OPEN.0 => format!("; terms cover {} twice", Share(-x)),
        _ => String::new(),
    };
    let grown = growth.map_or(String::new(), |(grown, low)| {
        let largest = grown.terms.first().filter(|(_, us)| *us > 0.0);
        let (name, us) = largest.map_or(("in no term", grown.rest_us), |(name, us)| (name.as_str(), *us));
        let part = Share((us / grown.operation_us).min(1.0));
        format!(" Of the {} µs more than with {}, {part} is {name}.", round3(grown.operation_us), low.cell.load.users)
    });
    format!("An operation takes {} µs: {}{rest}.{grown}", round3(split.operation), told.join(", "))
}

/// For each cell on a curve over users the one with the fewest; none for that one itself.
pub fn lowest<'a>(cells: &'a [CellEvidence<'a>]) -> BTreeMap<&'a CellId, &'a CellEvidence<'a>> {
    let mut curves: BTreeMap<Vec<(&String, &Value)>, Vec<&CellEvidence>> = BTreeMap::new();
    let usable = |c: &&CellEvidence| {
        c.cell.repeats.is_none() && c.search.is_none() && !c.runs.is_empty() && c.cell.axes.contains_key(USERS)
    };
    for cell in cells.iter().filter(usable) {
        let others = cell.cell.axes.iter().filter(|(key, _)| *key != USERS).collect();
        curves.entry(others).or_default().push(cell);
    }
    let of_curve = |curve: Vec<&'a CellEvidence<'a>>| {
        let least = curve.iter().copied().min_by_key(|c| c.cell.load.users).expect("a curve has cells");
        curve.into_iter().filter(move |c| c.cell.id != least.cell.id).map(move |c| (&c.cell.id, least))
    };
    curves.into_values().flat_map(of_curve).collect()
}
