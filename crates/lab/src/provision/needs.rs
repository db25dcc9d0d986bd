//! What a run needs of servers and data, as far as its plan says it, and which datasets are loaded and kept together.

use super::snapshots::key::shape;
use crate::backends::needs::{DatasetNeed, of, writes};
use model::plan::{Cell, Plan, PlannedRun};
use workload::Workloads;

/// What one run needs.
pub struct RunNeeds<'a> {
    pub workloads: &'a Workloads,
    pub plan: &'a Plan,
    pub cell: &'a Cell,
    pub run: &'a PlannedRun,
    pub datasets: Vec<DatasetNeed>,
    /// Whether it changes them.
    pub writes: bool,
}

impl<'a> RunNeeds<'a> {
    pub fn of(workloads: &'a Workloads, plan: &'a Plan, cell: &'a Cell, run: &'a PlannedRun) -> Self {
        Self { workloads, plan, cell, run, datasets: of(workloads, cell), writes: writes(workloads, cell) }
    }
}

/// What is loaded and kept together: for a run that writes its own data and nothing else, so that its copy is as small
/// as can be; for a run that reads the data of all runs that only read on such a server, so that one instance
/// serves them all.
pub(crate) fn together(workloads: &Workloads, plan: &Plan, cell: &Cell) -> Vec<DatasetNeed> {
    let mut all = of(workloads, cell);
    if !writes(workloads, cell) {
        let shape_here = shape(&cell.server);
        let others = plan
            .cells
            .iter()
            .filter(|c| !writes(workloads, c) && c.server.on.is_none() && shape(&c.server) == shape_here);
        all.extend(others.flat_map(|cell| of(workloads, cell)));
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.dedup_by(|a, b| a.name == b.name);
    all
}
