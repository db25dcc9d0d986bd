//! A cell whose runs have several phases that measure, phase by phase: the numbers of each, and each against the one
//! that it follows from. What was done to a server in one phase is told by what changed within the same run, so ratios
//! are taken run by run and whatever differs between runs cancels.

use super::evidence::{CellEvidence, RunEvidence};
use super::metrics::{Metrics, metrics, over};
use super::regime::{Reading, Regime, regime};
use crate::compare::comparisons::numbers;
use crate::compare::decide::{self, Decision, MARGIN};
use crate::curves::course;
use crate::families::versioning::{self, TableContents};
use crate::stats::ratio::{self, Ratio};
use crate::stats::{FEWEST, average};
use model::judgement::{Against, Part};
use model::load::step_of;
use model::{Estimate, Group, Outcome, Phase, PhaseJudgement, PhaseKind, Share, Verdict};
use std::collections::BTreeMap;

/// The metrics of operations and statements whose ratio is told.
const RATIOS: &[&str] = &["ops_per_s", "calls_per_s", "latency_us_mean", "latency_us_p99", "rows_per_call"];

pub fn of(cell: &CellEvidence, verdicts: &[Verdict]) -> Vec<PhaseJudgement> {
    let phases: Vec<&Phase> = cell.cell.phases.iter().filter(|p| p.kind == PhaseKind::Measure).collect();
    if phases.len() < 2 || cell.runs.is_empty() {
        return Vec::new();
    }
    let held: Vec<Held> = phases.iter().map(|phase| Held::new(cell, phase, base(phase, &phases))).collect();
    let ratios: Vec<Ratio> = held.iter().filter_map(|held| held.ratio).collect();
    let mut decisions = decide::all(&ratios, Share(0.0)).into_iter();
    let fallen: Vec<&Phase> = held.iter().filter(|h| h.has_fallen()).map(|h| h.phase).collect();
    let has_course = |phase: &Phase| match phase.disturb {
        Some(_) => fallen.iter().any(|p| p.name == phase.name),
        None => fallen.iter().any(|p| p.step().1 == phase.step().1),
    };
    let one = |h: &Held| {
        let struck = |v: &&Verdict| v.strikes(Some(&h.phase.name)) && !v.strikes(None);
        PhaseJudgement {
            struck: verdicts.iter().filter(struck).map(|v| v.check.clone()).collect(),
            ..one(cell, h, h.ratio.and_then(|_| decisions.next()), has_course(h.phase))
        }
    };
    held.iter().map(one).collect()
}

/// A phase beside the one that it is held against.
struct Held<'a> {
    phase: &'a Phase,
    base: Option<&'a Phase>,
    /// Statements per second of both, run by run.
    pairs: Vec<(f64, f64)>,
    ratio: Option<Ratio>,
}

impl<'a> Held<'a> {
    fn new(cell: &CellEvidence, phase: &'a Phase, base: Option<&'a Phase>) -> Self {
        let rates = |name: &str| cell.of_phase(name).runs.iter().map(RunEvidence::qps).collect::<Vec<f64>>();
        let both = |base: &Phase| rates(&base.name).into_iter().zip(rates(&phase.name)).collect::<Vec<_>>();
        let mut pairs = base.map(both).unwrap_or_default();
        if pairs.iter().any(|(a, b)| *a <= 0.0 || *b <= 0.0) {
            pairs.clear();
        }
        let ratio = ratio::paired(&pairs);
        Self { phase, base, pairs, ratio }
    }

    /// Whether something was done and the rate is certainly lower, or, where nothing is certain, by more than comes
    /// back as well.
    fn has_fallen(&self) -> bool {
        let high = self.ratio.map(|r| r.interval().high);
        let fallen = || high.map_or(of_pairs(&self.pairs).value < course::RECOVERED.0, |high| high < 1.0 - MARGIN.0);
        self.phase.disturb.is_some() && !self.pairs.is_empty() && fallen()
    }
}

/// What a phase is held against: the first one of its iteration that does the same and was left alone; and that one's
/// like in the first iteration.
fn base<'a>(phase: &Phase, all: &[&'a Phase]) -> Option<&'a Phase> {
    let (step, iteration) = phase.step();
    let same = |p: &Phase| (&p.work, p.users, &p.groups) == (&phase.work, phase.users, &phase.groups);
    let first = all.iter().find(|p| p.step().1 == iteration && p.disturb.is_none() && same(p));
    let before = first.filter(|p| p.name != phase.name);
    let like = || all.iter().find(|p| p.step().0 == step).filter(|p| p.name != phase.name);
    before.or_else(like).copied()
}

/// The numbers of each group, of all phases that are looked at.
pub fn groups(cell: &CellEvidence) -> BTreeMap<String, Part> {
    let part = |group: &Group| {
        let Metrics { whole, operations, statements, .. } = metrics(&cell.of_group(group));
        Part { workload: group.work.workload.clone(), metrics: whole, operations, statements }
    };
    cell.own_groups().iter().map(|group| (group.name.clone(), part(group))).collect()
}

fn one(cell: &CellEvidence, held: &Held, decision: Option<Decision>, has_course: bool) -> PhaseJudgement {
    let Held { phase, base, .. } = held;
    let alone = cell.of_phase(&phase.name);
    let Metrics { whole, operations, statements, .. } = metrics(&alone);
    let (step, iteration) = step_of(&phase.name);
    let records = alone.runs.iter().flat_map(|r| &r.phases).flat_map(|p| p.groups.values()).map(|g| &g.workload).next();
    let workload = match &phase.groups[..] {
        [] => records.unwrap_or(&cell.cell.workload).clone(),
        groups => groups.iter().map(|group| group.work.workload.as_str()).collect::<Vec<_>>().join(" + "),
    };
    let mut part = Part { workload, metrics: whole, operations, statements };
    let course = base.filter(|_| has_course).map(|base| course::of(cell, phase, base)).unwrap_or_default();
    let against = base.and_then(|base| against(cell, phase, base, decision, &course.sentences));
    part.metrics.extend(course.metrics);
    if iteration.is_some() {
        part.metrics.extend(sizes(&alone));
    }
    part.metrics.extend(kept(&alone));
    PhaseJudgement {
        name: phase.name.clone(),
        step: step.to_string(),
        iteration,
        disturb: phase.disturb.as_ref().map(|d| d.name.clone()),
        struck: Vec::new(),
        part,
        groups: if phase.groups.is_empty() { BTreeMap::new() } else { groups(&alone) },
        against,
    }
}

/// Data and cache at the end of a phase: over iterations they tell where another regime begins.
fn sizes(alone: &CellEvidence) -> BTreeMap<String, Estimate> {
    let readings: Option<Vec<Reading>> = alone.runs.iter().map(regime).collect();
    let Some(readings) = readings.filter(|readings| !readings.is_empty()) else { return BTreeMap::new() };
    let told = |name: &str, unit: &str, of: fn(&Reading) -> f64| {
        (name.to_string(), over(&readings.iter().map(of).collect::<Vec<_>>(), unit))
    };
    BTreeMap::from([
        told("data_bytes", "bytes", |r| r.data as f64),
        told("cache_bytes", "bytes", |r| r.pool as f64),
        told("page_reads_per_statement", "", |r| r.reads),
        told("left_cache", "share", |r| f64::from(u8::from(r.regime != Regime::Cached))),
    ])
}

/// How much of the data is current and how much is history, where rows keep theirs.
fn kept(alone: &CellEvidence) -> BTreeMap<String, Estimate> {
    let all: Option<Vec<TableContents>> = alone.runs.iter().map(versioning::kept).collect();
    let Some(all) = all.filter(|all| !all.is_empty()) else { return BTreeMap::new() };
    let told = |name: &str, unit: &str, of: fn(&TableContents) -> Option<f64>| {
        let values: Option<Vec<f64>> = all.iter().map(of).collect();
        Some((name.to_string(), over(&values?, unit)))
    };
    let told = [
        told("current_rows", "rows", |k| Some(k.current_rows)),
        told("history_rows", "rows", |k| Some(k.history_rows)),
        told("history_bytes", "bytes", |k| k.history_bytes),
    ];
    told.into_iter().flatten().collect()
}

fn against(
    cell: &CellEvidence,
    phase: &Phase,
    base: &Phase,
    decision: Option<Decision>,
    course: &[String],
) -> Option<Against> {
    let values = |name: &str, run: &RunEvidence| values(&cell.of_phase(name), run);
    let pairs: Vec<_> = cell.runs.iter().map(|run| (values(&base.name, run), values(&phase.name, run))).collect();
    let (first, _) = pairs.first()?;
    let ratio_of = |name: &String| {
        let both: Option<Vec<(f64, f64)>> =
            pairs.iter().map(|(base, phase)| Some((*base.get(name)?, *phase.get(name)?))).collect();
        Some((name.clone(), of_pairs(&both?)))
    };
    let mut ratios: BTreeMap<String, Estimate> = first.keys().filter_map(ratio_of).collect();
    let rate = ratios.get_mut("qps")?;
    let (outcome, why, margin) = match &decision {
        Some(Decision { interval, outcome, margin, more, .. }) => {
            *rate =
                Estimate { value: interval.value, low: Some(interval.low), high: Some(interval.high), ..rate.clone() };
            (*outcome, decide::told(*more), *margin)
        }
        None => (Outcome::Undecided, format!("{FEWEST} repetitions are the fewest for an interval"), MARGIN),
    };
    let mut sentence = sentence(phase, base, rate, outcome, &why, margin);
    course.iter().for_each(|more| sentence.push_str(&format!(" {more}")));
    Some(Against { phase: base.name.clone(), ratios, outcome, sentence })
}

/// Everything positive that a run's phase has, by its path.
fn values(cell: &CellEvidence, run: &RunEvidence) -> BTreeMap<String, f64> {
    let mut alone = cell.clone();
    alone.runs.retain(|r| r.run.id == run.run.id);
    let Metrics { whole, operations, statements, .. } = metrics(&alone);
    let mut values: BTreeMap<String, f64> = whole.into_iter().map(|(name, e)| (name, e.value)).collect();
    for (kind, parts) in [("operations", operations), ("statements", statements)] {
        for (part, metrics) in parts {
            let told = metrics.into_iter().filter(|(name, _)| RATIOS.contains(&name.as_str()));
            values.extend(told.map(|(name, e)| (format!("{kind}.{part}.{name}"), e.value)));
        }
    }
    values.retain(|_, value| *value > 0.0);
    values
}

fn of_pairs(pairs: &[(f64, f64)]) -> Estimate {
    let interval = ratio::paired(pairs).map(|ratio| ratio.interval());
    let logs: Vec<f64> = pairs.iter().map(|(base, phase)| (phase / base).ln()).collect();
    Estimate {
        value: interval.map_or_else(|| average(&logs).exp(), |i| i.value),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        n: pairs.len() as u32,
        unit: "ratio".into(),
    }
}

fn sentence(phase: &Phase, base: &Phase, ratio: &Estimate, outcome: Outcome, why: &str, margin: Share) -> String {
    let disturb = phase.disturb.as_ref().map_or(String::new(), |d| format!(" ({d})"));
    let (name, base, numbers) = (format!("`{}`{disturb}", phase.name), &base.name, numbers(ratio));
    match outcome {
        Outcome::Worse | Outcome::Better => {
            format!("{name} has {:.2} times the QPS of `{base}` ({numbers}).", ratio.value)
        }
        Outcome::Equivalent => format!("{name} has the QPS of `{base}` within {margin} ({numbers})."),
        Outcome::Undecided | Outcome::Refused => {
            format!("Whether {name} differs from `{base}` is undecided ({numbers}): {why}.")
        }
    }
}
