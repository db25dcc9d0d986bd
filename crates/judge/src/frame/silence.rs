//! What was not measured, and why: what this host could not run, what the server refused, and what a machine of this
//! kind cannot show, and in what a workload is not what its name says. Said before a reader concludes it from an
//! absence.

use super::evidence::Evidence;
use model::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Contention needs holders that run at the same time.
const FEW_CPUS: usize = 4;

pub fn all(evidence: &Evidence) -> Vec<String> {
    let plan = &evidence.record.plan;
    let mut sentences: Vec<String> =
        plan.skipped.iter().map(|s| format!("{}: {}.", place(&s.axes), s.reason)).collect();
    sentences.extend(refused(evidence));
    let host = &evidence.record.host;
    if host.sockets.len() == 1 {
        sentences.push("The host has one socket: nothing is said about the cost of memory on another.".into());
    }
    if host.cpus.len() < FEW_CPUS {
        sentences.push(format!(
            "The host has {} CPUs: contention between threads that run at the same time is weak or absent here, and how far a server scales was not measured.",
            host.cpus.len()
        ));
    }
    let runs = || evidence.cells.iter().flat_map(|c| &c.runs);
    let disclosed = runs().flat_map(|r| &r.run.audits).flat_map(|a| a.disclosures.iter().cloned());
    sentences.extend(disclosed.collect::<BTreeSet<_>>());
    if runs().any(|r| r.is_co_located()) {
        sentences
            .push("Client and server share CPUs: every rate is one of both together, not of the server alone.".into());
    }
    if let (Some(system), true) = (&host.virtualization, runs().next().is_some()) {
        sentences.push(format!(
            "The host is virtual ({system}): clock frequency, temperature and hardware counters were not measured."
        ));
    }
    if evidence.record.canary.is_none() && runs().next().is_some() {
        sentences.push("There is no canary: how fast this load could go at most on this machine is unknown.".into());
    }
    sentences
}

/// Cells that the server or the lab refused, once per reason.
fn refused(evidence: &Evidence) -> Vec<String> {
    let mut reasons: BTreeMap<String, Vec<&BTreeMap<String, Value>>> = BTreeMap::new();
    for cell in evidence.cells.iter().filter(|c| c.was_skipped()) {
        reasons.entry(cell.no_number().unwrap_or_default()).or_default().push(&cell.cell.axes);
    }
    reasons
        .into_iter()
        .map(|(reason, cells)| format!("{} ({} cells): {reason}.", shared(&cells), cells.len()))
        .collect()
}

/// The axis values that all of these cells have in common and that not all cells need have.
fn shared(cells: &[&BTreeMap<String, Value>]) -> String {
    let first = cells[0];
    let common = first.iter().filter(|(key, value)| cells.iter().all(|c| c.get(*key) == Some(value)));
    let common: BTreeMap<String, Value> = common.map(|(k, v)| (k.clone(), v.clone())).collect();
    place(&common)
}

fn place(axes: &BTreeMap<String, Value>) -> String {
    let parts: BTreeSet<String> = axes.iter().map(|(key, value)| format!("{key} {value}")).collect();
    if parts.is_empty() {
        "Not measured".into()
    } else {
        format!("Not measured: {}", parts.into_iter().collect::<Vec<_>>().join(", "))
    }
}
