//! Student's t: how far the mean of a few repetitions may lie from the truth when their spread, too, is only estimated.

use super::beta::incomplete;

/// P(T ≤ t) with that many degrees of freedom: ½ I_{ν/(ν+t²)}(ν/2, ½) is the tail beyond |t|.
pub fn cdf(t: f64, freedom: f64) -> f64 {
    let tail = 0.5 * incomplete(freedom / 2.0, 0.5, freedom / (freedom + t * t));
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The t below which a share `p` lies, for p above one half: by bisection, because it is asked for once per estimate.
pub fn quantile(p: f64, freedom: f64) -> f64 {
    assert!((0.5..1.0).contains(&p) && freedom >= 1.0, "the upper half only");
    let mut high = 2.0;
    while cdf(high, freedom) < p {
        high *= 2.0;
    }
    let mut low = 0.0;
    while high - low > 1e-10 * high {
        let middle = 0.5 * (low + high);
        if cdf(middle, freedom) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
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
