//! How many times one server is as fast as another. Runs of one block are neighbours in time, so where both arms have a
//! run in the same blocks their ratios are taken block by block and what drifts over hours cancels. Otherwise Fieller's
//! interval for the ratio of two means, as in Kalibera and Jones (2013, section 7).

use super::{FEWEST, Interval, average, mean, student, variance};

/// Candidate over base, of pairs (base, candidate) from the same block: Student on the log ratios.
pub fn paired(pairs: &[(f64, f64)]) -> Option<Interval> {
    let ratios: Vec<f64> = pairs.iter().map(|(base, candidate)| candidate / base).collect();
    mean::of_logs(&ratios)
}

/// Candidate over base of independent runs. `None` as well where the base may be zero for all one knows.
pub fn fieller(base: &[f64], candidate: &[f64]) -> Option<Interval> {
    if base.len().min(candidate.len()) < FEWEST {
        return None;
    }
    let square = |values: &[f64]| student::factor(values.len()).powi(2) * variance(values) / values.len() as f64;
    let (a, b) = (average(base), average(candidate));
    let (below, above) = (a * a - square(base), b * b - square(candidate));
    if below <= 0.0 {
        return None;
    }
    let root = ((a * b).powi(2) - below * above).max(0.0).sqrt();
    Some(Interval { value: b / a, low: (a * b - root) / below, high: (a * b + root) / below })
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
    fn intervals_are_those_of_the_formulas_in_scipy() {
        // exp of scipy.stats.t.interval(0.95, 3, loc=d.mean(), scale=sem(d)) with d = log(b / a)
        let pairs = [(100.0, 90.0), (104.0, 95.0), (98.0, 86.0), (101.0, 92.0)];
        near(paired(&pairs).unwrap(), (0.9003635422793732, 0.8745510275509809, 0.9269379175460456));
        // h² = (scipy.stats.t.ppf(0.975, n - 1) * sem)² per arm, put into Fieller's formula
        let (base, candidate) = ([100.0, 104.0, 98.0, 101.0], [90.0, 95.0, 86.0, 92.0, 93.0]);
        near(fieller(&base, &candidate).unwrap(), (0.905210918114144, 0.8512952798148117, 0.9619534500493544));
    }
}
