//! Where the noise of a number comes from, and how to measure with less of it: seconds within a run, and runs. The mean
//! of a run hides what varies between runs, so their own variance is what is left when that of the seconds has been
//! taken off (Kalibera and Jones 2013, section 9). Repeating where it varies and is cheap gives the narrowest interval
//! for the time. Instances are no third level: a run of ours that writes begins from a copy of its own.

use super::{average, variance};

/// One level: what one repeat of it costs in seconds, how often it was repeated, and its own share of the variance,
/// never negative although an estimate may come out so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub cost: f64,
    pub repeats: usize,
    pub variance: f64,
}

/// The levels of runs that have as many independent values each; `costs` are those of one value more and of one run
/// more (its warm-up). `None` where a level has a single repeat.
pub fn of(runs: &[Vec<f64>], costs: [f64; 2]) -> Option<[Level; 2]> {
    let values = runs.first()?.len();
    if runs.len().min(values) < 2 || runs.iter().any(|run| run.len() != values) {
        return None;
    }
    let means: Vec<f64> = runs.iter().map(|run| average(run)).collect();
    let within = average(&runs.iter().map(|run| variance(run)).collect::<Vec<_>>());
    let between = (variance(&means) - within / values as f64).max(0.0);
    Some([
        Level { cost: costs[0], repeats: values, variance: within },
        Level { cost: costs[1], repeats: runs.len(), variance: between },
    ])
}

/// The share of the variance of one run's mean that longer runs would not lower.
pub fn between(levels: &[Level; 2]) -> f64 {
    let [values, runs] = levels;
    let within = values.variance / values.repeats as f64;
    if runs.variance + within > 0.0 { runs.variance / (runs.variance + within) } else { 0.0 }
}

/// Values in a run that narrow the interval most for the time they take; at most `limit`, which stands for runs that do
/// not vary at all.
pub fn advised(levels: &[Level; 2], limit: usize) -> usize {
    let [values, runs] = levels;
    let best = (runs.cost / values.cost * values.variance / runs.variance).sqrt().ceil();
    if best.is_finite() { (best as usize).clamp(1, limit) } else { limit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;
    use model::seed::Seed;

    #[test]
    fn each_level_gets_back_the_variance_that_it_was_given() {
        let mut draws = Draws::of(Seed(5));
        let mut run = |_| {
            let centre = 2.0 * draws.normal();
            (0..10).map(|_| centre + 3.0 * draws.normal()).collect::<Vec<f64>>()
        };
        let runs: Vec<_> = (0..2000).map(&mut run).collect();
        let levels = of(&runs, [1.0, 10.0]).unwrap();
        for (level, truth) in levels.iter().zip([9.0, 4.0]) {
            assert!((level.variance / truth - 1.0).abs() < 0.1, "{levels:?}");
        }
        // 4 ÷ (4 + 9/10), and ceil(√(10/1 · 9/4)), of the true variances.
        let exact = |cost, repeats, variance| Level { cost, repeats, variance };
        let exact = [exact(1.0, 10, 9.0), exact(10.0, 3, 4.0)];
        assert!((between(&exact) - 0.8163).abs() < 1e-4);
        assert_eq!(advised(&exact, 1000), 5);
    }

    #[test]
    fn the_levels_are_those_of_scipys_analysis_of_variance() {
        // F = scipy.stats.f_oneway(*runs).statistic; within = mean of var(run, ddof=1); between = within * (F - 1) / 5,
        // SciPy 1.17.1
        let runs = [
            [101.0, 99.5, 100.2, 102.1, 98.9],
            [104.0, 103.1, 105.2, 103.9, 104.4],
            [97.5, 98.8, 99.1, 96.9, 98.0],
            [100.9, 101.7, 100.1, 102.4, 99.9],
        ];
        let [within, between] = of(&runs.map(Vec::from), [1.0, 5.0]).unwrap();
        assert!((within.variance - 1.028249999999998).abs() < 1e-9, "{within:?}");
        assert!((between.variance - 6.04635000000001).abs() < 1e-9, "{between:?}");
    }

    #[test]
    fn runs_that_do_not_vary_are_as_long_as_allowed_and_uneven_ones_say_nothing() {
        let level = |variance| Level { cost: 1.0, repeats: 3, variance };
        assert_eq!((advised(&[level(0.0), level(4.0)], 50), advised(&[level(4.0), level(0.0)], 50)), (1, 50));
        assert_eq!(between(&[level(0.0), level(0.0)]), 0.0);
        assert_eq!(of(&[vec![1.0, 2.0]], [1.0; 2]), None);
        assert_eq!(of(&[vec![1.0, 2.0], vec![1.0]], [1.0; 2]), None);
    }
}
