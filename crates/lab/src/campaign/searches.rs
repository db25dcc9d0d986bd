//! Runs of a search: the level of each follows from the finished ones, which the walk remembers and, after a break,
//! reads back. What the answers mean is not known here.

use crate::notebook::Notebook;
use crate::trouble::Trouble;
use model::search::Step;
use model::{Cell, CellId, Plan, PlannedRun, RunRecord};
use std::collections::BTreeMap;

/// Which level the next run of a searching cell takes, by its finished runs: a rule of the judge's that the lab only
/// follows.
pub type Next = fn(&Cell, &[&RunRecord]) -> Step;

pub(crate) struct Searches<'a> {
    plan: &'a Plan,
    next: Next,
    /// By searching cell: its finished runs in order.
    trials: BTreeMap<CellId, Vec<RunRecord>>,
}

impl<'a> Searches<'a> {
    /// Reads back the finished runs of searches.
    pub fn recall(plan: &'a Plan, next: Next, notebook: &Notebook) -> Result<Self, Trouble> {
        let mut searches = Self { plan, next, trials: BTreeMap::new() };
        let finished = |run: &&PlannedRun| plan.searches() && notebook.finished().contains(&run.id);
        for run in plan.runs.iter().filter(finished) {
            searches.remember(notebook.finished_run(&run.id)?);
        }
        Ok(searches)
    }

    pub fn remember(&mut self, run: RunRecord) {
        if self.plan.cell(&run.cell).search.is_some() {
            self.trials.entry(run.cell.clone()).or_default().push(run);
        }
    }

    /// What the search of the run's cell wants next; `None` where nothing is searched.
    pub fn step(&self, run: &PlannedRun) -> Option<Step> {
        let cell = self.plan.cell(&run.cell);
        cell.search.as_ref()?;
        let runs: Vec<&RunRecord> = self.trials.get(&run.cell).into_iter().flatten().collect();
        Some((self.next)(cell, &runs))
    }
}
