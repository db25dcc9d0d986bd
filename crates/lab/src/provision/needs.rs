//! What a run needs of servers and data, as far as its plan says it, and which datasets are loaded and kept together.

use super::snapshots::key::shape;
use crate::backends::needs::{DatasetNeed, of, writes};
use model::plan::{Cell, Plan, PlannedRun};

/// What one run needs.
pub struct RunNeeds<'a> {
    pub plan: &'a Plan,
    pub cell: &'a Cell,
    pub run: &'a PlannedRun,
    pub datasets: Vec<DatasetNeed>,
    /// Whether it changes them.
    pub writes: bool,
}

impl<'a> RunNeeds<'a> {
    pub fn of(plan: &'a Plan, cell: &'a Cell, run: &'a PlannedRun) -> Self {
        Self { plan, cell, run, datasets: of(cell), writes: writes(cell) }
    }
}

/// What is loaded and kept together: for a run that writes its own data and nothing else, so that its copy is as small
/// as can be; for a run that reads the data of all runs that only read on such a server, so that one instance
/// serves them all.
pub(crate) fn together(plan: &Plan, cell: &Cell) -> Vec<DatasetNeed> {
    let mut all = of(cell);
    if !writes(cell) {
        let shape_here = shape(&cell.server);
        let others =
            plan.cells.iter().filter(|c| !writes(c) && c.server.on.is_none() && shape(&c.server) == shape_here);
        all.extend(others.flat_map(of));
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.dedup_by(|a, b| a.name == b.name);
    all
}
