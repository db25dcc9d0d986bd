//! The few methods of statistics that a claim about servers needs, one per file, each with the source of its formula.
//! Repetitions are the unit: seconds within a run are not independent of each other and never enter here. Golden values
//! in the tests come from SciPy 1.17.1 and stand beside the expression that gave them.

pub mod beta;
pub mod binomial;
pub mod mean;
pub mod order;
pub mod ratio;
pub mod student;
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

/// Coefficient of variation: sample standard deviation over mean.
pub fn variation(values: &[f64]) -> f64 {
    variance(values).sqrt() / average(values)
}
