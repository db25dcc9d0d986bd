//! Whether values fall into two groups: servers have states (where threads were placed, which plan was found) that hold
//! for a whole run, and a mean over two of them is the rate of neither. The cut between ordered values that leaves the
//! least scatter within both sides is found (two-means in one dimension), and what is left is held against what normal
//! values leave.

use super::average;

/// Fewer values are cut in two by chance alone.
pub const FEWEST: usize = 8;
/// Each side has this share of the values at least: a single value far off is an outlier and no state.
const SIDE: f64 = 0.2;

/// Share of the scatter that the best cut leaves in fewer than one of a thousand series of so many normal values.
/// 400,000 series each, simulated; the test repeats a few.
const LEFT_OVER: [(usize, f64); 7] =
    [(8, 0.0301), (10, 0.0509), (12, 0.0727), (15, 0.0981), (20, 0.1293), (30, 0.1706), (50, 0.2115)];

/// The centre of each group and how many are in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Groups {
    pub low: (f64, usize),
    pub high: (f64, usize),
}

/// `None` where one group is the better account, or too few values tell.
pub fn two(values: &[f64]) -> Option<Groups> {
    let n = values.len();
    if n < FEWEST {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let squares = |part: &[f64]| {
        let centre = average(part);
        part.iter().map(|x| (x - centre).powi(2)).sum::<f64>()
    };
    let whole = squares(&sorted);
    let side = ((SIDE * n as f64).ceil() as usize).max(2);
    let within = |cut: usize| squares(&sorted[..cut]) + squares(&sorted[cut..]);
    let cut = (side..=n - side).min_by(|a, b| within(*a).total_cmp(&within(*b)))?;
    let (low, high) = sorted.split_at(cut);
    (within(cut) < left_over(n) * whole)
        .then(|| Groups { low: (average(low), low.len()), high: (average(high), high.len()) })
}

/// Between the simulated ones on the line; more values than the most are held against those.
fn left_over(n: usize) -> f64 {
    let after = LEFT_OVER.partition_point(|(of, _)| *of < n).min(LEFT_OVER.len() - 1);
    let ((a, low), (b, high)) = (LEFT_OVER[after.saturating_sub(1)], LEFT_OVER[after]);
    if b == a { high } else { low + (high - low) * ((n.min(b) - a) as f64 / (b - a) as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;
    use model::seed::Seed;

    #[test]
    fn two_states_are_told_with_their_centres() {
        let mut draws = Draws::of(Seed(1));
        let values: Vec<f64> = (0..10).map(|i| if i % 3 == 0 { 90.0 } else { 100.0 } + 0.5 * draws.normal()).collect();
        let Groups { low, high } = two(&values).unwrap();
        assert_eq!((low.1, high.1), (4, 6));
        assert!((low.0 - 90.0).abs() < 1.0 && (high.0 - 100.0).abs() < 1.0);
        assert_eq!(two(&values[..7]), None, "too few");
    }

    #[test]
    fn the_centres_are_those_of_scipys_k_means() {
        // scipy.cluster.vq.kmeans(x, array([x.min(), x.max()])), SciPy 1.17.1
        let Groups { low, high } = two(&[90.2, 100.1, 99.6, 89.8, 100.4, 99.9, 90.5, 100.2, 99.7, 90.1]).unwrap();
        assert_eq!((low.1, high.1), (4, 6));
        assert!((low.0 - 90.15).abs() < 1e-9 && (high.0 - 99.98333333333333).abs() < 1e-9, "{low:?} {high:?}");
    }

    #[test]
    fn one_state_is_not_cut_and_an_outlier_is_none() {
        let mut draws = Draws::of(Seed(2));
        for n in [8, 9, 14, 40] {
            let cut = (0..2_000).filter(|_| two(&(0..n).map(|_| draws.normal()).collect::<Vec<_>>()).is_some()).count();
            assert!(cut <= 8, "{cut} of 2000 series of {n} normal values are cut, two are expected");
        }
        let mut values: Vec<f64> = (0..12).map(|_| 100.0 + draws.normal()).collect();
        values[3] = 50.0;
        assert_eq!(two(&values), None);
    }
}
