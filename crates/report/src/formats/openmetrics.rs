//! OpenMetrics text: a gauge per metric, the axes of a cell as labels, the bounds of an interval as samples of their
//! own. A struck cell has no number here; that it was struck, and by what, is a gauge too.

use super::Handed;
use super::standing::{Place, moment, places};
use super::utc::utc;
use crate::axes;
use model::{Estimate, Plan};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const MILLIS: f64 = 1000.0;
/// Every name begins with it.
const PREFIX: &str = "assay_";
/// Labels of our own, which no axis may take.
const OURS: [&str; 6] = ["experiment", "cell", "workload", "phase", "estimate", "check"];

pub fn of(handed: &Handed) -> Result<String, String> {
    let places = places(handed);
    let at = moment(handed.record) as f64 / MILLIS;
    // A family stands in one piece, whichever places have it.
    let mut families: BTreeMap<&str, (String, String)> = BTreeMap::new();
    for place in &places {
        let labels = labels(&handed.record.plan, place);
        for number in place.standing() {
            let (help, samples) = families.entry(number.metric).or_default();
            *help = format!("{} ({})", number.metric, number.estimate.unit);
            for (which, value) in of_estimate(number.estimate) {
                line(samples, number.metric, &labels, Some(("estimate", which)), value, at);
            }
        }
        let mut marked = |family, help: &str, extra, told: bool| {
            let (of_family, samples) = families.entry(family).or_default();
            *of_family = help.to_string();
            if told {
                line(samples, family, &labels, extra, 1.0, at);
            }
        };
        let check = place.struck.map(|verdict| ("check", verdict.check.as_str()));
        marked("struck", "1 where a failed check strikes the numbers of a cell", check, check.is_some());
        let is_least = place.standing().iter().any(|number| number.is_least);
        marked("lower_bound", "1 where the client was in the way: rates are lower bounds", None, is_least);
    }
    let mut text = String::new();
    for (name, (help, samples)) in families.iter().filter(|(_, (_, samples))| !samples.is_empty()) {
        let name = identifier(name);
        write!(text, "# TYPE {PREFIX}{name} gauge\n# HELP {PREFIX}{name} {}\n{samples}", escaped(help)).expect(PUT);
    }
    Ok(format!("{text}# TYPE assay_record info\n{}# EOF\n", info(handed)))
}

const PUT: &str = "writing to a String cannot fail";

fn info(handed: &Handed) -> String {
    let plan = &handed.record.plan;
    let mut labels = vec![
        ("experiment".to_string(), plan.name.clone()),
        ("ended".to_string(), utc(moment(handed.record))),
        ("seed".to_string(), plan.seed.0.to_string()),
    ];
    let taken: BTreeSet<String> = labels.iter().map(|(name, _)| name.clone()).collect();
    let given = handed.attributes.iter().map(|(key, value)| (identifier(key), value.clone()));
    labels.extend(given.filter(|(name, _)| !taken.contains(name)));
    format!("assay_record_info{} 1\n", braced(&labels, None))
}

fn of_estimate(estimate: &Estimate) -> impl Iterator<Item = (&'static str, f64)> {
    let all = [("value", Some(estimate.value)), ("low", estimate.low), ("high", estimate.high)];
    all.into_iter().filter_map(|(which, value)| Some((which, value?))).chain([("n", f64::from(estimate.n))])
}

fn labels(plan: &Plan, place: &Place) -> Vec<(String, String)> {
    let mut labels = vec![
        ("experiment".to_string(), plan.name.clone()),
        ("cell".into(), place.cell.id.0.clone()),
        ("workload".into(), place.cell.workload.clone()),
    ];
    labels.extend(place.phase.map(|phase| ("phase".to_string(), phase.to_string())));
    for (key, value) in place.cell.axes.iter().filter(|(key, _)| *key != "workload") {
        let mut name = identifier(key);
        // Two keys may read alike once dots are gone.
        while OURS.contains(&name.as_str()) || labels.iter().any(|(taken, _)| *taken == name) {
            name += "_";
        }
        labels.push((name, axes::text(value)));
    }
    labels
}

fn line(
    text: &mut String,
    metric: &str,
    labels: &[(String, String)],
    extra: Option<(&str, &str)>,
    value: f64,
    at: f64,
) {
    writeln!(text, "{PREFIX}{}{} {value} {at}", identifier(metric), braced(labels, extra)).expect(PUT);
}

fn braced(labels: &[(String, String)], extra: Option<(&str, &str)>) -> String {
    let pairs = labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).chain(extra);
    let pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

/// Labels in their order, as they stand behind a name.
pub fn labelled(labels: &[(&str, &str)]) -> String {
    let pairs: Vec<(String, String)> = labels.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    braced(&pairs, None)
}

/// A name of letters, digits and underlines that begins with none of the digits.
fn identifier(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if plain.starts_with(|c: char| c.is_ascii_digit()) { format!("_{plain}") } else { plain }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
