//! The binomial distribution: how many of n samples fall below a quantile by chance alone.

use statrs::distribution::{Binomial, DiscreteCDF};

/// P(X ≤ k) for n trials of probability p.
pub fn cdf(k: u64, n: u64, p: f64) -> f64 {
    Binomial::new(p, n).expect("a probability").cdf(k)
}

#[cfg(test)]
mod tests {
    use super::cdf;

    #[test]
    fn it_is_scipys() {
        // scipy.stats.binom.cdf(k, n, p)
        for (k, n, p, golden) in [
            (0, 10, 0.1, 0.34867844009999993),
            (3, 10, 0.5, 0.171875),
            (357, 368, 0.99, 0.0014094716273672812),
            (367, 368, 0.99, 0.9752399446099064),
            (9990, 10_000, 0.999, 0.5421328760209828),
            (10, 10, 0.3, 1.0),
        ] {
            assert!((cdf(k, n, p) - golden).abs() < 1e-10, "P(X <= {k}; {n}, {p}) = {}", cdf(k, n, p));
        }
    }
}
