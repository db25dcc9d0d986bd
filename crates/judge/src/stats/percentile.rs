//! The interval of a percentile that was taken of all runs together. Operations of a run are no independent samples:
//! they share its data's place in memory, its neighbours and its stalls, and a million of them know less than three
//! runs do. So the runs are what varies. The spread of their own percentiles, on the log scale, is Student's; it has
//! in it what blocks of time within a run would tell, since a run's percentile moves with its seconds as well. From six
//! runs on it is the wider of that and of runs drawn again and again, because a tail has noise to one side. It lies
//! around the percentile of all runs together, which is what is printed, and not around the mean of percentiles.

use super::{Interval, bootstrap, mean};
use model::seed::Seed;

/// The interval where runs have these percentiles, which together have this one; `None` for fewer runs than have an
/// interval, and where one of them is not positive.
pub fn interval(merged: f64, runs: &[f64], seed: Seed) -> Option<Interval> {
    if merged <= 0.0 || runs.iter().any(|run| *run <= 0.0) {
        return None;
    }
    let student = mean::of_logs(runs)?;
    let drawn = bootstrap::ratio(runs, seed);
    let ends = |of: Interval| (of.low / of.value, of.high / of.value);
    let (low, high) = [Some(student), drawn].into_iter().flatten().map(ends).fold((1.0, 1.0), wider);
    Some(Interval { value: merged, low: merged * low, high: merged * high })
}

fn wider(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    (f64::min(one.0, other.0), f64::max(one.1, other.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_is_students_of_the_runs_around_the_percentile_of_all() {
        // exp of scipy.stats.t.interval(0.95, 2, 0, scipy.stats.sem(log([900, 1000, 1100]))) times 1010
        let found = interval(1010.0, &[900.0, 1000.0, 1100.0], Seed(1)).unwrap();
        let student = mean::of_logs(&[900.0, 1000.0, 1100.0]).unwrap();
        assert!((found.low - 1010.0 * student.low / student.value).abs() < 1e-9, "{found:?}");
        assert!((found.high - 1010.0 * student.high / student.value).abs() < 1e-9, "{found:?}");
        assert!(found.low < 800.0 && found.high > 1280.0, "three runs tell little: {found:?}");
        assert_eq!(interval(1.0, &[1.0, 1.0], Seed(1)), None);
        assert_eq!(interval(1.0, &[1.0, 0.0, 1.0], Seed(1)), None);
    }

    proptest! {
        #[test]
        fn it_holds_the_percentile_that_is_printed(
            merged in 1.0..1e6_f64, runs in prop::collection::vec(1.0..1e6_f64, 3..9), seed in any::<u64>(),
        ) {
            let found = interval(merged, &runs, Seed(seed)).unwrap();
            prop_assert!(found.low <= merged && merged <= found.high);
            prop_assert_eq!(found, interval(merged, &runs, Seed(seed)).unwrap());
        }
    }
}
