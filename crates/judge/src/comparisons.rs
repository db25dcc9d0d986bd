//! Cells side by side: each value of an axis against the first, all else equal, on statements per second. The ratio is taken
//! block by block where both have a run in the same blocks. Inside the margin both ways is *equivalent*, an interval on one side of
//! one is *better* or *worse*, anything else *undecided*; a check that forbids the comparison *refuses* it. Numbers of
//! users are not compared with each other: that is scaling, and has its own sentence.

use crate::drift::{self, Class};
use crate::evidence::{CellEvidence, Evidence};
use crate::pairs::{self, Pair};
use crate::stats::{Interval, average, ratio, variation};
use model::estimate::{Comparison, Estimate, Outcome};
use model::judgement::CellJudgement;
use model::plan::CellId;
use model::search::Goal;
use model::units::{Share, round3};
use model::verdict::Status;
use std::collections::{BTreeMap, BTreeSet};

/// Differences smaller than this are nobody's reason to change a server.
pub const MARGIN: Share = Share(0.02);
/// A cell that spreads more than this (N1) …
const NOISY: Share = Share(0.10);
/// … says nothing about differences smaller than that.
const CLAIMABLE: Share = Share(0.20);

/// What searches for a rate are compared by: the rate that they found.
pub const KNEE: &str = "knee_rate";

/// The axis that is drawn as a curve and not compared.
const CURVE: &str = "users";

pub fn all(evidence: &Evidence, cells: &[CellJudgement]) -> Vec<Comparison> {
    let failed = |c: &CellJudgement| {
        Some((c.id.clone(), c.verdicts.iter().find(|v| v.counts_as() == Status::Fail)?.check.clone()))
    };
    let failed: BTreeMap<CellId, String> = cells.iter().filter_map(failed).collect();
    let pairs = pairs::all(evidence).into_iter().filter(|p| p.axis.rsplit('.').next() != Some(CURVE));
    pairs.filter_map(|pair| one(&pair, &failed)).collect()
}

fn one(pair: &Pair, failed: &BTreeMap<CellId, String>) -> Option<Comparison> {
    let ratio = ratio(pair.base, pair.candidate)?;
    let (outcome, why) = outcome(pair, &ratio, failed);
    Some(Comparison {
        metric: if knees(pair.base, pair.candidate).is_some() { KNEE } else { "qps" }.into(),
        base: pair.base.cell.id.to_string(),
        candidate: pair.candidate.cell.id.to_string(),
        axis: pair.axis.into(),
        sentence: sentence(pair, &ratio, outcome, &why),
        ratio,
        outcome,
    })
}

/// Candidate over base in statements per second; `None` where one of them has no rate.
pub fn ratio(base: &CellEvidence, candidate: &CellEvidence) -> Option<Estimate> {
    if let Some((base, candidate)) = knees(base, candidate) {
        return of_answers(base, candidate);
    }
    let rates = |cell: &CellEvidence| cell.runs.iter().map(|r| (r.run.block, r.qps())).collect::<BTreeMap<u32, f64>>();
    let (base, candidate) = (rates(base), rates(candidate));
    if base.is_empty() || candidate.is_empty() || base.values().chain(candidate.values()).any(|rate| *rate <= 0.0) {
        return None;
    }
    let blocks = |rates: &BTreeMap<u32, f64>| rates.keys().copied().collect::<BTreeSet<_>>();
    let values = |rates: &BTreeMap<u32, f64>| rates.values().copied().collect::<Vec<_>>();
    let interval: Option<Interval> = if blocks(&base) == blocks(&candidate) {
        ratio::paired(&base.values().copied().zip(candidate.values().copied()).collect::<Vec<_>>())
    } else {
        ratio::fieller(&values(&base), &values(&candidate))
    };
    let point = average(&values(&candidate)) / average(&values(&base));
    Some(Estimate {
        value: interval.map_or(point, |i| i.value),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        n: base.len().min(candidate.len()) as u32,
        unit: "ratio".into(),
    })
}

/// The rates that both searched for and found.
fn knees<'a>(base: &'a CellEvidence, candidate: &'a CellEvidence) -> Option<(&'a Estimate, &'a Estimate)> {
    let knee = |cell: &'a CellEvidence| {
        let search = cell.search.as_ref().filter(|s| matches!(s.search.goal, Goal::Rate { .. }))?;
        search.answer.as_ref()
    };
    knee(base).zip(knee(candidate))
}

/// Of two estimates that know nothing of each other: half-widths on the log scale add as squares.
fn of_answers(base: &Estimate, candidate: &Estimate) -> Option<Estimate> {
    let half = |e: &Estimate| Some((e.high? / e.low?).ln() / 2.0);
    let value = candidate.value / base.value;
    let factor = half(base)?.hypot(half(candidate)?).exp();
    let (low, high, n) = (Some(value / factor), Some(value * factor), base.n.min(candidate.n));
    Some(Estimate { value, low, high, n, unit: "ratio".into() })
}

/// With the reason, where there is one to give. `failed` names a check for each cell that failed one.
fn outcome(pair: &Pair, ratio: &Estimate, failed: &BTreeMap<CellId, String>) -> (Outcome, String) {
    let drifts = drift::between(pair.base, pair.candidate, pair.axis);
    if let Some(drift) = drifts.iter().find(|d| d.class == Class::Work) {
        let slip = drift::slip(drift).map_or(String::new(), |s| format!(" {s}"));
        return (
            Outcome::Refused,
            format!("`{}` is {} in one and {} in the other.{slip}", drift.key, drift.base, drift.candidate),
        );
    }
    let cells = [&pair.base.cell.id, &pair.candidate.cell.id];
    if let Some((cell, check)) = cells.into_iter().find_map(|id| Some((id, failed.get(id)?))) {
        return (Outcome::Refused, format!("{check} failed on {cell}."));
    }
    let (Some(low), Some(high)) = (ratio.low, ratio.high) else {
        return (Outcome::Undecided, format!("n = {} gives no interval.", ratio.n));
    };
    let noisy = [pair.base, pair.candidate]
        .into_iter()
        .any(|c| variation(&c.runs.iter().map(|r| r.qps()).collect::<Vec<_>>()) > NOISY.0);
    if (1.0 - MARGIN.0..=1.0 + MARGIN.0).contains(&low) && (1.0 - MARGIN.0..=1.0 + MARGIN.0).contains(&high) {
        (Outcome::Equivalent, String::new())
    } else if noisy && (ratio.value - 1.0).abs() < CLAIMABLE.0 {
        (
            Outcome::Undecided,
            format!("repetitions spread by more than {NOISY}, and the difference is below {CLAIMABLE}."),
        )
    } else if low > 1.0 {
        (Outcome::Better, String::new())
    } else if high < 1.0 {
        (Outcome::Worse, String::new())
    } else {
        (Outcome::Undecided, "the interval holds one; more repetitions would decide.".into())
    }
}

fn sentence(pair: &Pair, ratio: &Estimate, outcome: Outcome, why: &str) -> String {
    let value = |cell: &CellEvidence| name(pair.axis, &cell.cell.axes[pair.axis].to_string());
    let (base, candidate) = (value(pair.base), value(pair.candidate));
    let place = place(pair);
    let what = if knees(pair.base, pair.candidate).is_some() { "highest rate" } else { "QPS" };
    let at = if pair.axis == "workload" { place.clone() } else { format!(" in {place}") };
    let numbers = numbers(ratio);
    match outcome {
        // Another workload is other work: faster, perhaps, but nothing costs or gives.
        Outcome::Worse | Outcome::Better if pair.axis == "workload" => {
            format!("{candidate} answers {} times the statements of {base}{place} ({numbers}).", round3(ratio.value))
        }
        Outcome::Worse => {
            format!("{candidate} costs {place} {} of its {what} against {base} ({numbers}).", Share(1.0 - ratio.value))
        }
        Outcome::Better if ratio.value >= 2.0 => {
            format!("{candidate} gives {place} {} times the {what} of {base} ({numbers}).", round3(ratio.value))
        }
        Outcome::Better => {
            format!("{candidate} gives {place} {} more {what} than {base} ({numbers}).", Share(ratio.value - 1.0))
        }
        Outcome::Equivalent => format!("{candidate} and {base} have the same {what} within {MARGIN}{at} ({numbers})."),
        Outcome::Undecided => {
            format!("Whether {candidate} and {base} differ{at} is undecided ({numbers}): {why}")
        }
        Outcome::Refused => format!("{candidate} and {base} are not compared{at}: {why}"),
    }
}

/// A number alone says nothing: `range_size 10`, but `latin1`.
fn name(axis: &str, value: &str) -> String {
    let axis = axis.rsplit('.').next().unwrap_or(axis);
    if value.starts_with(|c: char| c.is_ascii_digit()) || value == "on" || value == "off" {
        format!("{axis} {value}")
    } else {
        value.into()
    }
}

/// The workload and the values on the other axes.
fn place(pair: &Pair) -> String {
    let cell = pair.base.cell;
    let others = cell.axes.iter().filter(|(key, _)| **key != pair.axis && *key != "workload");
    let others: Vec<String> = others
        .map(|(key, value)| if key == CURVE { cell.load.users.to_string() } else { name(key, &value.to_string()) })
        .collect();
    let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
    if pair.axis == "workload" { others } else { format!("{}{others}", cell.workload) }
}

fn numbers(ratio: &Estimate) -> String {
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!("ratio {:.2}, {low:.2}–{high:.2}, n={}", ratio.value, ratio.n),
        (None | Some(_), _) => format!("ratio {:.2}, n={}", ratio.value, ratio.n),
    }
}
