//! Experiments with a known truth, drawn by the thousand: what an interval covers and how often the judge cries wolf
//! are counted, not derived. The tests count a few, `cargo run --release -p judge --example coverage` ten thousand
//! each.
#![allow(dead_code)] // each user takes its part

pub mod records;

use crate::bench;
use judge::compare::decide;
use judge::curves::until::enough;
use judge::stats::change::vote;
use judge::stats::draws::Draws;
use judge::stats::ratio::Ratio;
use judge::stats::{Interval, bootstrap, mean, percentile, quantile, ratio};
use model::estimate::Outcome;
use model::plan::CellId;
use model::precision::Precision;
use model::record::Record;
use model::record::rates::Rates;
use model::seed::Seed;
use model::units::Share;
use model::value::Value;
use model::verdict::Status;
use std::collections::{BTreeMap, BTreeSet};

/// A rate around `centre` whose logarithm has that spread.
pub fn rate(draws: &mut Draws, centre: f64, spread: f64) -> f64 {
    centre * (spread * draws.normal()).exp()
}

/// What so many experiments come to.
pub fn each<T>(experiments: u64, experiment: impl Fn(&mut Draws) -> Option<T>) -> Vec<T> {
    let one = |number| experiment(&mut Draws::of(Seed(7).nth(number))).expect("enough repetitions");
    (0..experiments).map(one).collect()
}

/// The share of intervals that hold the truth.
pub fn holding(truth: f64, intervals: impl ExactSizeIterator<Item = Interval>) -> f64 {
    let all = intervals.len() as f64;
    intervals.filter(|interval| interval.low <= truth && truth <= interval.high).count() as f64 / all
}

/// The share of so many experiments whose interval holds the truth.
pub fn coverage(experiments: u64, truth: f64, experiment: impl Fn(&mut Draws) -> Option<Interval>) -> f64 {
    holding(truth, each(experiments, experiment).into_iter())
}

pub fn mean_plain(experiments: u64, n: usize) -> f64 {
    coverage(experiments, 1000.0, |d| mean::plain(&(0..n).map(|_| 1000.0 + 30.0 * d.normal()).collect::<Vec<_>>()))
}

pub fn mean_of_logs(experiments: u64, n: usize) -> f64 {
    coverage(experiments, 1000.0, |d| mean::of_logs(&(0..n).map(|_| rate(d, 1000.0, 0.05)).collect::<Vec<_>>()))
}

/// Blocks that all drift by 30 %, noise of 2 % within them.
fn blocks(d: &mut Draws, n: usize) -> Vec<(f64, f64)> {
    let mut pair = |_| {
        let drift = rate(d, 1.0, 0.3);
        (rate(d, 1000.0 * drift, 0.02), rate(d, 800.0 * drift, 0.02))
    };
    (0..n).map(&mut pair).collect()
}

pub fn ratio_in_blocks(experiments: u64, n: usize) -> f64 {
    coverage(experiments, 0.8, |d| Some(ratio::paired(&blocks(d, n))?.interval()))
}

pub fn ratio_of_arms(experiments: u64, n: usize, m: usize) -> f64 {
    coverage(experiments, 0.8, |d| {
        let base: Vec<_> = (0..n).map(|_| rate(d, 1000.0, 0.02)).collect();
        let candidate: Vec<_> = (0..m).map(|_| rate(d, 800.0, 0.03)).collect();
        Some(ratio::unpaired(&base, &candidate)?.interval())
    })
}

/// Noise with a tail to one side: runs lose 3 % on average, some of them a tenth (exponential).
pub fn ratio_with_a_tail(experiments: u64, n: usize, of: impl Fn(&[f64], Seed) -> Option<Interval>) -> f64 {
    coverage(experiments, (-0.03_f64).exp(), |d| {
        let ratios: Vec<f64> = (0..n).map(|_| (0.03 * d.uniform().ln()).exp()).collect();
        of(&ratios, Seed(d.below(1 << 40) as u64))
    })
}

pub fn bootstrapped(ratios: &[f64], seed: Seed) -> Option<Interval> {
    bootstrap::ratio(ratios, seed)
}

/// How latencies of runs differ.
#[derive(Clone, Copy)]
pub struct Latencies {
    /// Spread of the runs' levels, on logarithms.
    pub between: f64,
    /// Share of the runs that have stalls: one operation in fifty takes twenty times as long.
    pub stalling: f64,
}

/// Seconds of a run, and operations in each.
const RUN: (usize, usize) = (30, 50);

/// A run's latencies, ascending: seconds that spread by a tenth and resemble each other by 0.7, and within each
/// operations that are exponential around it.
fn latencies(d: &mut Draws, of: Latencies) -> Vec<f64> {
    const ALIKE: f64 = 0.7;
    let level = rate(d, 1_000.0, of.between);
    let stalls = d.uniform() < of.stalling;
    let mut last = d.normal();
    let mut all = Vec::with_capacity(RUN.0 * RUN.1);
    for _ in 0..RUN.0 {
        last = ALIKE * last + (1.0 - ALIKE * ALIKE).sqrt() * d.normal();
        let second = level * (0.1 * last).exp();
        all.extend((0..RUN.1).map(|_| {
            let slow = if stalls && d.below(50) == 0 { 20.0 } else { 1.0 };
            -d.uniform().ln() * second * slow
        }));
    }
    all.sort_by(f64::total_cmp);
    all
}

/// The share of intervals of a percentile of all runs together that hold that of runs without end.
pub fn percentiles(experiments: u64, n: usize, q: f64, of: Latencies, range: bool) -> f64 {
    let d = &mut Draws::of(Seed(19));
    let mut endless: Vec<f64> = (0..1_500).flat_map(|_| latencies(d, of)).collect();
    endless.sort_by(f64::total_cmp);
    coverage(experiments, quantile(&endless, q), |d| {
        let runs: Vec<Vec<f64>> = (0..n).map(|_| latencies(d, of)).collect();
        let each: Vec<f64> = runs.iter().map(|run| quantile(run, q)).collect();
        let mut all = runs.concat();
        all.sort_by(f64::total_cmp);
        let merged = quantile(&all, q);
        if range {
            let (low, high) = each.iter().fold((merged, merged), |(low, high), x| (low.min(*x), high.max(*x)));
            return Some(Interval { value: merged, low, high });
        }
        percentile::interval(merged, &each, Seed(d.below(1 << 40) as u64))
    })
}

/// What stopping by an interval's own width comes to: the share of printed intervals that hold the truth, and the blocks
/// that were made on average, of cells whose runs spread by so much.
pub fn until(experiments: u64, cells: usize, spread: f64) -> (f64, f64) {
    const UNTIL: Precision = Precision { within: Share(0.02), most: Precision::MOST };
    let one = |number: u64| {
        let d = &mut Draws::of(Seed(31).nth(number));
        let mut rates = Rates::new();
        let mut blocks = 0;
        while enough(&UNTIL, &rates, blocks).is_none() {
            blocks += 1;
            for cell in 0..cells {
                let of_cell = rates.entry((CellId(format!("c{cell}")), "measure".into())).or_default();
                of_cell.push(rate(d, 1_000.0, spread));
            }
        }
        let held = rates.values().filter_map(|values| mean::of_logs(values));
        let held = held.filter(|i| i.low <= 1_000.0 && 1_000.0 <= i.high).count();
        (held as f64 / cells as f64, f64::from(blocks))
    };
    let all: Vec<(f64, f64)> = (0..experiments).map(one).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
    (mean(|(held, _)| *held), mean(|(_, blocks)| *blocks))
}

/// The intervals of a table of comparisons that lend each other what they know of noise, which in each is `spread`
/// times a factor whose logarithm spreads by `uneven`.
pub fn table(experiments: u64, comparisons: usize, n: usize, uneven: f64) -> f64 {
    let mut held = 0;
    for number in 0..experiments {
        let d = &mut Draws::of(Seed(11).nth(number));
        let mut one = |_| {
            let spread = rate(d, 0.02, uneven);
            ratio::paired(&(0..n).map(|_| (rate(d, 1.0, spread), rate(d, 0.8, spread))).collect::<Vec<_>>())
        };
        let ratios: Vec<Ratio> = (0..comparisons).filter_map(&mut one).collect();
        let decisions = decide::all(&ratios, Share(0.0));
        held += decisions.iter().filter(|d| d.interval.low <= 0.8 && 0.8 <= d.interval.high).count() as u64;
    }
    held as f64 / (experiments * comparisons as u64) as f64
}

/// An experiment whose cells are all the same server: `cells` labels and an A/A pair, `repetitions` blocks that drift
/// by 1 %, runs of a minute whose seconds resemble each other by 0.7, and noise between runs.
pub fn unchanged(cells: usize, repetitions: u32, spread: f64, d: &mut Draws) -> Record {
    let labels: Vec<Value> = (0..cells).map(|i| Value::from(format!("build-{i}").as_str())).collect();
    let mut record = bench::experiment(&[("build", &labels)]);
    let mut twin = record.plan.cells[0].clone();
    twin.id = model::plan::CellId("aa".into());
    twin.repeats = Some(record.plan.cells[0].id.clone());
    record.plan.cells.push(twin);
    let drifts: Vec<f64> = (0..repetitions).map(|_| rate(d, bench::QPS, 0.01)).collect();
    let template = record.runs[0].clone();
    record.runs.clear();
    for cell in &record.plan.cells {
        for (i, drift) in drifts.iter().enumerate() {
            let mut run = template.clone();
            let number = i as u32 + 1;
            run.id = model::plan::RunId(format!("{}-{number}", cell.id));
            (run.cell, run.repetition, run.block) = (cell.id.clone(), number, number);
            let level = rate(d, *drift, spread);
            bench::set_rate(&mut run, minute(d, level));
            record.runs.push(run);
        }
    }
    record.plan.runs = Vec::new();
    record
}

/// The mean rate of sixty seconds, each 3 % off and like its neighbour.
fn minute(d: &mut Draws, level: f64) -> f64 {
    const ALIKE: f64 = 0.7;
    let mut last = d.normal();
    let mut second = |_| {
        last = ALIKE * last + (1.0 - ALIKE * ALIKE).sqrt() * d.normal();
        level * (0.03 * last).exp()
    };
    (0..60).map(&mut second).sum::<f64>() / 60.0
}

/// What the judge says of unchanged servers that is not so.
#[derive(Clone, Debug, Default)]
pub struct Alarms {
    /// Share of experiments in which a comparison is decided as a difference, or refused.
    pub differences: f64,
    /// … in which any check warns or fails.
    pub verdicts: f64,
    /// … with either.
    pub any: f64,
    /// … by each check that did.
    pub by_check: BTreeMap<String, f64>,
}

pub fn false_alarms(experiments: u64, cells: usize, repetitions: u32, spread: f64) -> Alarms {
    let mut alarms = Alarms::default();
    for number in 0..experiments {
        let judgement = bench::judge(&unchanged(cells, repetitions, spread, &mut Draws::of(Seed(13).nth(number))));
        let differs = |o: Outcome| matches!(o, Outcome::Better | Outcome::Worse | Outcome::Refused);
        let decided = judgement.comparisons.iter().any(|c| differs(c.outcome));
        let verdicts = judgement.verdicts.iter().chain(judgement.cells.iter().flat_map(|c| &c.verdicts));
        let raised = verdicts.filter(|v| v.counts_as() > Status::NotEvaluable).map(|v| &v.check);
        let raised: BTreeSet<&String> = raised.collect();
        let share = |seen: bool| f64::from(u8::from(seen)) / experiments as f64;
        alarms.differences += share(decided);
        alarms.verdicts += share(!raised.is_empty());
        alarms.any += share(decided || !raised.is_empty());
        raised.into_iter().for_each(|check| *alarms.by_check.entry(check.clone()).or_default() += share(true));
    }
    alarms
}

/// The share of histories of so many records that differ by 3 % and resemble the one before by `phi`, the share of
/// which a change of level is told; `step` is put in the middle of each.
pub fn histories(count: u64, records: usize, phi: f64, step: f64) -> f64 {
    let told = |number: &u64| {
        let d = &mut Draws::of(Seed(17).nth(*number));
        let mut last = d.normal();
        let mut one = |i: usize| {
            last = phi * last + (1.0 - phi * phi).sqrt() * d.normal();
            0.03 * last + if i < records / 2 { 0.0 } else { step }
        };
        let series: Vec<f64> = (0..records).map(&mut one).collect();
        !vote::changes(&series, decide::MARGIN.0, Seed(*number)).is_empty()
    };
    (0..count).filter(told).count() as f64 / count as f64
}
