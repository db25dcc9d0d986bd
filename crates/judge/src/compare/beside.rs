//! Cells side by side on what stands beside their rate: the tail, and what an operation costs. All of them are one
//! family, decided together and apart from the rates: each metric has a prior and an A/A floor of its own, so that a
//! noisy tail lends a rate nothing and excuses nothing, and that more costs are read makes no rate less sure. Another
//! workload does other operations, and searches end at other rates: their costs are not compared.

use super::comparisons::{self, Failed, Side, is_noisy, numbers, outcome, place};
use super::costs::{COSTS, Cost};
use super::decide::{self, Asked, Decision, MARGIN};
use super::values::Values;
use crate::frame::naming::value as name;
use crate::frame::{CellEvidence, Evidence, Pair, pairs};
use crate::stats::ratio::Ratio;
use model::experiment::keys::WORKLOAD;
use model::units::round3;
use model::{CellId, CellJudgement, Comparison, Estimate, Outcome, Share};
use std::collections::BTreeMap;

/// A phase of a cell, or all of it.
type Part<'a> = (&'a CellId, Option<&'a str>);

/// One ratio before it is decided.
struct Open<'s, 'a> {
    side: &'s Side<'a>,
    cost: &'static Cost,
    ratio: Option<Ratio>,
    point: (f64, usize),
    floor: Share,
}

pub fn all(evidence: &Evidence, cells: &[CellJudgement]) -> Vec<Comparison> {
    decided(&comparisons::sides(evidence), evidence, &comparisons::strikes(cells))
}

fn decided<'a>(sides: &[Side<'a>], evidence: &Evidence, failed: &Failed) -> Vec<Comparison> {
    let is_compared = |side: &&Side<'a>| {
        side.axis != WORKLOAD && [&side.base, &side.candidate].iter().all(|cell| cell.cell.search.is_none())
    };
    let sides: Vec<&Side<'a>> = sides.iter().filter(is_compared).collect();
    let mut parts: BTreeMap<Part, Values> = BTreeMap::new();
    for (side, cell) in sides.iter().flat_map(|side| [(side, &side.base), (side, &side.candidate)]) {
        parts.entry((&cell.cell.id, side.phase)).or_insert_with(|| Values::of(cell));
    }
    let floors = Floors::of(evidence, &sides);
    let open = |side: &Side<'a>| {
        let (base, candidate) =
            (&parts[&(&side.base.cell.id, side.phase)], &parts[&(&side.candidate.cell.id, side.phase)]);
        let one = |cost: &'static Cost| {
            let point = candidate.point(base, cost.metric).filter(|_| base.has(cost) || candidate.has(cost))?;
            Some((cost, candidate.over(base, cost.metric, true), point, floors.of_metric(side.phase, cost.metric)))
        };
        COSTS.iter().filter_map(one).collect::<Vec<_>>()
    };
    let open: Vec<Open> = sides
        .iter()
        .flat_map(|side| {
            open(side).into_iter().map(|(cost, ratio, point, floor)| Open { side, cost, ratio, point, floor })
        })
        .collect();
    let asked = |o: &Open| Some(Asked { metric: o.cost.metric, ratio: o.ratio?, floor: o.floor, lends: true });
    let mut decisions = decide::of(&open.iter().filter_map(asked).collect::<Vec<_>>()).into_iter();
    let seed = evidence.record.plan.seed.child("bootstrap");
    let one = |open: Open| {
        let mut decision = open.ratio.and_then(|_| decisions.next());
        if let Some(decision) = &mut decision {
            let (base, candidate) = (&open.side.base.cell.id, &open.side.candidate.cell.id);
            let drawn = parts[&(candidate, open.side.phase)].drawn(
                &parts[&(base, open.side.phase)],
                open.cost.metric,
                seed.child(open.cost.metric),
            );
            decision.widen(drawn);
            decision.outcome = decide::of_cost(decision.outcome);
        }
        told(&open, decision, failed)
    };
    open.into_iter().map(one).collect()
}

/// By how much twins differ on each metric, in each phase that is compared.
struct Floors(BTreeMap<(Option<String>, &'static str), Share>);

impl Floors {
    fn of(evidence: &Evidence, sides: &[&Side]) -> Self {
        let mut phases: Vec<Option<&str>> = sides.iter().map(|side| side.phase).collect();
        phases.sort();
        phases.dedup();
        let mut floors: BTreeMap<(Option<String>, &'static str), Share> = BTreeMap::new();
        for Pair { base, candidate, .. } in pairs::twins(evidence) {
            for phase in &phases {
                let part = |cell: &CellEvidence| match phase {
                    Some(phase) => Values::of(&cell.of_phase(phase)),
                    None => Values::of(cell),
                };
                let (base, candidate) = (part(base), part(candidate));
                for cost in COSTS {
                    let Some(ratio) = candidate.over(&base, cost.metric, true) else { continue };
                    let floor = floors.entry((phase.map(str::to_string), cost.metric)).or_insert(Share(0.0));
                    floor.0 = floor.0.max(ratio.log.abs().exp_m1());
                }
            }
        }
        Self(floors)
    }

    fn of_metric(&self, phase: Option<&str>, metric: &'static str) -> Share {
        self.0.get(&(phase.map(str::to_string), metric)).copied().unwrap_or(Share(0.0))
    }
}

fn told(open: &Open, decision: Option<Decision>, failed: &Failed) -> Comparison {
    let Open { side, cost, .. } = open;
    let interval = decision.as_ref().map(|d| d.interval);
    let (point, n) = open.point;
    let ratio = Estimate {
        value: interval.map_or(point, |i| i.value),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        n: open.ratio.map_or(n, |ratio| ratio.n) as u32,
        unit: "ratio".into(),
    };
    let pair = Pair { axis: side.axis, base: &side.base, candidate: &side.candidate };
    let noisy = open.ratio.is_some_and(|ratio| is_noisy(&ratio));
    let (outcome, why) = outcome(&pair, &ratio, decision.as_ref(), noisy, |id| failed(id, side.phase));
    Comparison {
        metric: cost.metric.into(),
        base: pair.base.cell.id.to_string(),
        candidate: pair.candidate.cell.id.to_string(),
        axis: side.axis.into(),
        phase: side.phase.map(str::to_string),
        sentence: sentence(&pair, side.phase, cost, &ratio, outcome, &why),
        more: decision.and_then(|d| d.more).filter(|_| outcome == Outcome::Undecided),
        ratio,
        outcome,
    }
}

fn sentence(pair: &Pair, phase: Option<&str>, cost: &Cost, ratio: &Estimate, outcome: Outcome, why: &str) -> String {
    let value = |cell: &CellEvidence| name(pair.axis, &cell.cell.axes[pair.axis]);
    let (base, candidate, what) = (value(pair.base), value(pair.candidate), cost.words);
    let phase = phase.map_or(String::new(), |phase| format!(" in phase `{phase}`"));
    let place = format!("{}{phase}", place(pair));
    let numbers = numbers(ratio);
    match outcome {
        Outcome::Worse if ratio.value >= 2.0 => {
            format!("{candidate} costs {place} {} times the {what} of {base} ({numbers}).", round3(ratio.value))
        }
        Outcome::Worse => {
            format!("{candidate} costs {place} {} more {what} than {base} ({numbers}).", Share(ratio.value - 1.0))
        }
        Outcome::Better => {
            format!("{candidate} saves {place} {} of the {what} of {base} ({numbers}).", Share(1.0 - ratio.value))
        }
        Outcome::Equivalent => {
            format!("{candidate} and {base} have the same {what} within {MARGIN} in {place} ({numbers}).")
        }
        Outcome::Undecided => {
            format!("Whether the {what} of {candidate} and {base} differ in {place} is undecided ({numbers}): {why}")
        }
        Outcome::Refused => format!("The {what} of {candidate} and {base} are not compared in {place}: {why}"),
    }
}
