//! Cells side by side: each value of an axis against the first, all else equal, on statements per second (`beside` has
//! what an operation costs). The ratio is taken block by block where both have a run in the same blocks. What it is
//! called is decided for all of them together (`decide`); a check that forbids the comparison *refuses* it. Numbers of
//! users are not compared with each other: that is scaling, and has its own sentence.

use super::decide::{self, Decision};
use super::drift::{self, Class};
use crate::frame::naming::value as name;
use crate::frame::{CellEvidence, Evidence, Pair, pairs};
use crate::stats::ratio::{self, Ratio};
use crate::stats::{FEWEST, Interval, average, bootstrap};
use model::experiment::keys::{USERS, WORKLOAD};
use model::search::Goal;
use model::units::round3;
use model::{CellId, CellJudgement, Comparison, Estimate, Outcome, Seed, Share};
use std::borrow::Cow;
use std::collections::BTreeMap;

pub use super::decide::MARGIN;
/// A cell that spreads more than this, beside the other side's runs of the same blocks, …
const NOISY: Share = Share(0.10);
/// … says nothing about differences smaller than that.
const CLAIMABLE: Share = Share(0.20);

pub use model::estimate::{KNEE, QPS};

/// The axis that is drawn as a curve and not compared.
pub(crate) const CURVE: &str = USERS;

pub fn all(evidence: &Evidence, cells: &[CellJudgement]) -> Vec<Comparison> {
    rates(&sides(evidence), evidence, &strikes(cells))
}

/// The cells that are laid side by side, phase by phase where there are several.
pub(super) fn sides<'a>(evidence: &'a Evidence<'a>) -> Vec<Side<'a>> {
    laid_beside(evidence).flat_map(by_phase).collect()
}

/// The cells alone.
pub(super) fn laid_beside<'a>(evidence: &'a Evidence<'a>) -> impl Iterator<Item = Pair<'a>> {
    pairs::all(evidence).into_iter().filter(|p| p.axis.rsplit('.').next() != Some(CURVE))
}

/// Which check strikes a cell, or a phase of it.
pub(super) fn strikes(cells: &[CellJudgement]) -> impl Fn(&CellId, Option<&str>) -> Option<String> {
    let judged: BTreeMap<&CellId, &CellJudgement> = cells.iter().map(|cell| (&cell.id, cell)).collect();
    move |id, phase| Some(judged.get(id)?.struck(phase)?.check.clone())
}

/// On statements per second, or on what searches found.
fn rates(sides: &[Side], evidence: &Evidence, failed: &Failed) -> Vec<Comparison> {
    let with = |s: &'_ Side| Some((ratio(&s.base, &s.candidate)?, of_runs(&s.base, &s.candidate)));
    let sides: Vec<(&Side, Estimate, Option<Ratio>)> =
        sides.iter().filter_map(|side| with(side).map(|(estimate, ratio)| (side, estimate, ratio))).collect();
    let ratios: Vec<Ratio> = sides.iter().filter_map(|(_, _, ratio)| *ratio).collect();
    let mut decisions = decide::all(&ratios, floor(evidence)).into_iter();
    let seed = evidence.record.plan.seed.child("bootstrap");
    let one = |(side, estimate, ratio): (&Side, Estimate, Option<Ratio>)| {
        let mut decision = ratio.and_then(|_| decisions.next());
        if let Some(decision) = &mut decision {
            decision.widen(drawn(&side.base, &side.candidate, seed));
        }
        let pair = Pair { axis: side.axis, base: &side.base, candidate: &side.candidate };
        one(&pair, side.phase, estimate, decision, failed)
    };
    sides.into_iter().map(one).collect()
}

/// The check that strikes a cell, or a phase of it.
pub(super) type Failed<'a> = dyn Fn(&CellId, Option<&str>) -> Option<String> + 'a;

/// Two cells, or one phase of each.
pub(super) struct Side<'a> {
    pub(super) axis: &'a str,
    pub(super) phase: Option<&'a str>,
    pub(super) base: Cow<'a, CellEvidence<'a>>,
    pub(super) candidate: Cow<'a, CellEvidence<'a>>,
}

/// Two cells whose runs have several phases that measure are compared phase by phase: a sum over what was done to a
/// server and what was not says nothing of either.
pub(super) fn by_phase<'a>(pair: Pair<'a>) -> Vec<Side<'a>> {
    let Pair { axis, base, candidate } = pair;
    let theirs = candidate.phases();
    let shared: Vec<&str> = base.phases().into_iter().filter(|p| theirs.contains(p)).collect();
    if let [] | [_] = shared[..] {
        return vec![Side { axis, phase: None, base: Cow::Borrowed(base), candidate: Cow::Borrowed(candidate) }];
    }
    let alone = |cell: &'a CellEvidence<'a>, phase: &str| Cow::Owned(cell.of_phase(phase));
    let side = |phase| Side { axis, phase: Some(phase), base: alone(base, phase), candidate: alone(candidate, phase) };
    shared.into_iter().map(side).collect()
}

/// By how much cells differ that are the same, where the experiment repeats one under another label.
pub fn floor(evidence: &Evidence) -> Share {
    let twins = evidence.cells.iter().filter_map(|twin| {
        let first = evidence.cells.iter().find(|c| Some(&c.cell.id) == twin.cell.repeats.as_ref())?;
        Some(of_runs(first, twin)?.log.abs().exp_m1())
    });
    Share(twins.fold(0.0, f64::max))
}

fn one(
    pair: &Pair,
    phase: Option<&str>,
    estimate: Estimate,
    decision: Option<Decision>,
    failed: &Failed,
) -> Comparison {
    let ratio = match &decision {
        Some(Decision { interval, .. }) => {
            Estimate { value: interval.value, low: Some(interval.low), high: Some(interval.high), ..estimate }
        }
        None => estimate,
    };
    let is_noisy = of_runs(pair.base, pair.candidate).is_some_and(|ratio| is_noisy(&ratio));
    let (outcome, why) = outcome(pair, &ratio, decision.as_ref(), is_noisy, |id| failed(id, phase));
    Comparison {
        metric: if knees(pair.base, pair.candidate).is_some() { KNEE } else { QPS }.into(),
        base: pair.base.cell.id.to_string(),
        candidate: pair.candidate.cell.id.to_string(),
        axis: pair.axis.into(),
        phase: phase.map(str::to_string),
        sentence: sentence(pair, phase, &ratio, outcome, &why, decision.as_ref().map_or(MARGIN, |d| d.margin)),
        more: decision.and_then(|d| d.more).filter(|_| outcome == Outcome::Undecided),
        ratio,
        outcome,
    }
}

/// Candidate over base in statements per second; `None` where one of them has no rate.
pub fn ratio(base: &CellEvidence, candidate: &CellEvidence) -> Option<Estimate> {
    if let Some((base, candidate)) = knees(base, candidate) {
        return of_answers(base, candidate);
    }
    let rates = |cell: &CellEvidence| cell.runs.iter().map(|r| r.qps()).collect::<Vec<f64>>();
    let (one, other) = (rates(base), rates(candidate));
    if one.is_empty() || other.is_empty() || one.iter().chain(&other).any(|rate| *rate <= 0.0) {
        return None;
    }
    let interval = of_runs(base, candidate).map(|r| r.interval());
    Some(Estimate {
        value: interval.map_or(average(&other) / average(&one), |i| i.value),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        n: one.len().min(other.len()) as u32,
        unit: "ratio".into(),
    })
}

/// The ratio of the runs of two cells, by block where they share blocks; `None` for searches and for too few runs.
pub fn of_runs(base: &CellEvidence, candidate: &CellEvidence) -> Option<Ratio> {
    if knees(base, candidate).is_some() {
        return None;
    }
    let (base, candidate) = (by_block(base), by_block(candidate));
    if base.values().chain(candidate.values()).any(|rate| *rate <= 0.0) {
        return None;
    }
    let pairs = shared(&base, &candidate);
    if pairs.len() >= FEWEST {
        return ratio::paired(&pairs);
    }
    ratio::unpaired(&base.into_values().collect::<Vec<_>>(), &candidate.into_values().collect::<Vec<_>>())
}

/// Both values of each block that both have: one run that is missing takes its block along, and leaves the others.
fn shared(base: &BTreeMap<u32, f64>, candidate: &BTreeMap<u32, f64>) -> Vec<(f64, f64)> {
    base.iter().filter_map(|(block, rate)| Some((*rate, *candidate.get(block)?))).collect()
}

fn by_block(cell: &CellEvidence) -> BTreeMap<u32, f64> {
    cell.runs.iter().map(|r| (r.run.block, r.qps())).collect()
}

/// The interval of the ratios of all blocks, drawn again and again: where their noise has a tail to one side, Student's
/// is too short. Of fewer blocks than it takes, and of runs without common ones, there is none.
fn drawn(base: &CellEvidence, candidate: &CellEvidence, seed: Seed) -> Option<Interval> {
    let (base, candidate) = (by_block(base), by_block(candidate));
    let ratios: Vec<f64> = shared(&base, &candidate).iter().map(|(base, candidate)| candidate / base).collect();
    bootstrap::ratio(&ratios, seed)
}

/// The rates that both searched for and found.
fn knees<'a>(base: &'a CellEvidence, candidate: &'a CellEvidence) -> Option<(&'a Estimate, &'a Estimate)> {
    let knee = |cell: &'a CellEvidence| {
        let search = cell.search.as_ref().filter(|s| matches!(s.search.goal, Goal::Rate { .. }))?;
        search.answer.as_ref()
    };
    knee(base).zip(knee(candidate))
}

/// The ratio of two estimates that know nothing of each other: half-widths on the log scale add as squares.
pub(crate) fn of_answers(base: &Estimate, candidate: &Estimate) -> Option<Estimate> {
    let half = |e: &Estimate| Some((e.high? / e.low?).ln() / 2.0);
    let value = candidate.value / base.value;
    let factor = half(base)?.hypot(half(candidate)?).exp();
    let (low, high, n) = (Some(value / factor), Some(value * factor), base.n.min(candidate.n));
    Some(Estimate { value, low, high, n, unit: "ratio".into() })
}

/// A ratio has the noise of both its sides.
pub(super) fn is_noisy(ratio: &Ratio) -> bool {
    (ratio.variance / 2.0).sqrt() > NOISY.0
}

/// With the reason, where there is one to give. `failed` names the check that strikes a cell.
pub(super) fn outcome(
    pair: &Pair,
    ratio: &Estimate,
    decision: Option<&Decision>,
    is_noisy: bool,
    failed: impl Fn(&CellId) -> Option<String>,
) -> (Outcome, String) {
    let drifts = drift::between(pair.base, pair.candidate, pair.axis);
    if let Some(drift) = drifts.iter().find(|d| d.class == Class::Work) {
        let slip = drift::slip(drift).map_or(String::new(), |s| format!(" {s}"));
        return (
            Outcome::Refused,
            format!("`{}` is {} in one and {} in the other.{slip}", drift.key, drift.base, drift.candidate),
        );
    }
    let cells = [&pair.base.cell.id, &pair.candidate.cell.id];
    if let Some((cell, check)) = cells.into_iter().find_map(|id| Some((id, failed(id)?))) {
        return (Outcome::Refused, format!("{cell} is struck by {check}."));
    }
    let (Some(low), Some(high)) = (ratio.low, ratio.high) else {
        return (
            Outcome::Undecided,
            format!(
                "{} no interval; {FEWEST} are the fewest that do.",
                if ratio.n == 1 { "one repetition gives".into() } else { format!("{} repetitions give", ratio.n) }
            ),
        );
    };
    let claims = |outcome: Outcome| matches!(outcome, Outcome::Better | Outcome::Worse);
    match decision {
        Some(d) if claims(d.outcome) && is_noisy && (ratio.value - 1.0).abs() < CLAIMABLE.0 => (
            Outcome::Undecided,
            format!("repetitions spread by more than {NOISY}, and the difference is below {CLAIMABLE}."),
        ),
        Some(d) if d.outcome == Outcome::Undecided => (d.outcome, format!("{}.", decide::told(d.more))),
        Some(d) => (d.outcome, String::new()),
        // What searches found has an interval and no repetitions to speak of.
        None if low > 1.0 => (Outcome::Better, String::new()),
        None if high < 1.0 => (Outcome::Worse, String::new()),
        None if low >= 1.0 - MARGIN.0 && high <= 1.0 + MARGIN.0 => (Outcome::Equivalent, String::new()),
        None => (Outcome::Undecided, "either may be higher.".into()),
    }
}

fn sentence(pair: &Pair, phase: Option<&str>, ratio: &Estimate, outcome: Outcome, why: &str, margin: Share) -> String {
    let value = |cell: &CellEvidence| name(pair.axis, &cell.cell.axes[pair.axis]);
    let (base, candidate) = (value(pair.base), value(pair.candidate));
    let place = match phase {
        Some(phase) => format!("{} in phase `{phase}`", place(pair)),
        None => place(pair),
    };
    let what = if knees(pair.base, pair.candidate).is_some() { "highest rate" } else { "QPS" };
    let at = if pair.axis == WORKLOAD { place.clone() } else { format!(" in {place}") };
    let numbers = numbers(ratio);
    match outcome {
        // Another workload is other work: faster, perhaps, but nothing costs or gives.
        Outcome::Worse | Outcome::Better if pair.axis == WORKLOAD => {
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
        Outcome::Equivalent => format!("{candidate} and {base} have the same {what} within {margin}{at} ({numbers})."),
        Outcome::Undecided => {
            format!("Whether {candidate} and {base} differ{at} is undecided ({numbers}): {why}")
        }
        Outcome::Refused => format!("{candidate} and {base} are not compared{at}: {why}"),
    }
}

/// The workload and the values on the other axes.
pub(super) fn place(pair: &Pair) -> String {
    let workload = if pair.axis == WORKLOAD { "" } else { &pair.base.cell.workload };
    format!("{workload}{}", others(pair))
}

/// The values on the other axes, in brackets; empty where there are none.
pub(super) fn others(pair: &Pair) -> String {
    let cell = pair.base.cell;
    let others = cell.axes.iter().filter(|(key, _)| **key != pair.axis && *key != WORKLOAD);
    let others: Vec<String> =
        others.map(|(key, value)| if key == CURVE { cell.load.users.to_string() } else { name(key, value) }).collect();
    if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) }
}

pub fn numbers(ratio: &Estimate) -> String {
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!("ratio {:.2}, {low:.2}–{high:.2}, n={}", ratio.value, ratio.n),
        (None | Some(_), _) => format!("ratio {:.2}, n={}", ratio.value, ratio.n),
    }
}
