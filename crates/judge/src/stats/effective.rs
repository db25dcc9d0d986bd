//! How many independent values a series is worth. Seconds of one run resemble their neighbours, so that 600 of them may
//! know no more than 40 would; the share is found by batch means: the variance of means over 2^k neighbours falls with
//! the length of the batch only as far as the batches are independent.

use super::{average, variance};

/// Batches that a variance needs at least.
const BATCHES: usize = 8;
/// Longer batches are looked at only while their factor still grows with them: it is then the series that resembles
/// itself and not the few batches that happen to differ.
const STILL_GROWING: f64 = 0.2;

/// How many values of the series tell as much as one independent value, at least 1: the largest 2^k·Var_k ÷ Var_0 over
/// batches of 2^k.
pub fn resemblance(series: &[f64]) -> f64 {
    let whole = variance(series);
    if series.len() < 2 * BATCHES || whole <= 0.0 {
        return 1.0;
    }
    let (mut most, mut length) = (1.0_f64, 2);
    while series.len() / length >= BATCHES {
        let means: Vec<f64> = series.chunks_exact(length).map(average).collect();
        let factor = length as f64 * variance(&means) / whole;
        if factor < STILL_GROWING * length as f64 {
            break;
        }
        most = most.max(factor);
        length *= 2;
    }
    most
}

/// The number of independent values that the series is worth.
pub fn size(series: &[f64]) -> f64 {
    series.len() as f64 / resemblance(series)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;
    use model::seed::Seed;

    fn autocorrelated(phi: f64, n: usize, seed: u64) -> Vec<f64> {
        let mut draws = Draws::of(Seed(seed));
        let mut last = 0.0;
        let mut next = || {
            last = phi * last + draws.normal();
            last
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn independent_values_count_each_and_those_that_resemble_their_neighbours_less() {
        let mean = |phi| average(&(0..40).map(|s| resemblance(&autocorrelated(phi, 600, s))).collect::<Vec<_>>());
        // (1 + φ) / (1 − φ) values of such a series are worth one, for long series.
        assert!((1.0..1.4).contains(&mean(0.0)), "{}", mean(0.0));
        assert!((2.3..3.5).contains(&mean(0.5)), "{}", mean(0.5));
        assert!((6.5..11.0).contains(&mean(0.8)), "{}", mean(0.8));
        assert_eq!(resemblance(&[3.0; 100]), 1.0);
        assert_eq!(size(&[1.0, 2.0]), 2.0);
    }
}
