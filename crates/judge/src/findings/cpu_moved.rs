//! An operation of one cell takes more of the server's CPU time than the same operation of another, and profiles of
//! both say in which functions. It needs no guess at a cause: functions are compared one by one, those that differ by
//! more than chance are named, with how much of the whole difference they cover and what they have in common. It tells
//! where, and a reader who knows the two builds tells why; so it is no more than consistent with the difference,
//! however much it covers. Cells that are the same (the A/A arm) are compared as well, and must show nothing.

use super::frame::borne::profiled;
use super::frame::finding::{Case, Cause, Necessary, Place, Scene, Time, name};
use crate::compare::functions::{LEAST, diff};
use crate::frame::{CellEvidence, pairs};
use model::experiment::keys::{self, Effect};
use model::functions::{FunctionDiff, MovedFunction, Spent, is_one};
use model::units::{Share, round3};
use std::collections::BTreeMap;

const SUBSYSTEMS: &str = include_str!("subsystems.txt");
/// Functions that a sentence names, and subsystems.
const NAMED: usize = 5;
const IN_COMMON: usize = 3;

pub const CAUSE: Cause = Cause {
    id: "cpu_moved",
    symptom: || {
        format!(
            "profiles of both cells differ in the server's CPU time per operation, or in a function's, by more than chance and at \
             least {} of the operation",
            Share(LEAST)
        )
    },
    necessary: || "three profile runs of each (`[repeat] profiles = 3`), and the same work asked for".into(),
    test: || "the differences of the functions that surely differ themselves, added up, ÷ that of the operation".into(),
    intervention: || "a build with that change alone, or a setting that keeps the functions from being entered".into(),
    source: include_str!("cpu_moved.rs"),
    indicator: None,
    within: &[],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    let usable = |c: &CellEvidence| scene.cells().any(|cell| cell.cell.id == c.cell.id);
    let twins = pairs::twins(scene.evidence).into_iter().filter(|p| usable(p.base));
    let pairs = pairs::all(scene.evidence).into_iter().filter(|p| usable(p.base) && usable(p.candidate));
    // Another parameter is other work because it was asked for, and more users queue.
    let is_work =
        |axis: &str| [Effect::Operation, Effect::Rows].into_iter().any(|effect| keys::can_change(axis, effect));
    let same_work = pairs.filter(|p| !is_work(p.axis) && !keys::only_presses(p.axis));
    same_work.chain(twins).filter_map(|p| case(p.base, p.candidate)).collect()
}

fn case(base: &CellEvidence, candidate: &CellEvidence) -> Option<Case> {
    let diff = diff(&profiled(base, Spent::OnCpu)?, &profiled(candidate, Spent::OnCpu)?);
    let sure: Vec<&MovedFunction> = diff.functions.iter().filter(|f| f.own.is_significant).collect();
    if sure.is_empty() {
        return None;
    }
    let moved = &diff.operation;
    let symptom = format!(
        "An operation of {} takes {} µs of the server's CPU time, and {} in {} ({}).",
        name(candidate),
        round3(moved.candidate),
        round3(moved.base),
        base.cell.id,
        interval(&moved.difference),
    );
    Some(Case {
        place: Place { cell: candidate.cell.id.clone(), time: Time::Loss(base.cell.id.clone()) },
        evidence: [base, candidate].map(|c| c.cell.id.to_string()).to_vec(),
        ..Case::of(candidate, symptom, Necessary::Present(told(&diff, &sure)))
    })
}

/// The functions, how much they cover, what they have in common.
fn told(diff: &FunctionDiff, sure: &[&MovedFunction]) -> String {
    let one = |f: &&MovedFunction| format!("`{}` {} µs", f.name, signed(f.own.difference.value));
    let named: Vec<String> = sure.iter().take(NAMED).map(one).collect();
    let more = sure.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let sum: f64 = sure.iter().map(|f| f.own.difference.value).sum();
    let whole = &diff.operation.difference;
    let cover = if diff.operation.is_significant {
        format!("; together {} µs, {} of the difference", signed(sum), Share(sum / whole.value))
    } else {
        format!("; together {} µs, while the whole operation does not surely differ", signed(sum))
    };
    let (base, candidate) = (&diff.base, &diff.candidate);
    let blind = |of: fn(&model::functions::Sampled) -> Share| Share(of(base).0.max(of(candidate).0));
    format!(
        "The profiles of both ({} and {} runs) name {}{more}{cover}.{} Of the samples {} were not unwound and {} not named.",
        base.runs,
        candidate.runs,
        named.join(", "),
        in_common(sure),
        blind(|sampled| sampled.not_unwound),
        blind(|sampled| sampled.not_named),
    )
}

/// The subsystems in which most of it lies.
fn in_common(sure: &[&MovedFunction]) -> String {
    let mut by_subsystem: BTreeMap<&str, f64> = BTreeMap::new();
    for function in sure {
        if let Some(subsystem) = subsystem(&function.name) {
            *by_subsystem.entry(subsystem).or_default() += function.own.difference.value;
        }
    }
    let mut sums: Vec<(&str, f64)> = by_subsystem.into_iter().collect();
    sums.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let told: Vec<String> =
        sums.into_iter().take(IN_COMMON).map(|(name, us)| format!("{name} {} µs", signed(us))).collect();
    if told.is_empty() { String::new() } else { format!(" By subsystem: {}.", told.join(", ")) }
}

/// Columns of the file: the name ends where two blanks are.
fn subsystem(function: &str) -> Option<&'static str> {
    let lines = SUBSYSTEMS.lines().filter(|line| !line.starts_with('#'));
    let of = |line: &'static str| {
        let (name, patterns) = line.split_once("  ")?;
        is_one(function, &patterns.split_whitespace().collect::<Vec<_>>()).then_some(name)
    };
    lines.filter_map(of).next()
}

fn signed(value: f64) -> String {
    format!("{}{}", if value < 0.0 { "−" } else { "+" }, round3(value.abs()))
}

fn interval(difference: &model::Estimate) -> String {
    match (difference.low, difference.high) {
        (Some(low), Some(high)) => format!("{} to {} µs", signed(low), signed(high)),
        (Some(_) | None, Some(_) | None) => format!("{} µs", signed(difference.value)),
    }
}

#[cfg(test)]
mod tests {
    use super::subsystem;

    #[test]
    fn functions_are_of_the_first_subsystem_that_knows_them() {
        for (function, wanted) in [
            ("row_search_mvcc", Some("InnoDB's search for rows")),
            ("my_strnncollsp_utf8mb4_general_ci", Some("collations")),
            ("my_charpos_mb", Some("collations")),
            ("copy_to_user_[k]", Some("the kernel")),
            ("__tz_convert", Some("the conversion of time")),
            ("burn", None),
        ] {
            assert_eq!(subsystem(function), wanted);
        }
    }
}
