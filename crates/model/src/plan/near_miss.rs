//! Check C1's lint before anything runs: seed 0's missing zero. Two workloads of one family that differ in a numeric work
//! parameter by a factor of ten or a hundred, or by one digit, while the parameter is no axis, are more often a slip than
//! a wish. It warns and never refuses.

use crate::experiment::Experiment;
use crate::value::Value;
use crate::words::{Class, Kind, WorkloadWords};

pub(super) fn warnings(experiment: &Experiment, running: &[&WorkloadWords]) -> Vec<String> {
    let mut warnings = Vec::new();
    for (i, one) in running.iter().enumerate() {
        for other in running[i + 1..].iter().filter(|o| o.family() == one.family()) {
            warnings.extend(between(experiment, one, other));
        }
    }
    warnings
}

fn between(experiment: &Experiment, one: &WorkloadWords, other: &WorkloadWords) -> Vec<String> {
    let numeric = |kind: Kind| matches!(kind, Kind::Count { .. } | Kind::Real { .. });
    let work = one.parameters.iter().filter(|p| p.class == Class::Work && numeric(p.kind));
    let not_axis = work.filter(|p| experiment.axes.iter().all(|a| a.key != p.name));
    not_axis
        .filter_map(|p| {
            let theirs = other.parameters.iter().find(|o| o.name == p.name)?;
            let a = (experiment.written(one, p.name), p.default.map(|d| d.value()));
            let b = (experiment.written(other, p.name), theirs.default.map(|d| d.value()));
            sentence(p.name, one.name, a, other.name, b)
        })
        .collect()
}

type Said<'a> = (Option<&'a Value>, Option<Value>);

fn sentence(name: &str, one: &str, a: Said<'_>, other: &str, b: Said<'_>) -> Option<String> {
    if a.0.is_none() && b.0.is_none() {
        return None;
    }
    let mark = |said: &Said<'_>| if said.0.is_none() { " by default" } else { "" };
    let (mark_a, mark_b) = (mark(&a), mark(&b));
    let (x, y) = (a.0.cloned().or(a.1)?, b.0.cloned().or(b.1)?);
    let slip = slip(&x, &y)?;
    Some(format!(
        "{name} is {x}{mark_a} in {one} and {y}{mark_b} in {other}: {slip}, and it is not an axis. If both are meant, write [axes] {name} = [{x}, {y}]; otherwise give both the same value."
    ))
}

/// How one number could have been mistyped for the other.
fn slip(a: &Value, b: &Value) -> Option<&'static str> {
    let (x, y) = (a.number()?, b.number()?);
    if x == y || x <= 0.0 || y <= 0.0 {
        return None;
    }
    let ratio = (x / y).max(y / x);
    if (ratio - 10.0).abs() < 1e-9 {
        return Some("they differ by exactly one zero");
    }
    if (ratio - 100.0).abs() < 1e-9 {
        return Some("they differ by exactly two zeros");
    }
    let (x, y) = (a.to_string(), b.to_string());
    let (short, long) = if x.len() < y.len() { (x, y) } else { (y, x) };
    // Two one-digit or two-digit numbers are near each other without anybody's slip.
    let one_digit_more = short.len() >= 2 && long.len() == short.len() + 1 && (0..long.len()).any(|i| format!("{}{}", &long[..i], &long[i + 1..]) == short);
    one_digit_more.then_some("one has a digit more than the other")
}

#[cfg(test)]
mod tests {
    use super::slip;
    use crate::value::Value;

    #[test]
    fn a_missing_zero_is_a_near_miss_and_a_plain_difference_is_not() {
        let near = |a: i64, b: i64| slip(&Value::Count(a), &Value::Count(b)).is_some();
        assert!(near(10, 100) && near(100, 1) && near(128, 1280) && near(1024, 124));
        assert!(!near(100, 100) && !near(100, 200) && !near(1, 2) && !near(0, 100) && !near(5, 15));
    }
}
