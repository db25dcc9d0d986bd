//! The cause in several amounts: over five levels of a parameter, at the same offered rate, its indicator per
//! operation and the time of an operation move together. The rate is fixed because everything moves with the rate.
//! Each repetition is one walk over the levels and has one rank correlation (Spearman); their interval must leave zero
//! out. The parameter is one of the server alone: one that changes what is asked, or of how much data, drives both
//! sides, and would do so without the cause.

use super::cause::{Case, Cause, Dose, Scene, Time};
use crate::frame::CellEvidence;
use crate::frame::account::operation_us;
use crate::stats::{average, mean};
use model::experiment::keys::{self, Effect};
use model::value::Value;
use std::collections::BTreeMap;

/// Fewer levels are in order by chance too often: 1 in 12 of four are.
const LEVELS: usize = 5;
const TOGETHER: f64 = 0.9;

pub fn of(scene: &Scene, cause: &Cause, case: &Case) -> Option<Dose> {
    let indicator = cause.indicator?;
    if case.place.time != Time::Operation {
        return None;
    }
    let cell = scene.cell(&case.place.cell);
    cell.cell.load.arrivals.as_ref()?;
    let (axis, levels) = cell.cell.axes.keys().filter(|axis| is_of_the_server(axis)).find_map(|axis| {
        let levels = levels(scene, cell, axis);
        (levels.len() >= LEVELS).then_some((axis, levels))
    })?;
    let mut walks: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for run in levels.iter().flat_map(|level| &level.runs) {
        walks.entry(run.run.block).or_default().push((indicator(run)?, operation_us(run)?));
    }
    walks.retain(|_, walk| walk.len() == levels.len());
    let correlations: Vec<f64> = walks.values().map(|walk| rank_correlation(walk)).collect();
    let all = mean::plain(&correlations)?;
    let holds = all.value >= TOGETHER && all.low > 0.0;
    let word = if holds { "moves with" } else { "does not move with" };
    Some(Dose {
        holds,
        sentence: format!(
            "Over {} levels of {axis} at the same rate its amount {word} the time of an operation (rank correlation {:.2}).",
            levels.len(),
            all.value
        ),
    })
}

/// Whether cells along this axis do the same work on the same data.
fn is_of_the_server(axis: &str) -> bool {
    let work =
        [Effect::Operation, Effect::Rows, Effect::Answer, Effect::Plan, Effect::Disk, Effect::Way, Effect::Measuring];
    keys::can_change(axis, Effect::Server) && !work.into_iter().any(|effect| keys::can_change(axis, effect))
}

/// Cells that differ from this one on a numeric axis alone; it is among them.
fn levels<'a>(scene: &Scene<'a>, cell: &CellEvidence, axis: &str) -> Vec<&'a CellEvidence<'a>> {
    let others = |c: &CellEvidence| {
        c.cell.axes.iter().filter(|(key, _)| *key != axis).map(|(k, v)| (k.clone(), v.clone())).collect::<Vec<_>>()
    };
    let here = others(cell);
    let is_level = |c: &&CellEvidence| c.cell.axes.get(axis).and_then(Value::number).is_some() && others(c) == here;
    scene.cells().filter(is_level).collect()
}

/// Spearman's: Pearson's correlation of the ranks, ties sharing theirs.
fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let ranks = |of: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        let below = |x: f64| pairs.iter().filter(|p| of(p) < x).count() as f64;
        let equal = |x: f64| pairs.iter().filter(|p| of(p) == x).count() as f64;
        pairs.iter().map(|p| below(of(p)) + (equal(of(p)) - 1.0) / 2.0).collect()
    };
    let (a, b) = (ranks(|p| p.0), ranks(|p| p.1));
    let (mean_a, mean_b) = (average(&a), average(&b));
    let product: f64 = a.iter().zip(&b).map(|(x, y)| (x - mean_a) * (y - mean_b)).sum();
    let squares = |of: &[f64], mean: f64| of.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    let spread = (squares(&a, mean_a) * squares(&b, mean_b)).sqrt();
    if spread > 0.0 { product / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::rank_correlation;

    #[test]
    fn the_rank_correlation_is_scipys() {
        // scipy.stats.spearmanr(a, b).statistic
        let of = |a: [f64; 5], b: [f64; 5]| rank_correlation(&a.into_iter().zip(b).collect::<Vec<_>>());
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} {y}");
        near(of([1.0, 2.0, 3.0, 4.0, 5.0], [5.0, 6.0, 7.0, 8.0, 7.0]), 0.8207826816681233);
        near(of([1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 4.0, 8.0, 16.0, 32.0]), 1.0);
        near(of([1.0, 2.0, 3.0, 4.0, 5.0], [1.0; 5]), 0.0);
    }
}
