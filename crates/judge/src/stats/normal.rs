//! The normal distribution: the limit of sums of ranks, and of what the best of several tries may be.

/// P(Z ≤ z), by the series of Marsaglia (2004, "Evaluating the normal distribution").
pub fn cdf(z: f64) -> f64 {
    /// Beyond it the tail is below 10⁻²⁰, and the series loses digits.
    const FAR: f64 = 9.0;
    if z.abs() > FAR {
        return if z > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut sum, mut term, mut i) = (z, z, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        i += 2.0;
        term *= z * z / i;
        sum += term;
    }
    0.5 + sum * density(z)
}

pub fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_scipys() {
        // scipy.stats.norm.cdf(z)
        for (z, golden) in [
            (0.0, 0.5),
            (1.0, 0.8413447460685429),
            (-1.959963984540054, 0.025),
            (3.5, 0.9997673709209645),
            (-5.0, 2.866515718791933e-07),
        ] {
            assert!((cdf(z) - golden).abs() < 1e-14, "Φ({z}) = {}", cdf(z));
        }
        assert_eq!((cdf(-50.0), cdf(50.0)), (0.0, 1.0));
    }
}
