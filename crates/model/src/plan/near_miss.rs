//! What check `parameters_agree` warns of, before anything runs: seed 0's missing zero. Two workloads of one family
//! that differ in a numeric work parameter by a factor of ten or a hundred, or by one digit, while the parameter is no
//! axis, are more often a slip than a wish. It warns and never refuses.

use crate::experiment::Experiment;
use crate::load::Group;
use crate::value::Value;
use crate::words::{Class, Kind, Name, Parameter, Words, WorkloadWords};
use std::collections::{BTreeMap, BTreeSet};

/// Where a parameter may stand: a workload that runs, or a group with parameters of its own.
struct Place<'a> {
    name: String,
    words: &'a WorkloadWords,
    own: Option<&'a BTreeMap<String, Value>>,
}

fn places<'a>(experiment: &'a Experiment, words: &'a Words) -> Vec<Place<'a>> {
    let of_all = |w: &'a WorkloadWords| Place { name: w.name.to_string(), words: w, own: None };
    let of_group = |g: &'a Group| Place {
        name: format!("{} of {}", g.work.workload, g.name),
        words: words.workload(&g.work.workload),
        own: Some(&g.work.parameters),
    };
    match experiment.groups.as_slice() {
        [] => experiment.running(words).into_iter().map(of_all).collect(),
        groups => groups.iter().map(of_group).collect(),
    }
}

pub(super) fn warnings(experiment: &Experiment, words: &Words) -> Vec<String> {
    let running = places(experiment, words);
    let families: BTreeSet<_> = running.iter().map(|p| p.words.family()).collect();
    let mut warnings = Vec::new();
    for family in families {
        let siblings: Vec<_> = running.iter().filter(|p| p.words.family() == family).collect();
        for parameter in siblings
            .iter()
            .flat_map(|p| &p.words.parameters)
            .filter(|p| is_numeric_work(p))
            .map(|p| &p.name)
            .collect::<BTreeSet<_>>()
        {
            if experiment.axes.iter().all(|a| a.key.rsplit('.').next() != Some(&**parameter)) {
                warnings.extend(of_parameter(parameter, &stands(experiment, parameter, &siblings)));
            }
        }
    }
    warnings
}

fn is_numeric_work(parameter: &Parameter<Name>) -> bool {
    parameter.class == Class::Work && matches!(parameter.kind, Kind::Count { .. } | Kind::Real { .. })
}

/// One value of a parameter and where it stands.
struct Stand<'a> {
    value: Value,
    places: Vec<&'a str>,
    /// Somebody wrote it; otherwise it is the default of all of them.
    written: bool,
}

fn stands<'a>(experiment: &Experiment, parameter: &str, siblings: &[&'a Place<'_>]) -> Vec<Stand<'a>> {
    let mut stands: Vec<Stand> = Vec::new();
    for Place { name, words, own } in siblings {
        let own = own.and_then(|own| own.get(parameter));
        let written = own.or_else(|| experiment.written(words, parameter)).cloned();
        let default = || words.parameters.iter().find(|p| p.name == parameter)?.default.as_ref().map(|d| d.value());
        let is_written = written.is_some();
        let Some(value) = written.or_else(default) else { continue };
        match stands.iter_mut().find(|s| s.value == value) {
            Some(stand) => {
                stand.places.push(name);
                stand.written |= is_written;
            }
            None => stands.push(Stand { value, places: vec![name], written: is_written }),
        }
    }
    stands
}

fn of_parameter(name: &str, stands: &[Stand]) -> Vec<String> {
    let pairs = stands.iter().enumerate().flat_map(|(i, one)| stands[i + 1..].iter().map(move |other| (one, other)));
    pairs
        .filter(|(one, other)| one.written || other.written)
        .filter_map(|(one, other)| sentence(name, one, other))
        .collect()
}

fn sentence(name: &str, one: &Stand, other: &Stand) -> Option<String> {
    let slip = slip(&one.value, &other.value)?;
    let place =
        |s: &Stand| format!("{}{} in {}", s.value, if s.written { "" } else { " by default" }, s.places.join(", "));
    Some(format!(
        "{name} is {} and {}: {slip}, and it is not an axis. If both are meant, write [axes] {name} = [{}, {}]; otherwise give both the same value.",
        place(one),
        place(other),
        one.value,
        other.value
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
    let one_digit_more = short.len() >= 2
        && long.len() == short.len() + 1
        && (0..long.len()).any(|i| format!("{}{}", &long[..i], &long[i + 1..]) == short);
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
