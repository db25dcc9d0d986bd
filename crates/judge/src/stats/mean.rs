//! The mean of repetitions and its interval. Rates and times multiply rather than add what disturbs them, so positive
//! values are averaged on the log scale: their mean is the geometric one, and the interval cannot reach below zero.

use super::{FEWEST, Interval, average, student, variance};

/// Student's interval on the plain scale; `None` for fewer than three values.
pub fn plain(values: &[f64]) -> Option<Interval> {
    if values.len() < FEWEST {
        return None;
    }
    let value = average(values);
    let half = student::factor(values.len()) * (variance(values) / values.len() as f64).sqrt();
    Some(Interval { value, low: value - half, high: value + half })
}

/// The same on the log scale: geometric mean and a factor to both sides.
pub fn of_logs(values: &[f64]) -> Option<Interval> {
    assert!(values.iter().all(|x| *x > 0.0), "logarithms of positive values only");
    let logs: Vec<f64> = values.iter().map(|x| x.ln()).collect();
    plain(&logs).map(|i| Interval { value: i.value.exp(), low: i.low.exp(), high: i.high.exp() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 5] = [101.0, 98.5, 103.2, 99.9, 100.4];

    #[test]
    fn intervals_are_scipys() {
        // scipy.stats.t.interval(0.95, 4, loc=x.mean(), scale=scipy.stats.sem(x)), then the same of numpy.log(x)
        let near = |i: Interval, (value, low, high): (f64, f64, f64)| {
            assert!(
                [(i.value, value), (i.low, low), (i.high, high)].iter().all(|(a, b)| (a / b - 1.0).abs() < 1e-9),
                "{i:?}"
            );
        };
        near(plain(&VALUES).unwrap(), (100.6, 98.46195698795584, 102.73804301204414));
        near(of_logs(&VALUES).unwrap(), (100.58826112068253, 98.47961963268862, 102.74205275183778));
        assert_eq!(plain(&VALUES[..2]), None);
    }
}
