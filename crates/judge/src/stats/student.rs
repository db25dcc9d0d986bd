//! Student's t: how far the mean of a few repetitions may lie from the truth when their spread, too, is only estimated.

use statrs::distribution::{ContinuousCDF, StudentsT};

fn distribution(freedom: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, freedom).expect("degrees of freedom are positive")
}

/// P(T ≤ t) with that many degrees of freedom.
pub fn cdf(t: f64, freedom: f64) -> f64 {
    distribution(freedom).cdf(t)
}

/// The t below which a share `p` lies, for p above one half.
pub fn quantile(p: f64, freedom: f64) -> f64 {
    assert!((0.5..1.0).contains(&p) && freedom >= 1.0, "the upper half only");
    distribution(freedom).inverse_cdf(p)
}

/// The factor of a two-sided interval over `n` values at the printed confidence.
pub fn factor(n: usize) -> f64 {
    quantile(0.5 + crate::stats::CONFIDENCE / 2.0, n as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_scipys() {
        // scipy.stats.t.ppf(p, freedom)
        for (p, freedom, golden) in [
            (0.975, 1.0, 12.706204736174694),
            (0.975, 2.0, 4.302652729749462),
            (0.975, 4.0, 2.7764451051977934),
            (0.975, 9.0, 2.262157162798205),
            (0.975, 29.0, 2.045229642132703),
            (0.995, 2.0, 9.924843200918287),
            (0.95, 7.0, 1.8945786050900062),
            (0.975, 1000.0, 1.9623390808264083),
        ] {
            assert!((quantile(p, freedom) / golden - 1.0).abs() < 1e-9, "t({p}, {freedom}) = {}", quantile(p, freedom));
        }
    }
}
