//! What an operation costs by itself and what each of its rows adds: CPU = a + b × rows, fitted by weighted least
//! squares over the cells that differ from one cell by a parameter that changes the rows. Each cell weighs as much as
//! its repetitions agree.

use super::evidence::{CellEvidence, RunEvidence};
use crate::findings::frame::finding::Scene;
use crate::stats::{average, variance};

/// Two levels are a line with nothing to contradict it.
const LEVELS: usize = 3;
/// No level is known better than this, relative to its value: the clock that CPU is counted with ticks in 10 ms.
const FINEST: f64 = 0.002;

pub struct Fit {
    /// In the unit of the cost, per operation.
    pub fixed: f64,
    /// Per row.
    pub slope: f64,
    pub levels: usize,
}

/// One level: rows, cost, weight.
struct Level {
    rows: f64,
    cost: f64,
    weight: f64,
}

/// `None` where no parameter is varied over enough levels, and where the line falls.
pub fn sweep(
    scene: &Scene,
    cell: &CellEvidence,
    rows: fn(&RunEvidence) -> Option<f64>,
    cost: fn(&RunEvidence) -> Option<f64>,
) -> Option<Fit> {
    let parameters = cell.cell.axes.keys().filter(|key| cell.cell.parameters.contains_key(*key));
    parameters.into_iter().find_map(|axis| {
        let others = |c: &CellEvidence| {
            c.cell.axes.iter().filter(|(k, _)| *k != axis).map(|(k, v)| (k.clone(), v.clone())).collect::<Vec<_>>()
        };
        let here = others(cell);
        let levels: Vec<Level> =
            scene.cells().filter(|c| others(c) == here).filter_map(|c| Level::of(c, rows, cost)).collect();
        fit(&levels)
    })
}

impl Level {
    fn of(
        cell: &CellEvidence,
        rows: fn(&RunEvidence) -> Option<f64>,
        cost: fn(&RunEvidence) -> Option<f64>,
    ) -> Option<Self> {
        let all = |of: fn(&RunEvidence) -> Option<f64>| cell.runs.iter().map(of).collect::<Option<Vec<f64>>>();
        let (rows, costs) = (average(&all(rows)?), all(cost)?);
        let cost = average(&costs);
        let spread = if costs.len() > 1 { variance(&costs) / costs.len() as f64 } else { 0.0 };
        Some(Self { rows, cost, weight: 1.0 / spread.max((FINEST * cost).powi(2)) })
    }
}

fn fit(levels: &[Level]) -> Option<Fit> {
    if levels.len() < LEVELS {
        return None;
    }
    let weighted = |of: &dyn Fn(&Level) -> f64| levels.iter().map(|l| l.weight * of(l)).sum::<f64>();
    let total = weighted(&|_| 1.0);
    let (rows, cost) = (weighted(&|l| l.rows) / total, weighted(&|l| l.cost) / total);
    let spread = weighted(&|l| (l.rows - rows).powi(2));
    let slope = weighted(&|l| (l.rows - rows) * (l.cost - cost)) / spread;
    (spread > 0.0 && slope > 0.0).then_some(Fit { fixed: cost - slope * rows, slope, levels: levels.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_numpys() {
        // numpy.polynomial.polynomial.polyfit([1, 10, 100, 1000], [41, 43, 62, 238], 1, w=numpy.sqrt([4, 3, 2, 1]))
        let level = |rows, cost, weight| Level { rows, cost, weight };
        let levels =
            [level(1.0, 41.0, 4.0), level(10.0, 43.0, 3.0), level(100.0, 62.0, 2.0), level(1000.0, 238.0, 1.0)];
        let fit = fit(&levels).unwrap();
        assert!(
            (fit.fixed - 41.18658836508114).abs() < 1e-9 && (fit.slope - 0.1970292677059875).abs() < 1e-12,
            "{} {}",
            fit.fixed,
            fit.slope
        );
        assert!(super::fit(&levels[..2]).is_none(), "two levels");
    }
}
