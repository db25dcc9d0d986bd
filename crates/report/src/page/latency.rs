//! A latency histogram per cell as the points of a percentile curve: the histograms of all measured phases of all
//! repetitions merged, never averaged. Points stand at fixed steps of log10(1/(1-q)), so only their values travel.

use model::{Group, Histogram, Record};
use serde::Serialize;
use std::collections::BTreeMap;

/// Points per factor of ten of 1/(1-q): smooth to the eye, and p90, p99, p99.9 … fall on points.
const STEPS: u32 = 10;

#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Latency<'a> {
    steps: u32,
    /// By cell, then by operation, those of each group of users apart.
    cells: BTreeMap<&'a str, BTreeMap<String, Percentiles>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
struct Percentiles {
    n: u64,
    /// The values at q = 1 - 10^(-k/steps), k = 0, 1, 2 …; the last is the maximum.
    micros: Vec<f64>,
}

pub fn of(record: &Record) -> Latency<'_> {
    let mut cells: BTreeMap<&str, BTreeMap<String, Histogram>> = BTreeMap::new();
    for run in record.runs.iter().filter(|r| r.is_done()) {
        for (group, of_group) in run.measured().flat_map(|p| &p.groups) {
            let named = |name: &str| if group == Group::ONLY { name.to_string() } else { format!("{group}: {name}") };
            for (name, operation) in &of_group.tally.operations {
                cells.entry(&run.cell.0).or_default().entry(named(name)).or_default().merge(&operation.latency);
            }
        }
    }
    let curves = |operations: BTreeMap<String, Histogram>| {
        operations.into_iter().map(|(name, h)| (name, curve(&h))).collect::<BTreeMap<_, _>>()
    };
    Latency { steps: STEPS, cells: cells.into_iter().map(|(id, operations)| (id, curves(operations))).collect() }
}

fn curve(histogram: &Histogram) -> Percentiles {
    let tail = |k: u32| 10_f64.powf(-f64::from(k) / f64::from(STEPS));
    // A percentile that less than one operation lies beyond is the maximum already.
    let inside = (0..).take_while(|k| tail(*k) * histogram.count() as f64 >= 1.0);
    let values = inside.filter_map(|k| histogram.percentile(100.0 * (1.0 - tail(k)))).chain(histogram.max());
    Percentiles { n: histogram.count(), micros: values.map(|v| four_digits(v.micros())).collect() }
}

fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().expect("a float printed by us")
}
