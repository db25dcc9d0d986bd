//! The few methods of statistics that a claim about servers needs, one per file, each with the source of its formula.
//! Repetitions are the unit of claims about systems: seconds within a run resemble each other, and what is said of them
//! (`steady`, `change`) is about that one run or series. Golden values in the tests come from SciPy 1.17.1 and stand
//! beside the expression that gave them. What the intervals are worth is simulated: `docs/statistics.md`.

pub mod binomial;
pub mod bootstrap;
pub mod change;
pub mod draws;
pub mod effective;
pub mod levels;
pub mod many;
pub mod mean;
pub mod modes;
pub mod normal;
pub mod order;
pub mod percentile;
pub mod prior;
pub mod ratio;
pub mod selection;
pub mod steady;
pub mod step;
pub mod student;
pub mod trend;
pub mod usl;

/// Confidence of every interval that is printed.
pub const CONFIDENCE: f64 = 0.95;

/// Fewer repetitions than this give a point and no interval: with two, Student's factor is 12.7, and the interval would
/// say nothing but that there were two.
pub const FEWEST: usize = 3;

/// A value and its two-sided interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

pub fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sample variance, with n − 1.
pub fn variance(values: &[f64]) -> f64 {
    let centre = average(values);
    values.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

/// The median of the values, which lose their order.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    quantile(values, 0.5)
}

/// The quantile of ascending values, between neighbours on the line (type 7 of Hyndman and Fan).
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() as f64 - 1.0);
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// Median absolute deviation from the median, as the standard deviation of a normal distribution with as much.
pub fn robust_deviation(values: &[f64]) -> f64 {
    let centre = median(&mut values.to_vec());
    1.4826 * median(&mut values.iter().map(|x| (x - centre).abs()).collect::<Vec<_>>())
}

/// Coefficient of variation: sample standard deviation over mean.
pub fn variation(values: &[f64]) -> f64 {
    variance(values).sqrt() / average(values)
}
