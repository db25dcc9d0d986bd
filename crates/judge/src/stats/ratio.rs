//! How many times one server is as fast as another, on the log scale, where noise of servers is even: it multiplies.
//! Runs of one block are neighbours in time, so where both arms have a run in the same blocks their ratios are taken
//! block by block and what drifts over hours cancels. Otherwise Welch's interval for two means with variances of their
//! own. A ratio is a value with its error and degrees of freedom; interval, probability and the runs still needed all
//! follow from these.

use super::{CONFIDENCE, FEWEST, Interval, average, student, variance};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The ratio's logarithm.
    pub log: f64,
    /// The variance of the logarithm in one repetition: its error is the root of this over `n`.
    pub variance: f64,
    pub freedom: f64,
    /// Repetitions.
    pub n: usize,
}

/// Candidate over base, of pairs (base, candidate) from the same block: Student on the log ratios.
pub fn paired(pairs: &[(f64, f64)]) -> Option<Ratio> {
    if pairs.len() < FEWEST {
        return None;
    }
    let logs: Vec<f64> = pairs.iter().map(|(base, candidate)| (candidate / base).ln()).collect();
    Some(Ratio { log: average(&logs), variance: variance(&logs), freedom: logs.len() as f64 - 1.0, n: logs.len() })
}

/// Candidate over base of independent runs, of which each arm has a variance of its own (Welch and Satterthwaite).
pub fn unpaired(base: &[f64], candidate: &[f64]) -> Option<Ratio> {
    let n = base.len().min(candidate.len());
    if n < FEWEST {
        return None;
    }
    let logs = |values: &[f64]| values.iter().map(|x| x.ln()).collect::<Vec<_>>();
    let (a, b) = (logs(base), logs(candidate));
    let square = |logs: &[f64]| variance(logs) / logs.len() as f64;
    let (of_a, of_b) = (square(&a), square(&b));
    let share = |square: f64, logs: &[f64]| square * square / (logs.len() as f64 - 1.0);
    let freedom = (of_a + of_b).powi(2) / (share(of_a, &a) + share(of_b, &b));
    Some(Ratio {
        log: average(&b) - average(&a),
        variance: (of_a + of_b) * n as f64,
        // Arms without any noise have no share in it.
        freedom: if freedom.is_finite() { freedom } else { n as f64 - 1.0 },
        n,
    })
}

impl Ratio {
    pub fn value(&self) -> f64 {
        self.log.exp()
    }
    pub fn error(&self) -> f64 {
        (self.variance / self.n as f64).sqrt()
    }
    /// At the printed confidence.
    pub fn interval(&self) -> Interval {
        let half = student::quantile(0.5 + CONFIDENCE / 2.0, self.freedom) * self.error();
        Interval { value: self.value(), low: (self.log - half).exp(), high: (self.log + half).exp() }
    }
    /// The probability of a difference as large as this, either way, where there is none.
    pub fn chance(&self) -> f64 {
        2.0 * tail(self.log.abs(), self.error(), self.freedom)
    }
    /// The probability of a ratio as near to one as this where the two differ by the margin: that of both one-sided
    /// tests (Schuirmann 1987). Below it they are equivalent.
    pub fn chance_of_differing(&self, margin: f64) -> f64 {
        tail(margin.ln_1p() - self.log.abs(), self.error(), self.freedom)
    }
}

/// P(T > distance ÷ error).
fn tail(distance: f64, error: f64, freedom: f64) -> f64 {
    match (error > 0.0, distance > 0.0) {
        (true, _) => student::cdf(-distance / error, freedom),
        (false, true) => 0.0,
        (false, false) => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(i: Interval, (value, low, high): (f64, f64, f64)) {
        assert!(
            [(i.value, value), (i.low, low), (i.high, high)].iter().all(|(a, b)| (a / b - 1.0).abs() < 1e-9),
            "{i:?}"
        );
    }

    #[test]
    fn intervals_and_probabilities_are_scipys() {
        // With d = log(b / a): exp of scipy.stats.ttest_1samp(d, 0).confidence_interval(), and its pvalue; then with
        // m = log(1.15) the larger pvalue of ttest_1samp(d, -m, alternative="greater") and (d, m, alternative="less").
        let pairs = [(100.0, 90.0), (104.0, 95.0), (98.0, 86.0), (101.0, 92.0)];
        let ratio = paired(&pairs).unwrap();
        near(ratio.interval(), (0.9003635422793732, 0.8745510275509809, 0.9269379175460456));
        assert!((ratio.chance() / 0.0014176411833449296 - 1.0).abs() < 1e-9, "{}", ratio.chance());
        let differing = ratio.chance_of_differing(0.15);
        assert!((differing / 0.015915985702187028 - 1.0).abs() < 1e-9, "{differing}");
        // scipy.stats.ttest_ind(log(candidate), log(base), equal_var=False): exp of its interval, its pvalue, its df
        let (base, candidate) = ([100.0, 104.0, 98.0, 101.0], [90.0, 95.0, 86.0, 92.0, 93.0]);
        let ratio = unpaired(&base, &candidate).unwrap();
        near(ratio.interval(), (0.9049026732070876, 0.8608692687266191, 0.9511883833285841));
        assert!((ratio.chance() / 0.002_207_191_430_391_6 - 1.0).abs() < 1e-9, "{}", ratio.chance());
        assert!((ratio.freedom - 6.816958680265618).abs() < 1e-9, "{}", ratio.freedom);
    }

    #[test]
    fn without_noise_a_difference_is_certain_and_none_is_none() {
        let of = |candidate: f64| paired(&[(100.0, candidate); 3]).unwrap();
        assert_eq!((of(101.0).chance(), of(100.0).chance()), (0.0, 1.0));
        assert_eq!((of(101.0).chance_of_differing(0.02), of(103.0).chance_of_differing(0.02)), (0.0, 0.5));
        assert_eq!(unpaired(&[5.0; 3], &[5.0; 4]).unwrap().interval().low, 1.0);
        assert!(paired(&[(1.0, 1.0); 2]).is_none());
    }
}
