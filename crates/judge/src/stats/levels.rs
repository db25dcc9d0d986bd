//! Where the noise of a number comes from, and how to measure with less of it: seconds within a run, runs within an
//! instance, instances. The mean over a level hides what varies above it, so each level's own variance is what is left when
//! that of the level below has been taken off (Kalibera and Jones 2013, section 9). Repeating where it varies and is cheap gives the
//! narrowest interval for the time; the number of repeats of the highest level then follows from the width wanted.

use super::{average, student, variance};

/// A level from below: what one repeat of it costs in seconds, and how often it was repeated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub cost: f64,
    pub repeats: usize,
    /// Its own share of the variance; never negative, although an estimate may come out so.
    pub variance: f64,
}

/// The levels of values that lie in runs that lie in instances, all of one size. `costs` are those of one more second, one
/// more run (its warm-up), one more instance (its start and load). `None` where a level has a single repeat.
pub fn of(instances: &[Vec<Vec<f64>>], costs: [f64; 3]) -> Option<[Level; 3]> {
    let runs = instances.first()?.len();
    let seconds = instances.first()?.first()?.len();
    let even = instances.iter().all(|i| i.len() == runs && i.iter().all(|run| run.len() == seconds));
    if !even || instances.len().min(runs).min(seconds) < 2 {
        return None;
    }
    let means_of_runs: Vec<Vec<f64>> = instances.iter().map(|i| i.iter().map(|run| average(run)).collect()).collect();
    let means: Vec<f64> = means_of_runs.iter().map(|m| average(m)).collect();
    let within = average(&instances.iter().flatten().map(|run| variance(run)).collect::<Vec<_>>());
    let between = average(&means_of_runs.iter().map(|m| variance(m)).collect::<Vec<_>>());
    let above = variance(&means);
    Some([
        Level { cost: costs[0], repeats: seconds, variance: within },
        Level { cost: costs[1], repeats: runs, variance: (between - within / seconds as f64).max(0.0) },
        Level { cost: costs[2], repeats: instances.len(), variance: (above - between / runs as f64).max(0.0) },
    ])
}

/// Repeats below each higher level that narrow the interval most for the time they take: seconds in a run and runs in an
/// instance. At most `limit`, which stands for a higher level that does not vary at all.
pub fn advised(levels: &[Level; 3], limit: usize) -> [usize; 2] {
    [0, 1].map(|i| {
        let (this, above) = (levels[i], levels[i + 1]);
        let best = (above.cost / this.cost * this.variance / above.variance).sqrt().ceil();
        if best.is_finite() { (best as usize).clamp(1, limit) } else { limit }
    })
}

/// Repeats of the highest level, of which one has that variance, until the interval reaches no further than `half`;
/// `None` beyond `limit`.
pub fn repeats(variance: f64, half: f64, limit: usize) -> Option<usize> {
    (2..=limit).find(|n| student::factor(*n) * (variance / *n as f64).sqrt() <= half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;
    use model::seed::Seed;

    #[test]
    fn each_level_gets_back_the_variance_that_it_was_given() {
        let mut draws = Draws::of(Seed(5));
        let (second, run, instance) = (3.0, 2.0, 1.0);
        let mut of_instance = |_| {
            let centre = instance * draws.normal();
            let mut of_run = |_| {
                let centre = centre + run * draws.normal();
                (0..10).map(|_| centre + second * draws.normal()).collect::<Vec<f64>>()
            };
            (0..5).map(&mut of_run).collect::<Vec<_>>()
        };
        let data: Vec<_> = (0..400).map(&mut of_instance).collect();
        let levels = of(&data, [1.0, 10.0, 100.0]).unwrap();
        for (level, truth) in levels.iter().zip([9.0, 4.0, 1.0]) {
            assert!((level.variance / truth - 1.0).abs() < 0.3, "{levels:?}");
        }
        // ceil(√(10/1 · 9/4)) and ceil(√(100/10 · 4/1)) of the true variances.
        let exact =
            [(1.0, 9.0), (10.0, 4.0), (100.0, 1.0)].map(|(cost, variance)| Level { cost, repeats: 2, variance });
        assert_eq!(advised(&exact, 1000), [5, 7]);
    }

    #[test]
    fn a_level_that_does_not_vary_needs_no_repeats_and_one_below_it_as_many_as_allowed() {
        let level = |variance| Level { cost: 1.0, repeats: 3, variance };
        assert_eq!(advised(&[level(0.0), level(4.0), level(0.0)], 50), [1, 50]);
        assert_eq!(of(&[vec![vec![1.0, 2.0]]], [1.0; 3]), None);
    }

    #[test]
    fn repeats_are_enough_for_the_width_and_one_fewer_is_not() {
        let n = repeats(4.0, 1.0, 100).unwrap();
        let half = |n: usize| student::factor(n) * (4.0 / n as f64).sqrt();
        assert!(half(n) <= 1.0 && half(n - 1) > 1.0);
        assert_eq!(repeats(4.0, 0.01, 100), None);
    }
}
