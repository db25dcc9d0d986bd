//! Profiles as tables of functions: samples × what one stands for ÷ operations, for one cell and for two side by side.
//! How sure a count is, `counting` says. Of hundreds of functions some differ by chance: what is called significant is
//! so after a correction for all of them (`stats::many`), and large enough to matter.

mod counting;

use super::decide::CLAIM;
use crate::frame::metrics::{SERVER_SYSTEM, SERVER_USER};
use crate::stats::ratio::paired;
use crate::stats::{CONFIDENCE, FEWEST, average, many, mean, student};
use counting::{Noise, Side};
use model::functions::{
    CounterPerOperation, Function, FunctionDiff, FunctionTable, Moved, MovedFunction, Sampled, Spent,
};
use model::record::profile::{COUNTERS, INLINED, Profile, Stack};
use model::record::serving;
use model::{CellId, Details, Estimate, Nanos, PhaseKind, Record, RunRecord, Share};
use std::collections::{BTreeMap, BTreeSet};

/// A difference of less than this share of the operation is nobody's concern, however sure it is.
pub const LEAST: f64 = 0.005;
/// Rows of a table that goes into a report.
const MOST_ROWS: usize = 300;
/// Every pair of so many cells is laid side by side.
const FEW_CELLS: usize = 6;
/// What is told where no function is known by which a thread serves users.
const MIXED: &str = "all waiting of the server is counted, since no thread is known to serve users: the functions by \
                     which they do have no name here; install the server's debug symbols (its -dbgsym package)";
const UNIT: &str = "µs";
/// The row of everything.
const ALL: &str = "";

/// The profiles of one cell, run by run.
pub struct Profiled {
    cell: CellId,
    spent: Spent,
    slower: Option<Estimate>,
    runs: Vec<Run>,
    /// By run: operations ÷ the µs that a sample stands for.
    exposures: Vec<f64>,
    /// By function: samples per run in it, and in it with what it called. The function without a name is all of them.
    own: BTreeMap<String, Vec<u64>>,
    total: BTreeMap<String, Vec<u64>>,
    /// Folded over runs and phases that measure.
    stacks: BTreeMap<Vec<String>, u64>,
    not_unwound: u64,
    not_named: u64,
    /// Threads that serve users could not be told from others, where it is about waits.
    are_mixed: bool,
}

struct Run {
    /// µs that a sample stands for.
    period: f64,
    /// CPU time of the server over the whole run, µs.
    server: f64,
    /// By hardware counter, per operation.
    counted: BTreeMap<String, f64>,
    profile: Profile,
}

/// The cells that were profiled so, in the order of the plan.
pub fn profiled_cells(record: &Record, spent: Spent) -> Vec<CellId> {
    let has = |id: &CellId| record.runs.iter().any(|run| run.cell == *id && is_profiled(run, spent) && run.is_done());
    record.plan.cells.iter().map(|cell| cell.id.clone()).filter(has).collect()
}

/// Tables of all cells that were profiled, and of their pairs, each as long as a reader looks at it; of many cells
/// only the pairs with the first. What cannot be read is left out here, and told by whoever is asked for it.
pub fn all(record: &Record, details: &dyn Details) -> (Vec<FunctionTable>, Vec<FunctionDiff>) {
    let of = |spent| all_of(record, details, spent);
    let (mut tables, mut diffs) = of(Spent::OnCpu);
    let (more_tables, more_diffs) = of(Spent::Waiting);
    tables.extend(more_tables);
    diffs.extend(more_diffs);
    (tables, diffs)
}

fn all_of(record: &Record, details: &dyn Details, spent: Spent) -> (Vec<FunctionTable>, Vec<FunctionDiff>) {
    let cells = profiled_cells(record, spent);
    let cells: Vec<Profiled> =
        cells.iter().filter_map(|cell| Profiled::of(record, details, cell, spent).ok()).collect();
    let tables = cells.iter().map(|cell| {
        let mut table = cell.table();
        table.functions.truncate(MOST_ROWS);
        table
    });
    let others = |place: usize| if place == 0 || cells.len() <= FEW_CELLS { &cells[place + 1..] } else { &[] };
    let pairs = cells.iter().enumerate().flat_map(|(place, base)| others(place).iter().map(move |other| (base, other)));
    let diffs = pairs.map(|(base, candidate)| {
        let mut diff = diff(base, candidate);
        diff.functions.sort_by_key(|f| !(f.own.is_significant || f.total.is_significant));
        diff.functions.truncate(MOST_ROWS);
        diff
    });
    (tables.collect(), diffs.collect())
}

fn is_profiled(run: &RunRecord, spent: Spent) -> bool {
    run.profile.as_ref().is_some_and(|profile| profile.is_sampled() && profile.spent == spent)
}

fn operations(run: &RunRecord) -> u64 {
    let measured = run.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
    measured.map(|phase| phase.tally().operations.values().map(|o| o.done).sum::<u64>()).sum()
}

/// By how much an operation takes longer in runs that are sampled than in their neighbours that are not.
fn slower(record: &Record, cell: &CellId) -> Option<Estimate> {
    let runs = || record.runs.iter().filter(|run| run.cell == *cell && run.is_done());
    let time = |run: &RunRecord| {
        let measured = run.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
        let time: f64 = measured.map(|phase| phase.length().seconds()).sum();
        (operations(run) > 0).then(|| time / operations(run) as f64)
    };
    let of = |run: &&RunRecord| run.profile.as_ref().is_some_and(|profile| !profile.is_sampled());
    let pair = |bare: &RunRecord| {
        let sampled = runs().find(|run| is_profiled(run, Spent::OnCpu) && run.block == bare.block)?;
        Some((time(bare)?, time(sampled)?))
    };
    let pairs: Vec<(f64, f64)> = runs().filter(of).filter_map(pair).collect();
    let ratio = paired(&pairs)?;
    let (value, low, high) = (ratio.value(), Some(ratio.interval().low), Some(ratio.interval().high));
    Some(Estimate { value, low, high, n: pairs.len() as u32, unit: String::new() })
}

impl Profiled {
    /// Why there is nothing to tell, where that is so.
    pub fn of(record: &Record, details: &dyn Details, cell: &CellId, spent: Spent) -> Result<Self, String> {
        if record.plan.cells.iter().all(|known| known.id != *cell) {
            let known: Vec<String> = record.plan.cells.iter().map(|c| c.id.to_string()).collect();
            return Err(format!("the record has no cell {cell}; it has {}", known.join(", ")));
        }
        let mut all = Self {
            cell: cell.clone(),
            spent,
            slower: if spent.is_on_cpu() { slower(record, cell) } else { None },
            runs: Vec::new(),
            exposures: Vec::new(),
            own: BTreeMap::new(),
            total: BTreeMap::new(),
            stacks: BTreeMap::new(),
            not_unwound: 0,
            not_named: 0,
            are_mixed: false,
        };
        for run in record.runs.iter().filter(|run| run.cell == *cell && run.is_done() && is_profiled(run, spent)) {
            let Some(profile) = &run.profile else { continue };
            let stacks = details.stacks(&run.id)?;
            all.add(run, profile, &stacks);
        }
        if all.runs.is_empty() {
            let key = if spent.is_on_cpu() { "profiles" } else { "profile_waits" };
            return Err(format!(
                "{cell} has no profile run that is done and has operations; ask for some with `[repeat] {key} = 3`"
            ));
        }
        Ok(all)
    }

    fn add(&mut self, run: &RunRecord, profile: &Profile, stacks: &[Stack]) {
        let measured = || run.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure);
        let operations = operations(run);
        if operations == 0 {
            return;
        }
        let place = self.runs.len();
        let count = |table: &mut BTreeMap<String, Vec<u64>>, name: &str, samples: u64| {
            let counts = table.entry(name.to_string()).or_default();
            counts.resize(place + 1, 0);
            counts[place] += samples;
        };
        let names: BTreeSet<&str> = measured().map(|phase| phase.name.as_str()).collect();
        let stacks: Vec<&Stack> = stacks.iter().filter(|stack| names.contains(stack.phase.as_str())).collect();
        let stacks = match self.spent {
            Spent::OnCpu => stacks,
            Spent::Waiting => {
                let (serving, are_mixed) = serving::only(stacks);
                self.are_mixed |= are_mixed;
                serving
            }
        };
        for stack in stacks {
            let functions: Vec<&str> = stack.frames.iter().map(|f| f.strip_suffix(INLINED).unwrap_or(f)).collect();
            let distinct: BTreeSet<&str> = functions.iter().copied().collect();
            distinct.into_iter().for_each(|name| count(&mut self.total, name, stack.samples));
            functions.last().into_iter().for_each(|name| count(&mut self.own, name, stack.samples));
            count(&mut self.own, ALL, stack.samples);
            self.not_unwound += if stack.is_unwound() { 0 } else { stack.samples };
            self.not_named += if stack.is_named() { 0 } else { stack.samples };
            *self.stacks.entry(stack.frames.clone()).or_default() += stack.samples;
        }
        let period = Nanos(profile.period.0).micros();
        let grown = |name: &str| run.whole.counters.get(name).map_or(0.0, |ends| ends.end - ends.begin);
        let server = match self.spent {
            Spent::OnCpu => profile.samples as f64 * period,
            Spent::Waiting => (grown(SERVER_USER) + grown(SERVER_SYSTEM)) / 1e3,
        };
        self.exposures.push(operations as f64 / period);
        let of_phases = |by_phase: &BTreeMap<String, f64>| {
            names.iter().filter_map(|name| by_phase.get(*name)).sum::<f64>() / operations as f64
        };
        let counted = profile.counted.iter().map(|(name, by_phase)| (name.clone(), of_phases(by_phase))).collect();
        self.runs.push(Run { period, server, counted, profile: profile.clone() });
    }

    /// Folded stacks of all its runs, each with its samples.
    pub fn stacks(&self) -> impl Iterator<Item = (&[String], u64)> {
        self.stacks.iter().map(|(frames, samples)| (frames.as_slice(), *samples))
    }

    pub fn cell(&self) -> &CellId {
        &self.cell
    }

    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Its profile runs.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// The share of samples in functions without a name.
    pub fn not_named(&self) -> Share {
        self.share(self.not_named)
    }

    /// What could not be read, each with its mend.
    pub fn missing(&self) -> BTreeSet<String> {
        let mixed = self.are_mixed.then(|| MIXED.to_string());
        self.runs.iter().flat_map(|run| run.profile.missing.clone()).chain(mixed).collect()
    }

    fn share(&self, part: u64) -> Share {
        Share(part as f64 / self.stacks.values().sum::<u64>().max(1) as f64)
    }

    /// Such time of an operation, µs.
    pub fn operation(&self) -> f64 {
        self.per_operation(self.stacks.values().sum())
    }

    /// The same in these functions and what they call, µs; and each of them, the longest first.
    pub fn in_functions(&self, is_one: impl Fn(&str) -> bool) -> (f64, Vec<(String, f64)>) {
        let own = |frame: &String| is_one(frame.strip_suffix(INLINED).unwrap_or(frame));
        let within = self.stacks.iter().filter(|(frames, _)| frames.iter().any(own));
        let samples = within.map(|(_, samples)| samples).sum();
        let named = self.total.iter().filter(|(name, _)| is_one(name));
        let mut named: Vec<(String, f64)> =
            named.map(|(name, counts)| (name.clone(), self.per_operation(counts.iter().sum()))).collect();
        named.sort_by(|a, b| b.1.total_cmp(&a.1));
        (self.per_operation(samples), named)
    }

    fn per_operation(&self, samples: u64) -> f64 {
        samples as f64 / self.exposures.iter().sum::<f64>()
    }

    /// Time that one sample stands for.
    pub fn period(&self) -> Nanos {
        self.runs[0].profile.period
    }

    pub fn table(&self) -> FunctionTable {
        let (own, total) = (Noise::of(&[(&self.exposures, &self.own)]), Noise::of(&[(&self.exposures, &self.total)]));
        let empty = Vec::new();
        let function = |(name, counts): (&String, &Vec<u64>)| {
            let own_counts = self.own.get(name).unwrap_or(&empty);
            Function {
                name: name.clone(),
                own: self.estimate(own_counts, &own),
                total: self.estimate(counts, &total),
                samples: own_counts.iter().sum(),
            }
        };
        let mut functions: Vec<Function> = self.total.iter().map(function).collect();
        functions.sort_by(|a, b| b.own.value.total_cmp(&a.own.value).then(b.total.value.total_cmp(&a.total.value)));
        FunctionTable { sampled: self.sampled(&own), functions }
    }

    fn sampled(&self, noise: &Noise) -> Sampled {
        let empty = Vec::new();
        let all = self.own.get(ALL).unwrap_or(&empty);
        let samples: u64 = all.iter().sum();
        let server: f64 = self.runs.iter().map(|run| run.server).sum();
        let cost: f64 = self.runs.iter().map(|run| run.profile.cost.micros()).sum();
        Sampled {
            cell: self.cell.to_string(),
            spent: self.spent,
            runs: self.runs.len() as u32,
            samples,
            lost: self.runs.iter().map(|run| run.profile.lost).sum(),
            hz: 1e6 / self.runs[0].period,
            operation: self.estimate(all, noise),
            not_unwound: self.share(self.not_unwound),
            not_named: self.not_named(),
            cost: Share(if server > 0.0 { cost / server } else { 0.0 }),
            slower: self.slower.clone(),
            counters: self.counters(),
            missing: self.missing().into_iter().collect(),
        }
    }

    /// What the CPUs counted per operation, over the runs in which they did.
    fn counters(&self) -> Vec<CounterPerOperation> {
        let of = |name: &&str| {
            let values: Vec<f64> = self.runs.iter().filter_map(|run| run.counted.get(*name).copied()).collect();
            let (low, high) = mean::plain(&values).map(|interval| (interval.low.max(0.0), interval.high)).unzip();
            let value = Estimate { value: average(&values), low, high, n: values.len() as u32, unit: String::new() };
            (!values.is_empty()).then(|| CounterPerOperation { name: (*name).to_string(), value })
        };
        COUNTERS.iter().filter_map(of).collect()
    }

    fn estimate(&self, counts: &[u64], noise: &Noise) -> Estimate {
        let side = Side::of(&self.exposures, counts);
        let (variance, freedom) = noise.of_function(&[side]);
        let half = (self.runs.len() >= FEWEST).then(|| student::quantile(0.5 + CONFIDENCE / 2.0, freedom));
        let half = half.map(|t| t * variance.sqrt());
        Estimate {
            value: side.mean,
            low: half.map(|half| (side.mean - half).max(0.0)),
            high: half.map(|half| side.mean + half),
            n: self.runs.len() as u32,
            unit: UNIT.into(),
        }
    }
}

/// Candidate against base.
pub fn diff(base: &Profiled, candidate: &Profiled) -> FunctionDiff {
    let own = moved(base, candidate, |p| &p.own);
    let total = moved(base, candidate, |p| &p.total);
    let sampled = |side: &Profiled| side.sampled(&Noise::of(&[(&side.exposures, &side.own)]));
    let mut functions: Vec<MovedFunction> = total
        .into_iter()
        .map(|(name, total)| {
            let own = own.get(&name).cloned().unwrap_or_else(|| none(base, candidate));
            MovedFunction { name, own, total }
        })
        .collect();
    let size = |f: &MovedFunction| (f.own.difference.value.abs(), f.total.difference.value.abs());
    functions.sort_by(|a, b| size(b).partial_cmp(&size(a)).expect("differences are numbers"));
    let operation = own.get(ALL).cloned().unwrap_or_else(|| none(base, candidate));
    FunctionDiff { base: sampled(base), candidate: sampled(candidate), operation, functions }
}

/// What is told of a function that was never on a CPU itself.
fn none(base: &Profiled, candidate: &Profiled) -> Moved {
    let n = base.runs.len().min(candidate.runs.len()) as u32;
    let difference = Estimate { value: 0.0, low: None, high: None, n, unit: UNIT.into() };
    Moved { base: 0.0, candidate: 0.0, difference, ratio: None, is_significant: false }
}

fn moved(
    base: &Profiled,
    candidate: &Profiled,
    table: impl Fn(&Profiled) -> &BTreeMap<String, Vec<u64>>,
) -> BTreeMap<String, Moved> {
    let (here, there) = (table(base), table(candidate));
    let noise = Noise::of(&[(&base.exposures, here), (&candidate.exposures, there)]);
    let n = base.runs.len().min(candidate.runs.len());
    let names: Vec<&String> = here.keys().chain(there.keys()).collect::<BTreeSet<_>>().into_iter().collect();
    let counts = |table: &BTreeMap<String, Vec<u64>>, name: &str| table.get(name).cloned().unwrap_or_default();
    let tested: Vec<(Moved, f64)> = names
        .iter()
        .map(|name| {
            let sides =
                [Side::of(&base.exposures, &counts(here, name)), Side::of(&candidate.exposures, &counts(there, name))];
            let (variance, freedom) = noise.of_function(&sides);
            let error = variance.sqrt();
            let value = sides[1].mean - sides[0].mean;
            let half = (n >= FEWEST).then(|| student::quantile(0.5 + CONFIDENCE / 2.0, freedom) * error);
            let (low, high) = (half.map(|half| value - half), half.map(|half| value + half));
            let difference = Estimate { value, low, high, n: n as u32, unit: UNIT.into() };
            let ratio = (sides[0].mean > 0.0).then(|| sides[1].mean / sides[0].mean);
            let chance = 2.0 * student::cdf(-value.abs() / error, freedom);
            let (base, candidate) = (sides[0].mean, sides[1].mean);
            (Moved { base, candidate, difference, ratio, is_significant: false }, chance)
        })
        .collect();
    let whole = Side::of(&base.exposures, &counts(&base.own, ALL)).mean;
    let chances = many::benjamini_hochberg(&tested.iter().map(|(_, chance)| *chance).collect::<Vec<_>>());
    let decided = tested.into_iter().zip(chances).map(|((moved, _), chance)| {
        let is_large = moved.difference.value.abs() >= LEAST * whole;
        Moved { is_significant: n >= FEWEST && chance < CLAIM && is_large, ..moved }
    });
    names.into_iter().cloned().zip(decided).collect()
}
