//! Where a percentile of everything that could have been measured lies, given what was: between two order statistics,
//! whatever the distribution (Hahn and Meeker, 5.2). Near the end of few samples there is no upper bound at all, and
//! that is the honest answer to "p99 of 71 requests".

use super::{CONFIDENCE, binomial};

/// With as many samples beyond the quantile on either side, the normal distribution gives the ranks to a thousandth.
const MANY: f64 = 1_000.0;
/// Its quantile at 97.5 %.
const NORMAL: f64 = 1.959_963_985;

/// 1-based ranks of the order statistics that bound quantile `q` of `n` independent samples; `None` where the samples
/// do not reach far enough.
pub fn ranks(n: u64, q: f64) -> (Option<u64>, Option<u64>) {
    let tail = (1.0 - CONFIDENCE) / 2.0;
    if n as f64 * q.min(1.0 - q) > MANY {
        let half = NORMAL * (n as f64 * q * (1.0 - q)).sqrt();
        let at = |rank: f64| Some(rank.clamp(1.0, n as f64) as u64);
        return (at((n as f64 * q - half).floor()), at((n as f64 * q + half).ceil() + 1.0));
    }
    // The smallest rank in 1..=n + 1 that is certainly above the quantile, and the largest in 0..=n that is below it.
    let above = first(1, n + 1, |u| 1.0 - binomial::cdf(u - 1, n, q) <= tail);
    let below = first(1, n + 1, |l| l > n || binomial::cdf(l - 1, n, q) > tail) - 1;
    ((below > 0).then_some(below), (above <= n && 1.0 - binomial::cdf(above - 1, n, q) <= tail).then_some(above))
}

/// The first of `from..=to` that holds, where holding is monotonous and assumed of `to`.
fn first(mut from: u64, mut to: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) { to = middle } else { from = middle + 1 }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::{binomial, ranks};

    #[test]
    fn ranks_are_those_that_scipys_binomial_gives() {
        // max l with scipy.stats.binom.cdf(l - 1, n, q) <= 0.025, min u with scipy.stats.binom.sf(u - 1, n, q) <= 0.025
        assert_eq!(ranks(100, 0.5), (Some(40), Some(61)));
        assert_eq!(ranks(1000, 0.95), (Some(936), Some(964)));
        assert_eq!(ranks(368, 0.99), (Some(360), Some(368)));
    }

    #[test]
    fn where_the_normal_distribution_takes_over_the_ranks_are_as_sure() {
        let (n, q) = (400_000, 0.99);
        let (low, high) = ranks(n, q);
        let (below, above) = (binomial::cdf(low.unwrap() - 1, n, q), 1.0 - binomial::cdf(high.unwrap() - 1, n, q));
        assert!((0.023..0.0255).contains(&below) && (0.023..0.0255).contains(&above), "{below} {above}");
    }

    #[test]
    fn a_high_percentile_of_few_samples_has_no_upper_bound() {
        assert_eq!((ranks(35, 0.9).1, ranks(36, 0.9).1), (None, Some(36)));
        assert_eq!(ranks(367, 0.99), (Some(359), None));
    }
}
