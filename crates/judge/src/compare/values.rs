//! The values of a cell's runs by metric, laid out once, and the ratio of two cells on any of them: block by block
//! where both have a run in the same blocks, of independent arms otherwise. One rule for all metrics, so that a tail or
//! a cost is decided as a rate is.

use super::costs::{self, Cost};
use crate::frame::metrics::of_run;
use crate::frame::{CellEvidence, RunEvidence};
use crate::stats::ratio::{self, Ratio};
use crate::stats::{FEWEST, Interval, bootstrap};
use model::{Histogram, Nanos, Seed};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Percentiles of the operations of each run.
const PERCENTILES: [(&str, f64); 4] =
    [("latency_us_p50", 50.0), ("latency_us_p95", 95.0), ("latency_us_p99", 99.0), ("latency_us_p99.9", 99.9)];

/// By block, what its run came to.
pub struct Values(BTreeMap<u32, BTreeMap<&'static str, f64>>);

impl Values {
    pub fn of(cell: &CellEvidence) -> Self {
        Self(cell.runs.iter().map(|run| (run.run.block, by_metric(run))).collect())
    }

    /// By block; `None` where a run lacks it, or has nothing to take a ratio of.
    fn by_block(&self, metric: &str) -> Option<BTreeMap<u32, f64>> {
        Some(self.that_have(metric)).filter(|all| !all.is_empty() && all.len() == self.0.len())
    }

    /// Blocks of the runs that have something to take a ratio of.
    fn that_have(&self, metric: &str) -> BTreeMap<u32, f64> {
        let least = costs::cost(metric).map_or(0.0, |cost| cost.least);
        let value = |values: &BTreeMap<&str, f64>| {
            values.get(metric).map(|value| value.max(least)).filter(|value| *value > 0.0 && value.is_finite())
        };
        self.0.iter().filter_map(|(block, values)| Some((*block, value(values)?))).collect()
    }

    /// Whether any run has more of it than counts as nothing.
    pub fn has(&self, cost: &Cost) -> bool {
        self.0.values().any(|values| values.get(cost.metric).is_some_and(|value| *value > cost.least))
    }

    /// This one's ratio to the base. `None` for too few runs. Of two records no block is the same.
    pub fn over(&self, base: &Self, metric: &str, in_one_record: bool) -> Option<Ratio> {
        let (base, candidate) = (base.by_block(metric)?, self.by_block(metric)?);
        let pairs = shared(&base, &candidate);
        if in_one_record && pairs.len() >= FEWEST {
            return ratio::paired(&pairs);
        }
        let values = |runs: BTreeMap<u32, f64>| runs.into_values().collect::<Vec<_>>();
        ratio::unpaired(&values(base), &values(candidate))
    }

    /// Its ratio to the base in each block that both have something of; `None` where nobody counts this.
    pub fn ratios(&self, base: &Self, metric: &str) -> Option<Vec<f64>> {
        let is_counted = |of: &Self| of.0.values().any(|values| values.contains_key(metric));
        let pairs = shared(&base.that_have(metric), &self.that_have(metric));
        (is_counted(base) && is_counted(self)).then(|| pairs.iter().map(|(base, of)| of / base).collect())
    }

    /// The quotient of the geometric means, whatever the number of runs.
    pub fn point(&self, base: &Self, metric: &str) -> Option<(f64, usize)> {
        let mean = |of: BTreeMap<u32, f64>| of.values().map(|v| v.ln()).sum::<f64>() / of.len() as f64;
        let (base, candidate) = (base.by_block(metric)?, self.by_block(metric)?);
        let n = base.len().min(candidate.len());
        Some(((mean(candidate) - mean(base)).exp(), n))
    }

    /// The interval of the ratios of all blocks, drawn again and again: where their noise has a tail to one side,
    /// Student's is too short. Of fewer blocks than it takes, and of runs without common ones, there is none.
    pub fn drawn(&self, base: &Self, metric: &str, seed: Seed) -> Option<Interval> {
        let ratios: Vec<f64> = self.by_shared_block(base, metric)?.into_values().collect();
        bootstrap::ratio(&ratios, seed)
    }

    /// Its ratio to the base by block, in all blocks that both have; `None` where a run of either has nothing to take
    /// a ratio of.
    pub fn by_shared_block(&self, base: &Self, metric: &str) -> Option<BTreeMap<u32, f64>> {
        let (base, candidate) = (base.by_block(metric)?, self.by_block(metric)?);
        Some(base.iter().filter_map(|(block, value)| Some((*block, candidate.get(block)? / value))).collect())
    }
}

/// Both values of each block that both have: one run that is missing takes its block along, and leaves the others.
fn shared(base: &BTreeMap<u32, f64>, candidate: &BTreeMap<u32, f64>) -> Vec<(f64, f64)> {
    base.iter().filter_map(|(block, value)| Some((*value, *candidate.get(block)?))).collect()
}

/// Costs and percentiles of one run.
fn by_metric(run: &RunEvidence) -> BTreeMap<&'static str, f64> {
    let mut values: BTreeMap<&str, f64> =
        of_run::whole(run).into_iter().map(|((name, _), value)| (name, value)).collect();
    let histograms: Vec<&Histogram> =
        of_run::latencies(run).into_iter().map(|(_, histogram)| histogram).filter(|h| h.count() > 0).collect();
    let all: Option<Cow<Histogram>> = match histograms[..] {
        [] => None,
        [one] => Some(Cow::Borrowed(one)),
        ref several => {
            let mut all = Histogram::new();
            several.iter().for_each(|histogram| all.merge(histogram));
            Some(Cow::Owned(all))
        }
    };
    let percentiles = all.and_then(|all| all.percentiles(PERCENTILES.map(|(_, percent)| percent)));
    let named = percentiles.into_iter().flat_map(|values| PERCENTILES.into_iter().zip(values.map(Nanos::micros)));
    values.extend(named.map(|((name, _), value)| (name, value)));
    values
}
