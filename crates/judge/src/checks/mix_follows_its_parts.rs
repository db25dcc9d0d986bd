//! Why does a mix not show what one of its parts shows alone? Where an experiment measures a mix of statements and,
//! with as many users, each of them by itself, the mix has a prediction: an operation takes as long as its statements
//! take one after the other, each as long as it took alone. And each part says how much of its own bottleneck the mix
//! uses: its rate within the mix over the highest that it reached alone.
//!
//! A rate below 0.75 or above 1.5 times the prediction warns: the parts do other work alone than within the mix, or
//! they disturb each other. Statements that were not measured alone (BEGIN, COMMIT) enter with the time they took
//! within the mix, and where they are more than 50 % of it nothing is predicted.

use crate::frame::applies::Absence;
use crate::frame::{Applies, CellEvidence, Check, Doubts, Evidence, Limit, Look, Seen, Sight};
use model::experiment::keys::{USERS, WORKLOAD};
use model::units::round3;
use model::{CellId, Share, Status, Value};
use std::collections::{BTreeMap, BTreeSet};

pub const CHECK: Check = Check {
    id: "mix_follows_its_parts",
    claim: || format!("a mix is {MIX_LOW} to {MIX_HIGH} times as fast as its parts predict"),
    source: include_str!("mix_follows_its_parts.rs"),
    applies: Applies::Experiment(absent),
    needs: &[],
    limits: &[MIX_LOW, MIX_HIGH],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "compare the statements of mix and part (parameters_agree, measured_work_agrees, plans_agree); look for locks that the parts share",
    look: Look::Experiment(look),
};

const MIX_LOW: Limit = Limit::number(
    "mix_low",
    0.75,
    "rate of a mix over what its parts predict; caches and locks that parts share explain as much",
)
.convention();
const MIX_HIGH: Limit = Limit::number(
    "mix_high",
    1.5,
    "statements of one transaction follow each other closer than those of one test, and no closer than that",
)
.convention();

/// The part of a mix's time that must have been measured alone for a prediction to be one.
const KNOWN: Share = Share(0.5);

/// One mix held against its parts.
struct Mix {
    cell: String,
    workload: String,
    /// Over the prediction.
    ratio: f64,
    /// The statement whose own bottleneck is used most, and how far.
    nearest: (String, Share),
}

/// What a cell says about one of its statements.
struct Part {
    calls_per_operation: f64,
    calls_per_s: f64,
    seconds: f64,
}

/// By statement.
type Parts = BTreeMap<String, Part>;

/// Without a mix beside its parts nothing is predicted; as long as cells have not been run it may still come.
fn absent(evidence: &Evidence) -> Absence {
    let parts = by_cell(evidence);
    let could_be = |cell: &CellEvidence| is_mix(cell, &parts) && parts_of(cell, evidence, &parts).next().is_some();
    let has_workloads = evidence.record.plan.axes.iter().any(|axis| axis.key == WORKLOAD && axis.values.len() > 1);
    let is_open = evidence.cells.iter().any(|cell| cell.runs.is_empty() || could_be(cell));
    (!has_workloads || !is_open).then(|| "No mix of statements is measured beside one of its parts.".into())
}

fn by_cell<'a>(evidence: &'a Evidence) -> BTreeMap<&'a CellId, Parts> {
    evidence.cells.iter().map(|cell| (&cell.cell.id, parts(cell))).collect()
}

fn is_mix(cell: &CellEvidence, parts: &BTreeMap<&CellId, Parts>) -> bool {
    parts[&cell.cell.id].len() > 1 && cell.cell.groups.is_empty() && cell.cell.load.arrivals.is_none()
}

/// The cells of one statement that differ from this one in their workload only.
fn parts_of<'a>(
    cell: &CellEvidence,
    evidence: &'a Evidence,
    parts: &BTreeMap<&CellId, Parts>,
) -> impl Iterator<Item = &'a CellEvidence<'a>> {
    let place = without_workload(cell);
    evidence.cells.iter().filter(move |c| without_workload(c) == place && parts[&c.cell.id].len() == 1)
}

fn look(evidence: &Evidence) -> Sight {
    let parts = by_cell(evidence);
    let mixes = evidence.cells.iter().filter_map(|cell| mix(cell, evidence, &parts));
    let mixes: Vec<Mix> = mixes.collect();
    let (low, high) = (evidence.limits.of(&MIX_LOW), evidence.limits.of(&MIX_HIGH));
    let off = |mix: &Mix| mix.ratio.ln().abs();
    let worst = mixes.iter().max_by(|a, b| off(a).total_cmp(&off(b)));
    let worst = worst.ok_or("no mix was measured beside its parts with as many users")?;
    let status = if (low..=high).contains(&worst.ratio) { Status::Pass } else { Status::Warn };
    let crowded = mixes.iter().max_by(|a, b| a.nearest.1.0.total_cmp(&b.nearest.1.0)).expect("there is one");
    let sentence = format!(
        "{} ({}) reaches {} times the rate that its parts, measured alone, predict{}. Within a mix `{}` is asked at {} of the highest rate that it reached alone ({}).",
        worst.workload,
        worst.cell,
        round3(worst.ratio),
        if mixes.len() > 1 { format!(", the furthest of {} mixes", mixes.len()) } else { String::new() },
        crowded.nearest.0,
        crowded.nearest.1,
        crowded.cell
    );
    let limit = format!("{} to {}", round3(low), round3(high));
    Ok(Seen::new(status, format!("×{}", round3(worst.ratio)), limit, sentence).at(vec![worst.cell.clone()]))
}

fn mix(cell: &CellEvidence, evidence: &Evidence, parts: &BTreeMap<&CellId, Parts>) -> Option<Mix> {
    let own = &parts[&cell.cell.id];
    if !is_mix(cell, parts) {
        return None;
    }
    let others: Vec<_> = parts_of(cell, evidence, parts).collect();
    let alone = |statement: &str| others.iter().find_map(|c| parts[&c.cell.id].get(statement));
    let users = f64::from(cell.cell.load.users.0);
    let (mut predicted, mut known) = (0.0, 0.0);
    let mut nearest: Option<(String, Share)> = None;
    for (name, part) in own {
        match alone(name) {
            Some(single) => {
                let time = part.calls_per_operation * users / single.calls_per_s;
                predicted += time;
                known += time;
                let highest = highest(name, cell, evidence, parts);
                let used = Share(part.calls_per_s / highest.max(single.calls_per_s));
                if nearest.as_ref().is_none_or(|(_, most)| used.0 > most.0) {
                    nearest = Some((name.clone(), used));
                }
            }
            None => predicted += part.calls_per_operation * part.seconds,
        }
    }
    let operations =
        cell.runs.iter().map(|r| r.done() as f64 / r.seconds()).sum::<f64>() / cell.runs.len().max(1) as f64;
    let ratio = operations * predicted / users;
    let (cell, workload) = (cell.cell.id.to_string(), cell.cell.workload.clone());
    (known >= KNOWN.0 * predicted && ratio > 0.0).then_some(Mix { cell, workload, ratio, nearest: nearest? })
}

/// The highest rate of a statement alone, whatever the number of users.
fn highest(statement: &str, cell: &CellEvidence, evidence: &Evidence, parts: &BTreeMap<&CellId, Parts>) -> f64 {
    let place = |c: &CellEvidence| {
        let mut axes = without_workload(c);
        axes.remove(USERS);
        axes
    };
    let alone = evidence.cells.iter().filter(|c| parts[&c.cell.id].len() == 1 && place(c) == place(cell));
    alone.filter_map(|c| parts[&c.cell.id].get(statement)).map(|part| part.calls_per_s).fold(0.0, f64::max)
}

fn without_workload(cell: &CellEvidence) -> BTreeMap<String, Value> {
    let mut axes = cell.cell.axes.clone();
    axes.remove(WORKLOAD);
    axes
}

/// By statement, over all runs.
fn parts(cell: &CellEvidence) -> Parts {
    let names: BTreeSet<&String> = cell.runs.iter().flat_map(|r| r.statements()).map(|(name, _)| name).collect();
    let (operations, seconds) = cell.runs.iter().fold((0, 0.0), |(n, s), r| (n + r.done(), s + r.seconds()));
    let of = |name: &&String| {
        let tallies = || cell.runs.iter().flat_map(|r| r.statements()).filter(|(n, _)| n == name).map(|(_, s)| s);
        let calls: u64 = tallies().map(|s| s.calls).sum();
        let time: f64 = tallies().filter_map(|s| Some(s.service.mean()?.seconds() * s.calls as f64)).sum();
        (calls > 0 && operations > 0).then(|| Part {
            calls_per_operation: calls as f64 / operations as f64,
            calls_per_s: calls as f64 / seconds,
            seconds: time / calls as f64,
        })
    };
    names.into_iter().filter_map(|name| Some((name.clone(), of(&name)?))).collect()
}
