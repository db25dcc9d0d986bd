//! Two experiments that were carried out in turn, again and again, for nothing but to decide between them. A record is
//! one draw: its instance, its place in memory, its hour. Records made one right after the other share the hour, so
//! each pair gives one ratio, and Student's interval is over the pairs; how many runs each record has makes its ratio
//! steadier and counts no further. The two records that somebody wondered about are not among them: they were looked at
//! because they differed, and would say so again.

use super::{Pair, Side, differences, drift, matched, shared_phases};
use crate::compare::costs::{cost, is_cost};
use crate::compare::decide::{self, Asked, Decision};
use crate::frame::evidence::Evidence;
use crate::frame::metrics::over;
use crate::stats::{FEWEST, ratio};
use model::compared::{COMPARED_SCHEMA, Compared, Row};
use model::{CellId, CellJudgement, Estimate, Outcome, Share};

/// Fewer pairs have no interval.
pub const FEWEST_PAIRS: usize = FEWEST;

/// A row before it is decided.
struct Open<'p, 'a, 'b> {
    pair: &'p Pair<'a, 'b>,
    phase: Option<&'a str>,
    metric: &'p str,
    unit: String,
    /// Base and candidate of each pair of records in which both count.
    values: Vec<(f64, f64)>,
    /// The first check that struck one, and of how many pairs.
    struck: Option<(String, usize)>,
    floor: Share,
}

impl<'p> Open<'p, '_, '_> {
    fn asked(&self) -> Option<Asked<'p>> {
        Some(Asked { metric: self.metric, ratio: ratio::paired(&self.values)?, floor: self.floor, lends: true })
    }
}

/// Compares on these metrics, by pairs of records in the order in which they were made.
pub fn again(pairs: &[(Side, Side)], metrics: &[&str]) -> Compared {
    let (base, candidate) = pairs.first().expect("somebody made a pair");
    let (one, other) = (Evidence::of(base.record, base.details), Evidence::of(candidate.record, candidate.details));
    let (cells, unmatched) = matched(&one, &other);
    let mut open: Vec<Open> = Vec::new();
    for pair in &cells {
        for phase in shared_phases(pair) {
            open.extend(metrics.iter().filter_map(|metric| of_metric(pairs, pair, phase, metric)));
        }
    }
    let asked: Vec<Option<Asked>> = open.iter().map(Open::asked).collect();
    let mut decisions = decide::of(&asked.iter().flatten().copied().collect::<Vec<_>>()).into_iter();
    let decided: Vec<Option<Decision>> = asked.iter().map(|a| a.and_then(|_| decisions.next())).collect();
    Compared {
        schema: COMPARED_SCHEMA,
        base: base.name.clone(),
        candidate: candidate.name.clone(),
        again: Some(pairs.len() as u32),
        rows: open.into_iter().zip(decided).map(|(open, decision)| row(open, decision, pairs.len())).collect(),
        moved: Vec::new(),
        differences: differences::all(&cells, base.record, candidate.record),
        unmatched,
    }
}

fn of_metric<'p, 'a, 'b>(
    pairs: &[(Side, Side)],
    pair: &'p Pair<'a, 'b>,
    phase: Option<&'a str>,
    metric: &'p str,
) -> Option<Open<'p, 'a, 'b>> {
    let ids = [&pair.base.cell.id, &pair.candidate.cell.id];
    let (mut values, mut struck, mut unit) = (Vec::new(), None::<(String, usize)>, None);
    for (base, candidate) in pairs {
        let cells = [base.judgement.cell(ids[0])?, candidate.judgement.cell(ids[1])?];
        let both = cells.map(|cell| estimate(cell, phase, metric));
        let [Some(one), Some(other)] = both else { continue };
        unit = unit.or(Some(one.unit.clone()));
        if let Some(verdict) = cells.iter().find_map(|cell| cell.struck(phase)) {
            struck =
                Some((struck.as_ref().map_or(verdict.check.clone(), |s| s.0.clone()), struck.map_or(0, |s| s.1) + 1));
            continue;
        }
        // What is next to nothing counts as the same little, as it does within a record.
        let least = cost(metric).map_or(0.0, |cost| cost.least);
        let (one, other) = (one.value.max(least), other.value.max(least));
        if one > 0.0 && other > 0.0 {
            values.push((one, other));
        }
    }
    let floor = Share(floor(pairs, phase, metric));
    Some(Open { pair, phase, metric, unit: unit?, values, struck, floor })
}

fn estimate<'j>(cell: &'j CellJudgement, phase: Option<&str>, metric: &str) -> Option<&'j Estimate> {
    match phase {
        None => cell.metrics.get(metric),
        Some(phase) => cell.phases.iter().find(|p| p.name == phase)?.part.metrics.get(metric),
    }
}

/// By how much twins of the records differ, over all records that have them.
fn floor(pairs: &[(Side, Side)], phase: Option<&str>, metric: &str) -> f64 {
    let bases: Vec<&Side> = pairs.iter().map(|pair| &pair.0).collect();
    let candidates: Vec<&Side> = pairs.iter().map(|pair| &pair.1).collect();
    floor_of(&bases, phase, metric).max(floor_of(&candidates, phase, metric))
}

fn floor_of(sides: &[&Side], phase: Option<&str>, metric: &str) -> f64 {
    let twins = sides[0].record.plan.cells.iter().filter_map(|twin| Some((twin.repeats.as_ref()?, &twin.id)));
    let value = |side: &Side, id: &CellId| {
        let found = estimate(side.judgement.cell(id)?, phase, metric)?.value;
        (found > 0.0).then_some(found)
    };
    let apart = |(first, twin): (&CellId, &CellId)| {
        let values: Vec<(f64, f64)> =
            sides.iter().filter_map(|side| Some((value(side, first)?, value(side, twin)?))).collect();
        ratio::paired(&values).map(|ratio| ratio.log.abs().exp_m1())
    };
    twins.filter_map(apart).fold(0.0, f64::max)
}

fn row(open: Open, decision: Option<Decision>, pairs: usize) -> Row {
    let Open { pair, phase, metric, unit, values, struck, .. } = open;
    let (base, candidate): (Vec<f64>, Vec<f64>) = values.iter().copied().unzip();
    let estimates = [over(&base, &unit), over(&candidate, &unit)];
    let interval = decision.as_ref().map(|d| d.interval);
    let ratio = Estimate {
        value: interval.map_or(estimates[1].value / estimates[0].value, |i| i.value),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        n: values.len() as u32,
        unit: "ratio".into(),
    };
    let (outcome, why) = outcome(pair, metric, decision.as_ref(), struck, (values.len(), pairs));
    Row {
        base: pair.base.cell.id.clone(),
        candidate: pair.candidate.cell.id.clone(),
        workload: pair.base.cell.workload.clone(),
        cell: phase.map_or_else(|| pair.name.clone(), |phase| format!("{}, phase {phase}", pair.name)),
        metric: metric.into(),
        values: estimates,
        ratio,
        outcome,
        suggests: None,
        more: decision.and_then(|d| d.more).filter(|_| outcome == Outcome::Undecided),
        why,
    }
}

fn outcome(
    pair: &Pair,
    metric: &str,
    decision: Option<&Decision>,
    struck: Option<(String, usize)>,
    (left, pairs): (usize, usize),
) -> (Outcome, String) {
    if let Some(drift) = differences::of_work(pair).first() {
        let slip = drift::slip(drift).map_or(String::new(), |s| format!(" {s}"));
        let why = format!("`{}` is {} in one and {} in the other.{slip}", drift.key, drift.base, drift.candidate);
        return (Outcome::Refused, why);
    }
    match (decision, struck) {
        (None, Some((check, struck))) => {
            (Outcome::Refused, format!("{check} struck {struck} of {pairs} pairs of records, and {left} are too few"))
        }
        (None, None) => (Outcome::Undecided, format!("{left} pairs of records have no interval")),
        (Some(d), _) => match d.outcome {
            Outcome::Better if is_cost(metric) => (Outcome::Worse, String::new()),
            Outcome::Worse if is_cost(metric) => (Outcome::Better, String::new()),
            Outcome::Undecided => (Outcome::Undecided, decide::told_of(d.more, "pair of records", "pairs of records")),
            Outcome::Better | Outcome::Worse | Outcome::Equivalent | Outcome::Refused => (d.outcome, String::new()),
        },
    }
}
