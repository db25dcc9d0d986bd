//! Profiles as tables of functions: samples × what one stands for ÷ operations, for one cell and for two side by side.
//! A count of samples has the noise of counting, and more: runs differ. How much more is learned from all functions
//! together (`Noise`, drawn towards what they have in common by `stats::prior`), so that three runs tell a difference,
//! and a function that only some runs entered is not believed for it. Of hundreds of functions some differ by chance:
//! what is called significant is so after a correction for all of them (`stats::many`), and large enough to matter.

use super::decide::CLAIM;
use crate::stats::prior::Prior;
use crate::stats::ratio::{Ratio, paired};
use crate::stats::{CONFIDENCE, FEWEST, many, student};
use model::functions::{Function, FunctionDiff, FunctionTable, Moved, MovedFunction, Sampled};
use model::record::profile::{INLINED, Profile, Stack};
use model::{CellId, Details, Estimate, Nanos, PhaseKind, Record, RunRecord, Share};
use std::collections::{BTreeMap, BTreeSet};

/// Functions with fewer samples say nothing about how runs differ.
const TELLING: u64 = 20;
/// A difference of less than this share of the operation is nobody's concern, however sure it is.
pub const LEAST: f64 = 0.005;
/// Rows of a table that goes into a report.
const MOST_ROWS: usize = 300;
/// Every pair of so many cells is laid side by side.
const FEW_CELLS: usize = 6;
const UNIT: &str = "µs";
/// The row of everything.
const ALL: &str = "";

/// The profiles of one cell, run by run.
pub struct Profiled {
    cell: CellId,
    slower: Option<Estimate>,
    runs: Vec<Run>,
    /// By function: samples per run in it, and in it with what it called. The function without a name is all of them.
    own: BTreeMap<String, Vec<u64>>,
    total: BTreeMap<String, Vec<u64>>,
    /// Folded over runs and phases that measure.
    stacks: BTreeMap<Vec<String>, u64>,
    not_unwound: u64,
    not_named: u64,
}

struct Run {
    /// Operations, and microseconds of CPU that a sample stands for.
    operations: f64,
    period: f64,
    profile: Profile,
}

/// The cells that were profiled, in the order of the plan.
pub fn profiled_cells(record: &Record) -> Vec<CellId> {
    let has = |id: &CellId| record.runs.iter().any(|run| run.cell == *id && is_profiled(run) && run.is_done());
    record.plan.cells.iter().map(|cell| cell.id.clone()).filter(has).collect()
}

/// Tables of all cells that were profiled, and of their pairs, each as long as a reader looks at it; of many cells
/// only the pairs with the first. What cannot be read is left out here, and told by whoever is asked for it.
pub fn all(record: &Record, details: &dyn Details) -> (Vec<FunctionTable>, Vec<FunctionDiff>) {
    let cells = profiled_cells(record);
    let cells: Vec<Profiled> = cells.iter().filter_map(|cell| Profiled::of(record, details, cell).ok()).collect();
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

fn is_profiled(run: &RunRecord) -> bool {
    run.profile.as_ref().is_some_and(Profile::is_sampled)
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
        let sampled = runs().find(|run| is_profiled(run) && run.block == bare.block)?;
        Some((time(bare)?, time(sampled)?))
    };
    let pairs: Vec<(f64, f64)> = runs().filter(of).filter_map(pair).collect();
    let ratio = paired(&pairs)?;
    let (value, low, high) = (ratio.value(), Some(ratio.interval().low), Some(ratio.interval().high));
    Some(Estimate { value, low, high, n: pairs.len() as u32, unit: String::new() })
}

impl Profiled {
    /// Why there is nothing to tell, where that is so.
    pub fn of(record: &Record, details: &dyn Details, cell: &CellId) -> Result<Self, String> {
        if record.plan.cells.iter().all(|known| known.id != *cell) {
            let known: Vec<String> = record.plan.cells.iter().map(|c| c.id.to_string()).collect();
            return Err(format!("the record has no cell {cell}; it has {}", known.join(", ")));
        }
        let mut all = Self {
            cell: cell.clone(),
            slower: slower(record, cell),
            runs: Vec::new(),
            own: BTreeMap::new(),
            total: BTreeMap::new(),
            stacks: BTreeMap::new(),
            not_unwound: 0,
            not_named: 0,
        };
        for run in record.runs.iter().filter(|run| run.cell == *cell && run.is_done()) {
            let Some(profile) = run.profile.as_ref().filter(|profile| profile.is_sampled()) else { continue };
            let stacks = details.stacks(&run.id)?;
            all.add(run, profile, &stacks);
        }
        if all.runs.is_empty() {
            return Err(format!(
                "{cell} has no profile run that is done and has operations; ask for some with `[repeat] profiles = 3`"
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
        for stack in stacks.iter().filter(|stack| names.contains(stack.phase.as_str())) {
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
        self.runs.push(Run { operations: operations as f64, period, profile: profile.clone() });
    }

    /// Folded stacks of all its runs, each with its samples.
    pub fn stacks(&self) -> impl Iterator<Item = (&[String], u64)> {
        self.stacks.iter().map(|(frames, samples)| (frames.as_slice(), *samples))
    }

    pub fn cell(&self) -> &CellId {
        &self.cell
    }

    /// Its profile runs.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// CPU time of an operation, µs.
    pub fn operation(&self) -> f64 {
        self.per_operation(self.stacks.values().sum())
    }

    /// CPU time of an operation in these functions and what they call, µs; and each of them, the longest first.
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
        samples as f64 / self.runs.iter().map(|run| run.operations / run.period).sum::<f64>()
    }

    /// CPU time that one sample stands for.
    pub fn period(&self) -> Nanos {
        self.runs[0].profile.period
    }

    pub fn table(&self) -> FunctionTable {
        let (own, total) = (Noise::of(&[(self, &self.own)]), Noise::of(&[(self, &self.total)]));
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
        let share = |part: u64| Share(part as f64 / samples.max(1) as f64);
        let server: f64 = self.runs.iter().map(|run| run.profile.samples as f64 * run.period).sum();
        let cost: f64 = self.runs.iter().map(|run| run.profile.cost.micros()).sum();
        let missing: BTreeSet<&String> = self.runs.iter().flat_map(|run| &run.profile.missing).collect();
        Sampled {
            cell: self.cell.to_string(),
            runs: self.runs.len() as u32,
            samples,
            lost: self.runs.iter().map(|run| run.profile.lost).sum(),
            hz: 1e6 / self.runs[0].period,
            operation: self.estimate(all, noise),
            not_unwound: share(self.not_unwound),
            not_named: share(self.not_named),
            cost: Share(if server > 0.0 { cost / server } else { 0.0 }),
            slower: self.slower.clone(),
            missing: missing.into_iter().cloned().collect(),
        }
    }

    fn estimate(&self, counts: &[u64], noise: &Noise) -> Estimate {
        let side = Side::of(self, counts);
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

/// One function in one cell.
#[derive(Clone, Copy)]
struct Side {
    /// µs per operation.
    mean: f64,
    /// The variance of the mean, by counting alone.
    variance: f64,
    /// How much runs differ, in units of what counting makes them differ; and the degrees of freedom of that.
    squares: f64,
    freedom: f64,
    samples: u64,
}

impl Side {
    fn of(profiled: &Profiled, counts: &[u64]) -> Self {
        let runs = &profiled.runs;
        let samples: u64 = counts.iter().sum();
        let exposure: f64 = runs.iter().map(|run| run.operations / run.period).sum();
        let mean = samples as f64 / exposure;
        // Half a sample more: what was not seen may be there.
        let rate = (samples as f64 + 0.5) / exposure;
        let square = |(place, run): (usize, &Run)| {
            let wanted = rate * run.operations / run.period;
            (counts.get(place).copied().unwrap_or(0) as f64 - wanted).powi(2) / wanted
        };
        let squares = runs.iter().enumerate().map(square).sum();
        Self { mean, variance: rate / exposure, squares, freedom: runs.len() as f64 - 1.0, samples }
    }

    fn per_run(&self) -> f64 {
        self.samples as f64 / (self.freedom + 1.0)
    }

    /// What `squares` are per degree of freedom where runs differ by that share, squared, beyond counting.
    fn expected(&self, beyond: f64) -> f64 {
        1.0 + beyond * self.per_run()
    }
}

/// By how much runs differ beyond counting, as all functions of a table tell it together: a function's time differs by
/// about the same share from run to run, whatever it is, which counts nothing among few samples and most among many.
struct Noise {
    /// That share, squared.
    beyond: f64,
    /// How much single functions are off that.
    prior: Option<Prior>,
}

impl Noise {
    fn of(tables: &[(&Profiled, &BTreeMap<String, Vec<u64>>)]) -> Self {
        let names: BTreeSet<&String> = tables.iter().flat_map(|(_, table)| table.keys()).collect();
        let of = |(profiled, table): &(&Profiled, &BTreeMap<String, Vec<u64>>), name: &String| {
            Side::of(profiled, table.get(name).map_or(&[], Vec::as_slice))
        };
        let sides = names.into_iter().map(|name| tables.iter().map(|table| of(table, name)).collect::<Vec<Side>>());
        let telling: Vec<Vec<Side>> = sides.filter(|sides| is_telling(sides)).collect();
        let all = || telling.iter().flatten();
        let excess: f64 = all().map(|side| side.squares - side.freedom).sum();
        let weight: f64 = all().map(|side| side.freedom * side.per_run()).sum();
        let beyond = if weight > 0.0 { (excess / weight).max(0.0) } else { 0.0 };
        let prior = Prior::of(&telling.iter().map(|sides| dispersion(sides, beyond)).collect::<Vec<_>>());
        Self { beyond, prior }
    }

    /// The variance of what the sides differ by, and its degrees of freedom. Counting is the least of each: a function
    /// whose runs agree better than that agrees by chance.
    fn of_function(&self, sides: &[Side]) -> (f64, f64) {
        let own = dispersion(sides, self.beyond);
        let knowing = self.prior.as_ref().map_or(own, |prior| own.knowing(prior));
        let variance = |side: &Side| side.variance * (side.expected(self.beyond) * knowing.variance).max(1.0);
        (sides.iter().map(variance).sum(), knowing.freedom.max(1.0))
    }
}

fn is_telling(sides: &[Side]) -> bool {
    sides.iter().map(|side| side.samples).sum::<u64>() >= TELLING && sides.iter().any(|side| side.freedom > 0.0)
}

/// How much runs differ, in units of what is expected of them; only its variance and freedom mean something.
fn dispersion(sides: &[Side], beyond: f64) -> Ratio {
    let freedom: f64 = sides.iter().map(|side| side.freedom).sum();
    let squares: f64 = sides.iter().map(|side| side.squares / side.expected(beyond)).sum();
    Ratio { log: 0.0, variance: squares / freedom.max(1.0), freedom, n: 1 }
}

/// Candidate against base.
pub fn diff(base: &Profiled, candidate: &Profiled) -> FunctionDiff {
    let own = moved(base, candidate, |p| &p.own);
    let total = moved(base, candidate, |p| &p.total);
    let sampled = |side: &Profiled| side.sampled(&Noise::of(&[(side, &side.own)]));
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
    let noise = Noise::of(&[(base, here), (candidate, there)]);
    let n = base.runs.len().min(candidate.runs.len());
    let names: Vec<&String> = here.keys().chain(there.keys()).collect::<BTreeSet<_>>().into_iter().collect();
    let counts = |table: &BTreeMap<String, Vec<u64>>, name: &str| table.get(name).cloned().unwrap_or_default();
    let tested: Vec<(Moved, f64)> = names
        .iter()
        .map(|name| {
            let sides = [Side::of(base, &counts(here, name)), Side::of(candidate, &counts(there, name))];
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
    let whole = Side::of(base, &counts(&base.own, ALL)).mean;
    let chances = many::benjamini_hochberg(&tested.iter().map(|(_, chance)| *chance).collect::<Vec<_>>());
    let decided = tested.into_iter().zip(chances).map(|((moved, _), chance)| {
        let is_large = moved.difference.value.abs() >= LEAST * whole;
        Moved { is_significant: n >= FEWEST && chance < CLAIM && is_large, ..moved }
    });
    names.into_iter().cloned().zip(decided).collect()
}
