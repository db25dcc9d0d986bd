//! Values of parameters as workloads take them. A plan has checked each against its kind and its bounds, so that what
//! is missing here is our own mistake.

use crate::Parameters;

const CHECKED: &str = "parameters were checked against their kinds";

/// A whole number of something.
pub fn count(parameters: &Parameters, name: &str) -> u64 {
    let count = parameters[name].count().expect(CHECKED);
    u64::try_from(count).expect("counts have lower bounds of zero or more")
}
pub fn real(parameters: &Parameters, name: &str) -> f64 {
    parameters[name].number().expect(CHECKED)
}
pub fn flag(parameters: &Parameters, name: &str) -> bool {
    parameters[name].flag().expect(CHECKED)
}
pub fn text<'a>(parameters: &'a Parameters, name: &str) -> &'a str {
    parameters[name].text().expect(CHECKED)
}
