//! What choosing the best costs in truth: the best of twenty runs of one server looks faster than the server is, by the
//! largest of twenty errors. Whoever shows the best of several, or tunes until it is best, subtracts this (Mytkowicz'
//! and others' pitfall; check `labels_are_true`) or measures the chosen one again.

use super::normal;

/// Expected largest of `n` standard normal deviates, E = ∫ (1 − Φⁿ − (1 − Φ)ⁿ) over the positive half, by Simpson's
/// rule.
pub fn expected_maximum(n: u32) -> f64 {
    /// Where even the largest of 10⁹ has no probability left worth a digit.
    const END: f64 = 10.0;
    const STEPS: u32 = 2_000;
    let missing = |z: f64| {
        let below = normal::cdf(z);
        1.0 - below.powi(n as i32) - (1.0 - below).powi(n as i32)
    };
    let step = END / f64::from(STEPS);
    let weight = |i: u32| if i == 0 || i == STEPS { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
    (0..=STEPS).map(|i| weight(i) * missing(f64::from(i) * step)).sum::<f64>() * step / 3.0
}

/// The share by which the best of `n` equal candidates looks better than each is, when their measured values spread by
/// this coefficient of variation.
pub fn flattery(n: u32, variation: f64) -> f64 {
    expected_maximum(n) * variation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_maximum_is_the_tabulated_one() {
        // Exact: 0, 1/√π, 3/(2√π); then Harter (1961), expected values of normal order statistics.
        let exact =
            [(1, 0.0), (2, 0.564_189_583_5), (3, 0.846_284_375_3), (5, 1.162_96), (10, 1.538_75), (100, 2.507_59)];
        for (n, golden) in exact {
            assert!((expected_maximum(n) - golden).abs() < 1e-5, "{n}: {}", expected_maximum(n));
        }
        assert!((flattery(20, 0.03) - 0.056_02).abs() < 1e-4, "{}", flattery(20, 0.03));
    }
}
