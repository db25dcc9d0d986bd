//! Whether the intervals are what they say: over simulated experiments with a known truth, a 95 % interval holds it in
//! 93 to 97 of 100. Seeded, so the answer is the same every time.

use judge::stats::usl::{Errors, Law};
use judge::stats::{Interval, mean, ratio, usl};
use model::seed::{Seed, split_mix};

const EXPERIMENTS: u64 = 2_000;

/// A stream of normal deviates (Box and Muller).
struct Normal(u64);

impl Normal {
    fn uniform(&mut self) -> f64 {
        self.0 = split_mix(self.0);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
    fn next(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
    /// A rate around `centre` whose logarithm has that spread.
    fn rate(&mut self, centre: f64, spread: f64) -> f64 {
        centre * (spread * self.next()).exp()
    }
}

/// The share of experiments whose interval holds the truth.
fn coverage(truth: f64, experiment: impl Fn(&mut Normal) -> Option<Interval>) -> f64 {
    let held = (0..EXPERIMENTS).filter(|number| {
        let interval = experiment(&mut Normal(Seed(7).nth(*number).0)).expect("enough repetitions");
        interval.low <= truth && truth <= interval.high
    });
    held.count() as f64 / EXPERIMENTS as f64
}

fn assert_covers(share: f64) {
    assert!((0.93..=0.97).contains(&share), "the interval covers {share}");
}

#[test]
fn intervals_of_a_mean_cover_as_often_as_they_say() {
    for n in [3, 5, 10] {
        assert_covers(coverage(1000.0, |d| mean::plain(&(0..n).map(|_| 1000.0 + 30.0 * d.next()).collect::<Vec<_>>())));
        assert_covers(coverage(1000.0, |d| mean::of_logs(&(0..n).map(|_| d.rate(1000.0, 0.05)).collect::<Vec<_>>())));
    }
}

#[test]
fn intervals_of_a_ratio_cover_although_all_blocks_drift() {
    for n in [3, 5] {
        assert_covers(coverage(0.8, |d| {
            let pair = |_| {
                let drift = d.rate(1.0, 0.3);
                (d.rate(1000.0 * drift, 0.02), d.rate(800.0 * drift, 0.02))
            };
            ratio::paired(&(0..n).map(pair).collect::<Vec<_>>())
        }));
    }
}

#[test]
fn fiellers_interval_covers_at_least_as_often_as_it_says() {
    let share = coverage(0.8, |d| {
        let base: Vec<_> = (0..5).map(|_| 1000.0 + 20.0 * d.next()).collect();
        let candidate: Vec<_> = (0..5).map(|_| 800.0 + 16.0 * d.next()).collect();
        ratio::fieller(&base, &candidate)
    });
    // Each arm brings its own factor with its own few degrees of freedom, which is on the careful side.
    assert!((0.95..=0.995).contains(&share), "the interval covers {share}");
}

#[test]
fn intervals_of_a_fitted_law_cover_its_peak_and_parameters_as_often_as_they_say() {
    let truth = Law { gamma: 1000.0, alpha: 0.05, beta: 1e-3 };
    let fitted = |d: &mut Normal| {
        let runs = (0..8).flat_map(|i| [2.0_f64.powi(i); 3]);
        let points: Vec<(f64, f64)> = runs.map(|n| (n, d.rate(truth.rate(n), 0.03))).collect();
        usl::fit(&points, Errors::Relative)
    };
    let interval = |(value, low, high)| Interval { value, low, high };
    assert_covers(coverage(truth.peak().unwrap(), |d| fitted(d)?.peak().map(interval)));
    assert_covers(coverage(truth.alpha, |d| Some(interval(fitted(d)?.alpha()))));
    assert_covers(coverage(truth.rate(64.0), |d| Some(interval(fitted(d)?.rate(64.0)))));
}
