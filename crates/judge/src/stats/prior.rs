//! What the other comparisons of a report know about the noise of one. Three repetitions tell a variance with two
//! degrees of freedom, which is next to nothing; twenty comparisons measured side by side tell it together. Smyth's
//! empirical Bayes (2004, "Linear models and empirical Bayes methods", as in limma): how differently the variances turn
//! out says how much they have in common, and each is drawn towards the middle by that much. Where cells differ in
//! noise, little is borrowed.

use super::ratio::Ratio;
use super::{average, median, variance};

/// Fewer do not tell how much they have in common.
pub const FEWEST_COMPARISONS: usize = 4;
/// Variances far below the middle one count as this share of it: a cell without any noise is an accident of three runs.
const LEAST: f64 = 1e-4;

/// The variance in common, and the degrees of freedom that it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    pub variance: f64,
    pub freedom: f64,
}

impl Prior {
    pub fn of(ratios: &[Ratio]) -> Option<Self> {
        if ratios.len() < FEWEST_COMPARISONS {
            return None;
        }
        let middle = median(&mut ratios.iter().map(|r| r.variance).collect::<Vec<_>>());
        if middle <= 0.0 {
            return None;
        }
        let off = |r: &Ratio| r.variance.max(LEAST * middle).ln() - digamma(r.freedom / 2.0) + (r.freedom / 2.0).ln();
        let off: Vec<f64> = ratios.iter().map(off).collect();
        let by_chance = average(&ratios.iter().map(|r| trigamma(r.freedom / 2.0)).collect::<Vec<_>>());
        // No more than what was measured: that they agree does not make them certain.
        let most = ratios.iter().map(|r| r.freedom).sum::<f64>();
        let freedom = 2.0 * trigamma_inverse(variance(&off) - by_chance).min(most / 2.0);
        Some(Self { variance: (average(&off) + digamma(freedom / 2.0) - (freedom / 2.0).ln()).exp(), freedom })
    }
}

impl Ratio {
    /// The same, knowing what others know of its noise.
    #[must_use]
    pub fn knowing(&self, prior: &Prior) -> Self {
        let freedom = self.freedom + prior.freedom;
        let variance = (self.freedom * self.variance + prior.freedom * prior.variance) / freedom;
        Self { variance, freedom, ..*self }
    }
}

/// Where the asymptotic series of both functions are good to twelve digits.
const LARGE: f64 = 12.0;

/// Derivative of ln Γ.
fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < LARGE {
        below -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    below + x.ln() - 0.5 / x - square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0))
}

/// Its derivative.
fn trigamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < LARGE {
        below += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    below + 1.0 / x + square / 2.0 + square / x * (1.0 / 6.0 - square * (1.0 / 30.0 - square / 42.0))
}

/// Where trigamma is `y`, by bisection; infinite where nothing is left to explain.
fn trigamma_inverse(y: f64) -> f64 {
    /// Trigamma of it is 10⁻⁶: variances that agree this well.
    const MOST: f64 = 1e6;
    if y <= trigamma(MOST) {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (1e-3, MOST);
    while high / low > 1.0 + 1e-12 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > y { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(variances: &[f64]) -> Vec<Ratio> {
        variances.iter().map(|v| Ratio { log: 0.0, variance: *v, freedom: 2.0, n: 3 }).collect()
    }

    #[test]
    fn it_is_the_prior_that_the_formula_gives_in_scipy() {
        // With df = 2: e = log(s2) - digamma(df/2) + log(df/2); polygamma(1, d0/2) = e.var(ddof=1) - polygamma(1,
        // df/2); s0 = exp(e.mean() + digamma(d0/2) - log(d0/2))
        let prior = Prior::of(&ratios(&[1e-4, 4e-4, 2.5e-4, 9e-4, 1e-6, 2e-4, 5e-3, 3e-4])).unwrap();
        assert!((prior.freedom / 1.0793410853735363 - 1.0).abs() < 1e-6, "{prior:?}");
        assert!((prior.variance / 0.00011204929366385945 - 1.0).abs() < 1e-6, "{prior:?}");
        // scipy.special.digamma and polygamma(1, ·)
        for (x, first, second) in [
            (0.5, -1.9635100260214235, 4.934802200544679),
            (1.0, -0.5772156649015329, 1.6449340668482266),
            (10.0, 2.251752589066721, 0.10516633568168575),
        ] {
            assert!((digamma(x) - first).abs() < 1e-11 && (trigamma(x) - second).abs() < 1e-11, "{x}");
            assert!((trigamma_inverse(second) / x - 1.0).abs() < 1e-8);
        }
    }

    #[test]
    fn equal_variances_share_all_they_have_and_a_few_share_nothing() {
        let prior = Prior::of(&ratios(&[2e-4; 6])).unwrap();
        assert_eq!(prior.freedom, 12.0);
        assert_eq!((Prior::of(&ratios(&[2e-4; 3])), Prior::of(&ratios(&[0.0; 9]))), (None, None));
    }
}
