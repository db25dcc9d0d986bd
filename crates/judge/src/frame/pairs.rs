//! Which cells a reader lays side by side: every cell against the one that differs from it on one axis only, where that
//! axis has its first value. As many pairs as cells and axes, not as cells squared; two cells that agree with their
//! common reference agree with each other.

use super::evidence::{CellEvidence, Evidence};
use model::{CellId, Value};
use std::collections::BTreeMap;

pub struct Pair<'a> {
    pub axis: &'a str,
    pub base: &'a CellEvidence<'a>,
    pub candidate: &'a CellEvidence<'a>,
}

/// Each cell that is repeated under another label, with its repetition; no axis lies between them.
pub fn twins<'a>(evidence: &'a Evidence<'a>) -> Vec<Pair<'a>> {
    let of = |id: &CellId| evidence.cells.iter().find(|c| c.cell.id == *id);
    let twins = evidence.cells.iter().filter_map(|candidate| Some((of(candidate.cell.repeats.as_ref()?)?, candidate)));
    twins.map(|(base, candidate)| Pair { axis: "", base, candidate }).collect()
}

pub fn all<'a>(evidence: &'a Evidence<'a>) -> Vec<Pair<'a>> {
    let own = evidence.cells.iter().filter(|c| c.cell.repeats.is_none());
    let places: BTreeMap<&BTreeMap<String, Value>, &CellEvidence> = own.clone().map(|c| (&c.cell.axes, c)).collect();
    let mut pairs = Vec::new();
    for axis in &evidence.record.plan.axes {
        for candidate in own.clone().filter(|c| c.cell.axes.contains_key(&axis.key)) {
            let mut axes = candidate.cell.axes.clone();
            // A first value that this host cannot run leaves the next one as reference.
            let base = axis.values.iter().find_map(|value| {
                axes.insert(axis.key.clone(), value.clone());
                places.get(&axes).copied()
            });
            // In records from before, an axis of engines names others than its cells have.
            if let Some(base) = base.filter(|base| base.cell.id != candidate.cell.id) {
                pairs.push(Pair { axis: &axis.key, base, candidate });
            }
        }
    }
    pairs
}
