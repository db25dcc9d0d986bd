//! A cell's estimates over its repetitions. Rates, times and amounts: the mean over runs with Student's interval, on
//! the log scale where all values are positive (`stats::mean`). Percentiles: of the merged histogram of all
//! repetitions, never a mean of percentiles. Their interval is the wider of two: what the runs' own percentiles vary by
//! (`stats::percentile`), and the order statistics that bound the percentile given how many independent samples there
//! are (`noise`). Fewer than three runs: no interval.

use super::of_run::{self, Name, Named, Values};
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::frame::noise;
use crate::stats::{FEWEST, average, mean, order, percentile};
use model::{Estimate, Histogram, Nanos, Seed};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

type Estimates = BTreeMap<String, Estimate>;

pub struct Metrics {
    pub whole: Estimates,
    pub operations: BTreeMap<String, Estimates>,
    pub statements: BTreeMap<String, Estimates>,
    /// Values by repetition of what is drawn as dots.
    pub repetitions: BTreeMap<String, Vec<f64>>,
}

/// Drawn as dots beside their interval.
const DOTS: [&str; 3] = ["qps", "ops_per_s", "tps"];

const PERCENTILES: [(&str, f64); 5] = [
    ("latency_us_p50", 50.0),
    ("latency_us_p95", 95.0),
    ("latency_us_p99", 99.0),
    ("latency_us_p99.9", 99.9),
    ("latency_us_max", MAX),
];
const MAX: f64 = 100.0;

pub fn metrics(cell: &CellEvidence) -> Metrics {
    let runs: Vec<Values> = cell.runs.iter().map(of_run::whole).collect();
    let dots = DOTS.iter().filter_map(|dot| {
        let values: Vec<f64> = runs.iter().flatten().filter(|((name, _), _)| name == dot).map(|(_, v)| *v).collect();
        (!values.is_empty()).then(|| ((*dot).to_string(), values))
    });
    let mut whole = over_runs(&runs.iter().collect::<Vec<_>>());
    whole.extend(latencies(cell, of_run::latencies).into_values().flatten());
    Metrics {
        whole,
        operations: parts(cell, of_run::operations, latencies(cell, of_run::latencies_of_operations)),
        statements: parts(cell, of_run::statements, latencies(cell, of_run::latencies_of_statements)),
        repetitions: dots.collect(),
    }
}

fn parts(
    cell: &CellEvidence,
    values: impl Fn(&RunEvidence) -> BTreeMap<String, Values>,
    mut latencies: BTreeMap<String, Estimates>,
) -> BTreeMap<String, Estimates> {
    let runs: Vec<_> = cell.runs.iter().map(values).collect();
    let mut names: Vec<&String> = runs.iter().flat_map(BTreeMap::keys).collect();
    names.sort();
    names.dedup();
    let estimates = |name: &String| {
        let mut estimates = over_runs(&runs.iter().filter_map(|r| r.get(name)).collect::<Vec<_>>());
        estimates.extend(latencies.remove(name).unwrap_or_default());
        (name.clone(), estimates)
    };
    names.into_iter().map(estimates).collect()
}

/// One estimate per name over the runs that have it.
fn over_runs(runs: &[&Values]) -> Estimates {
    let mut values: BTreeMap<Name, Vec<f64>> = BTreeMap::new();
    for (name, value) in runs.iter().copied().flatten() {
        values.entry(*name).or_default().push(*value);
    }
    values.into_iter().map(|((name, unit), values)| (name.to_string(), over(&values, unit))).collect()
}

pub fn over(values: &[f64], unit: &str) -> Estimate {
    let positive = values.iter().all(|v| *v > 0.0);
    let interval = if positive { mean::of_logs(values) } else { mean::plain(values) };
    Estimate {
        value: interval.map_or_else(|| average(values), |i| i.value),
        // Nothing that is measured here can be negative.
        low: interval.map(|i| i.low.max(0.0)),
        high: interval.map(|i| i.high),
        n: values.len() as u32,
        unit: unit.into(),
    }
}

/// Latency estimates by name. Each name's histograms are merged and let go again before the next cell.
fn latencies<'a>(
    cell: &CellEvidence<'a>,
    histograms: impl Fn(&RunEvidence<'a>) -> Named<'a>,
) -> BTreeMap<String, Estimates> {
    let mut runs: BTreeMap<&str, Vec<Cow<Histogram>>> = BTreeMap::new();
    for run in &cell.runs {
        let mut merged: BTreeMap<&str, Cow<Histogram>> = BTreeMap::new();
        for (name, histogram) in histograms(run).into_iter().filter(|(_, h)| h.count() > 0) {
            match merged.entry(name) {
                Entry::Vacant(place) => drop(place.insert(Cow::Borrowed(histogram))),
                Entry::Occupied(place) => place.into_mut().to_mut().merge(histogram),
            }
        }
        for (name, histogram) in merged {
            runs.entry(name).or_default().push(histogram);
        }
    }
    let independence = if cell.runs.len() < FEWEST { 1.0 } else { noise::independence(cell) };
    let seed = cell.runs.first().map_or(Seed(0), |run| run.record.plan.seed.child("percentiles"));
    let estimates = |(name, runs): (&str, Vec<Cow<Histogram>>)| {
        (name.to_string(), of_histograms(&runs, independence, seed.child(name)))
    };
    runs.into_iter().map(estimates).collect()
}

/// Between which values the percentile of everything that could have been measured lies, as far as so many samples
/// tell.
fn bounds(merged: &Histogram, percent: f64, independence: f64) -> (f64, f64) {
    let n = (merged.count() as f64 * independence).ceil().max(1.0);
    let (low, high) = order::ranks(n as u64, percent / 100.0);
    let at = |rank: Option<u64>| merged.percentile(100.0 * rank? as f64 / n).map(Nanos::micros);
    (at(low).unwrap_or(f64::INFINITY), at(high).unwrap_or(0.0))
}

fn of_histograms(runs: &[Cow<Histogram>], independence: f64, seed: Seed) -> Estimates {
    // With room for every value: many are merged faster so than into a list. What is walked often is then a list again.
    let mut merged = Histogram::new();
    runs.iter().for_each(|h| merged.merge(h));
    let merged = merged.clone();
    let values = |h: &Histogram| {
        let values = h.percentiles(PERCENTILES.map(|(_, percent)| percent));
        values.expect("only histograms with a value come here").map(Nanos::micros)
    };
    let each: Vec<_> = runs.iter().map(|h| values(h)).collect();
    let estimate = |((name, percent), (place, value)): ((&str, f64), (usize, f64))| {
        let of_runs: Vec<f64> = each.iter().map(|run| run[place]).collect();
        let wider = |(low, high): (f64, f64), (from, to): (f64, f64)| (low.min(from), high.max(to));
        let ends = (runs.len() >= FEWEST).then(|| match percentile::interval(value, &of_runs, seed) {
            Some(of_runs) if percent < MAX => {
                wider(bounds(&merged, percent, independence), (of_runs.low, of_runs.high))
            }
            // Of the largest that could have been measured nobody knows more than what the runs say.
            Some(_) | None => of_runs.iter().fold((f64::INFINITY, 0.0), |ends, run| wider(ends, (*run, *run))),
        });
        let (low, high) = ends.unzip();
        (name.to_string(), Estimate { value, low, high, n: runs.len() as u32, unit: "µs".into() })
    };
    let mut estimates: Estimates =
        PERCENTILES.into_iter().zip(values(&merged).into_iter().enumerate()).map(estimate).collect();
    let means: Vec<f64> = runs.iter().filter_map(|h| h.mean()).map(Nanos::micros).collect();
    estimates.insert("latency_us_mean".into(), over(&means, "µs"));
    estimates
}
