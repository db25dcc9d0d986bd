//! Cells of the study of system versioning side by side: each versioned one with the plain one that differs from it in nothing
//! else, and of both the times of a phase, repetition by repetition and iteration by iteration. Only phases that found
//! their pages in memory are told, since a phase that reads from disk is another machine, and only those that no check has struck.

use crate::account::{operation_us, per_operation};
use crate::evidence::{CellEvidence, RunEvidence};
use crate::finding::Scene;
use crate::regime::{Regime, regime};
use model::load::{Phase, PhaseKind, Work};
use model::units::Users;
use model::value::Value;
use std::collections::BTreeMap;

const FAMILY: &str = "versioned.";
const VARIANT: &str = "variant";
pub const PLAIN: &str = "plain";
/// Rows that the handler was asked for.
const ROWS: &str = "db.handler_reads";

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

/// Each cell of these variants, with the plain one of the same place; cells whose numbers may not be believed are left out.
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
