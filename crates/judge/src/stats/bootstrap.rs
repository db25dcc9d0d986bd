//! Intervals without a distribution: what was measured is drawn again and again, with replacement, and how the result
//! moves is its uncertainty (Efron and Tibshirani 1993). For ratios the studentised form, which follows a tail to one
//! side where Student's interval stays even; for anything else (`resampled`) the plain percentiles. The draws follow
//! from the seed of the record, so that judging twice gives the same bytes.

use super::draws::Draws;
use super::{CONFIDENCE, Interval, average, quantile, variance};
use model::seed::Seed;

/// Samples drawn: the ends of the interval are then the 50th from either side.
const SAMPLES: usize = 1_999;
/// Fewer values repeat themselves too often to be drawn from: of six, one sample in 8,000 is all the same.
pub const FEWEST: usize = 6;

/// The geometric mean of ratios, with the interval of its studentised bootstrap; `None` for fewer than `FEWEST`.
pub fn ratio(ratios: &[f64], seed: Seed) -> Option<Interval> {
    if ratios.len() < FEWEST {
        return None;
    }
    let logs: Vec<f64> = ratios.iter().map(|r| r.ln()).collect();
    let error = |values: &[f64]| (variance(values) / values.len() as f64).sqrt();
    let centre = average(&logs);
    let far = resampled(&logs, seed, |sample| {
        let error = error(sample);
        (error > 0.0).then(|| (average(sample) - centre) / error)
    });
    if far.is_empty() {
        return Some(Interval { value: centre.exp(), low: centre.exp(), high: centre.exp() });
    }
    let (low, high) = ends(&far);
    let error = error(&logs);
    // Where samples lie too high, the truth lies below what was measured.
    Some(Interval { value: centre.exp(), low: (centre - high * error).exp(), high: (centre - low * error).exp() })
}

/// What a statistic comes to over samples of the cases, ascending; samples without one are left out.
pub fn resampled<T: Clone>(cases: &[T], seed: Seed, statistic: impl Fn(&[T]) -> Option<f64>) -> Vec<f64> {
    let mut found = samples(cases, SAMPLES, seed, statistic);
    found.retain(|x| x.is_finite());
    found.sort_by(f64::total_cmp);
    found
}

/// What becomes of so many samples of the cases; those of which nothing does are left out.
pub fn samples<T: Clone, R>(cases: &[T], count: usize, seed: Seed, of: impl Fn(&[T]) -> Option<R>) -> Vec<R> {
    let mut draws = Draws::of(seed);
    let mut sample = cases.to_vec();
    let mut one = |_| {
        sample.iter_mut().for_each(|place| place.clone_from(&cases[draws.below(cases.len())]));
        of(&sample)
    };
    (0..count).filter_map(&mut one).collect()
}

/// The ends of the middle at the printed confidence.
pub fn ends(ascending: &[f64]) -> (f64, f64) {
    let tail = (1.0 - CONFIDENCE) / 2.0;
    (quantile(ascending, tail), quantile(ascending, 1.0 - tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::mean;

    const RATIOS: [f64; 9] = [0.91, 0.93, 0.90, 0.94, 0.92, 0.89, 0.95, 0.92, 0.91];

    #[test]
    fn the_same_seed_gives_the_same_interval_and_another_nearly_so() {
        let of = |seed| ratio(&RATIOS, Seed(seed)).unwrap();
        assert_eq!(of(1), of(1));
        assert!((of(1).low / of(2).low - 1.0).abs() < 0.005, "{:?} {:?}", of(1), of(2));
        assert_eq!(ratio(&RATIOS[..5], Seed(1)), None);
        assert_eq!(ratio(&[0.5; 7], Seed(1)).unwrap().high, 0.5);
    }

    #[test]
    fn even_noise_gives_nearly_students_interval() {
        let (ours, students) = (ratio(&RATIOS, Seed(1)).unwrap(), mean::of_logs(&RATIOS).unwrap());
        assert!((ours.value / students.value - 1.0).abs() < 1e-12);
        let width = |i: Interval| (i.high / i.low).ln();
        assert!((width(ours) / width(students) - 1.0).abs() < 0.15, "{ours:?} {students:?}");
    }

    #[test]
    fn the_studentised_interval_is_that_of_two_million_samples_drawn_by_numpy() {
        // l = log(r); d = l[rng.integers(0, n, (2_000_000, n))]; t = (d.mean(1) - l.mean()) / (d.std(1, ddof=1) /
        // sqrt(n)); exp(l.mean() - quantile(t, [0.975, 0.025]) * l.std(ddof=1) / sqrt(n)), NumPy 2.4.6
        let tailed = [0.99, 0.97, 0.995, 0.90, 0.98, 0.96, 0.993, 0.85, 0.985, 0.975];
        let even = (&RATIOS[..], [0.9187145529018004, 0.9046683686747997, 0.9348266320932381], 1e-3);
        // Its lower end lies where few samples do.
        let skewed = (&tailed[..], [0.9586893101812254, 0.8442562382502932, 0.9843142810504568], 1e-2);
        for (ratios, golden, near) in [even, skewed] {
            let all: Vec<Interval> = (1..=12).map(|seed| ratio(ratios, Seed(seed)).unwrap()).collect();
            let ends: [fn(&Interval) -> f64; 3] = [|i| i.value, |i| i.low, |i| i.high];
            let ours = ends.map(|end| average(&all.iter().map(end).collect::<Vec<_>>()));
            assert!(ours.iter().zip(golden).all(|(a, b)| (a - b).abs() < near), "{ours:?} {golden:?}");
        }
    }

    #[test]
    fn percentiles_of_resampled_means_are_scipys() {
        // scipy.stats.bootstrap((log(r),), np.mean, n_resamples=200000, method="percentile", rng=1).confidence_interval
        let logs: Vec<f64> = RATIOS.iter().map(|r| r.ln()).collect();
        let of = |seed| ends(&resampled(&logs, Seed(seed), |sample| Some(average(sample))));
        let all: Vec<(f64, f64)> = (1..=8).map(of).collect();
        let (low, high) = (
            average(&all.iter().map(|e| e.0).collect::<Vec<_>>()),
            average(&all.iter().map(|e| e.1).collect::<Vec<_>>()),
        );
        assert!((low + 0.09694123778824953).abs() < 1e-3 && (high + 0.07158849309113131).abs() < 1e-3, "{low} {high}");
    }
}
