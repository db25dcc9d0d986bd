//! Cells of the study of system versioning side by side: each versioned one with the plain one that differs from it in
//! nothing else, and of both the times of a phase, repetition by repetition and iteration by iteration. Only phases
//! that found their pages in memory are told, since a phase that reads from disk is another machine, and only those
//! that no check has struck.
//!
//! And how much of the tables is history: rows are those that the users counted, from what was counted in the tables
//! before they came (law SV3 holds them against a COUNT of all versions at the end), bytes are what the server says of
//! its files. A partition of history has files of its own; elsewhere history takes the share of the files that its
//! versions are of all.

use crate::findings::frame::finding::Scene;
use crate::frame::account::{operation_us, per_operation};
use crate::frame::regime::{GROWN, Regime, regime};
use crate::frame::{CellEvidence, RunEvidence};
use crate::stats::Interval;
use model::{Phase, PhaseKind, Share, Users, Value, Work};
use std::collections::BTreeMap;

const FAMILY: &str = "versioned.";
const VARIANT: &str = "variant";
pub const PLAIN: &str = "plain";
/// Rows that the handler was asked for.
const ROWS: &str = "db.handler_reads";
/// The bytes of the partitions of history, where there are any.
const APART: &str = "data.history_bytes";

/// One phase of one run: microseconds of an operation, and rows that it looked at.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    pub us: f64,
    pub rows: Option<f64>,
}

/// Repetition and iteration.
pub type When = (u32, u32);

/// The variant of a cell whose phases are steps of the study.
pub fn variant(cell: &CellEvidence) -> Option<String> {
    let mut works = cell.cell.phases.iter().filter_map(|p| p.work.as_ref()).filter(|w| w.workload.starts_with(FAMILY));
    works.find_map(|work| work.parameters.get(VARIANT)?.text()).map(String::from)
}

/// Each cell of these variants, with the plain one of the same place; cells whose numbers may not be believed are left
/// out.
pub fn beside_plain<'a>(
    scene: &'a Scene<'a>,
    of: &[&str],
) -> Vec<(String, &'a CellEvidence<'a>, &'a CellEvidence<'a>)> {
    let usable = |c: &&CellEvidence| {
        let is_one = c.cell.repeats.is_none() && c.search.is_none() && c.cell.groups.is_empty();
        is_one && !c.runs.is_empty() && !scene.is_struck(&c.cell.id, None)
    };
    let place = |cell: &CellEvidence| -> BTreeMap<String, Value> {
        cell.cell.axes.iter().filter(|(key, _)| *key != VARIANT).map(|(k, v)| (k.clone(), v.clone())).collect()
    };
    let cells: Vec<_> = scene.evidence.cells.iter().filter(usable).collect();
    let plain = |cell: &CellEvidence| {
        let is_it = |c: &&&CellEvidence| variant(c).as_deref() == Some(PLAIN) && place(c) == place(cell);
        cells.iter().find(is_it).copied()
    };
    let named = cells.iter().filter_map(|cell| Some((variant(cell)?, *cell)));
    named.filter(|(name, _)| of.contains(&name.as_str())).filter_map(|(name, c)| Some((name, c, plain(c)?))).collect()
}

/// The measured steps of a cell's first iteration: name, work and users.
pub fn steps<'a>(cell: &CellEvidence<'a>) -> Vec<(&'a str, &'a Work, Users)> {
    let first = |p: &&Phase| p.kind == PhaseKind::Measure && p.step().1.unwrap_or(1) == 1;
    let told = |p: &'a Phase| Some((p.step().0, p.work.as_ref()?, p.users.unwrap_or(cell.cell.load.users)));
    cell.cell.phases.iter().filter(first).filter_map(told).collect()
}

/// What a step took in each run and iteration, where its pages were in memory and its numbers hold.
pub fn told(scene: &Scene, cell: &CellEvidence, step: &str) -> BTreeMap<When, Told> {
    let holds = |p: &&Phase| !scene.is_struck(&cell.cell.id, Some(&p.name));
    let of_step = cell.cell.phases.iter().filter(|p| p.step().0 == step).filter(holds);
    let each = of_step.flat_map(|phase| {
        let iteration = phase.step().1.unwrap_or(1);
        cell.of_phase(&phase.name).runs.into_iter().map(move |run| (iteration, run))
    });
    let cached = |run: &RunEvidence| regime(run).is_none_or(|reading| reading.regime == Regime::Cached);
    let told = |(iteration, run): (u32, RunEvidence)| {
        let us = operation_us(&run).filter(|us| *us > 0.0 && cached(&run))?;
        Some(((run.run.repetition, iteration), Told { us, rows: per_operation(&run, ROWS) }))
    };
    each.filter_map(told).collect()
}

/// What lies in the tables at the end of a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableContents {
    pub current_rows: f64,
    /// Versions that are no longer current.
    pub history_rows: f64,
    pub history_bytes: Option<f64>,
}

/// The contents after one phase of a run, which is `run.phases`; `None` where the tables are not those of the study, or
/// were not counted.
pub fn kept(run: &RunEvidence) -> Option<TableContents> {
    let [phase] = run.phases[..] else { return None };
    let audit = run.run.audits.iter().find(|a| a.groups.iter().any(|group| phase.groups.contains_key(group)))?;
    let counted = |name: &str| audit.answers.iter().find(|a| a.name == name).map(|answer| answer.before);
    let before = counted("current_rows")?? as f64;
    let all = counted("all_versions");
    let past = run.run.phases.iter().take_while(|p| p.from <= phase.from);
    let facts = |name: &str| -> f64 {
        past.clone().flat_map(|p| p.groups.values()).filter_map(|g| g.tally.facts.get(name)).sum::<i64>() as f64
    };
    let current_rows = (before + facts("rows_inserted") - facts("rows_deleted")).max(0.0);
    // A plain table is not asked for its versions.
    let history_rows = match all {
        None => 0.0,
        Some(all) => {
            let added = facts("rows_updated") + facts("rows_deleted") - facts("versions_deleted");
            (all? as f64 - before + added).max(0.0)
        }
    };
    let bytes = |name: &str| phase.counters.get(name).map(|ends| ends.end);
    let rows = current_rows + history_rows;
    let by_share = || bytes(GROWN).filter(|_| rows > 0.0).map(|files| files * history_rows / rows);
    Some(TableContents { current_rows, history_rows, history_bytes: bytes(APART).or_else(by_share) })
}

/// How much of `what` is gone; an interval that exceeds the whole says all of it.
pub fn gone(what: &str, share: Interval) -> String {
    let Interval { value, low, high } = share;
    match (value >= 1.0, low >= 1.0) {
        (_, true) => format!("all of {what} is gone"),
        (true, false) => format!("all of {what} is gone ({} at least)", Share(low)),
        (false, false) => {
            let high = if high >= 1.0 { "all of it".to_string() } else { Share(high).to_string() };
            format!("{} of {what} is gone ({} to {high})", Share(value), Share(low))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_all_of_something_is_all_of_it() {
        let told = |value, low, high| gone("it", Interval { value, low, high });
        assert_eq!(told(0.79, 0.59, 0.98), "79 % of it is gone (59 % to 98 %)");
        assert_eq!(told(0.9, 0.57, 1.4), "90 % of it is gone (57 % to all of it)");
        assert_eq!(told(3.06, 0.8, 5.3), "all of it is gone (80 % at least)");
        assert_eq!(told(3.06, 1.2, 5.3), "all of it is gone");
    }
}
