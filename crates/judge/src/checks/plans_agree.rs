//! Two cells whose statement is carried out by different plans are two different programs, and their ratio is that of
//! the plans. Where the axis is the server, its version, the engine, or what shapes the data or the statement, another
//! plan is a fact of that variant and a first candidate for the cause; where the axis is anything else (users, CPUs, a
//! setting that should only size something), it fails. Plans are compared by what they do, not by what they expect.

use crate::compare::fingerprint;
use crate::frame::applies::planned;
use crate::frame::naming;
use crate::frame::{Applies, CellEvidence, Check, Doubts, Evidence, Look, Pair, Pairs, Seen, Sight, pairs};
use model::Status;
use model::experiment::keys::{Effect, can_change};
use std::collections::{BTreeMap, BTreeSet};

pub const CHECK: Check = Check {
    id: "plans_agree",
    claim: || {
        "cells that are compared carry out the same statement by the same plan, unless their axis explains another"
            .into()
    },
    source: include_str!("plans_agree.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "read both plans in the runs' files; if statistics differ, load both cells from the same snapshot; if the axis explains it, say so",
    look: Look::Pairs(Pairs { of: compared, none: "No two cells that are compared have statements to plan.", look }),
};

fn compared<'a>(evidence: &'a Evidence<'a>) -> Vec<Pair<'a>> {
    let have_plans = |pair: &Pair| [pair.base, pair.candidate].iter().all(|cell| planned(cell.cell).is_none());
    pairs::all(evidence).into_iter().filter(have_plans).collect()
}

fn look(evidence: &Evidence, pairs: &[Pair]) -> Sight {
    let plans: BTreeMap<&str, BTreeMap<String, String>> =
        evidence.cells.iter().map(|cell| (cell.cell.id.0.as_str(), of(cell))).collect();
    let (mut compared, mut faults, mut facts) = (0, Vec::new(), Vec::new());
    let mut cells: BTreeSet<String> = BTreeSet::new();
    for pair in pairs {
        let [base, candidate] =
            [pair.base, pair.candidate].map(|cell| (cell.cell.id.0.as_str(), &plans[cell.cell.id.0.as_str()]));
        for (statement, one) in base.1 {
            let Some(other) = candidate.1.get(statement) else { continue };
            compared += 1;
            if fingerprint::are_one(one, other) {
                continue;
            }
            let told = format!(
                "`{statement}` is `{one}` in {} and `{other}` in {}, which differ in `{}`",
                naming::cell(pair.base),
                naming::cell(pair.candidate),
                pair.axis
            );
            if !can_change(pair.axis, Effect::Plan) {
                faults.push(told);
                cells.extend([base.0.to_string(), candidate.0.to_string()]);
            } else {
                facts.push(told);
            }
        }
    }
    if compared == 0 {
        return Err("no two cells that are compared explained the same statement".into());
    }
    let first = |found: &[String]| {
        let more = if found.len() > 1 { format!("; it is one of {}", found.len()) } else { String::new() };
        format!("{}{more}", found[0])
    };
    let (status, sentence) = match (faults.is_empty(), facts.is_empty()) {
        (false, _) => (Status::Fail, format!("The server carries out one statement in two ways: {}.", first(&faults))),
        (true, false) => (Status::Pass, format!("Plans differ only where the axis explains it: {}.", first(&facts))),
        (true, true) => (Status::Pass, format!("Over {compared} comparisons, every statement has the same plan.")),
    };
    Ok(Seen::new(status, format!("{} plans", faults.len()), "0 plans", sentence).at(cells.into_iter().collect()))
}

/// By statement, of the cell's first run; those of further sessions by the name of these, too.
fn of(cell: &CellEvidence) -> BTreeMap<String, String> {
    let Some(run) = cell.runs.first().map(|first| first.run) else { return BTreeMap::new() };
    let first = run.session.plans.iter().map(|plan| (plan.statement.clone(), plan));
    let more = run.more_sessions.iter().flat_map(|(name, session)| {
        session.plans.iter().map(move |plan| (format!("{name}: {}", plan.statement), plan))
    });
    first.chain(more).filter_map(|(name, plan)| Some((name, fingerprint::of(&plan.explain)?))).collect()
}
