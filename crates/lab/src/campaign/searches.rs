//! Plans that may end before their last run. Runs of a search: the level of each follows from the finished ones, which
//! the walk remembers and, after a break, reads back. What the answers mean is not known here.

use crate::notebook::Notebook;
use crate::trouble::Trouble;
use model::record::rates::{self, Enough, Rates};
use model::search::Step;
use model::{Cell, CellId, Plan, PlannedRun, RunRecord};
use std::collections::BTreeMap;

/// Which level the next run of a searching cell takes, by its finished runs: a rule of the judge's that the lab only
/// follows.
pub type Next = fn(&Cell, &[&RunRecord]) -> Step;

/// The rules by which a plan ends before its last run.
#[derive(Clone, Copy)]
pub struct Rules {
    pub next: Next,
    /// Whether further blocks are needed, where noise says how many repetitions there are.
    pub enough: Enough,
}

pub(crate) struct Searches<'a> {
    plan: &'a Plan,
    rules: Rules,
    /// The rates so far, of plans whose repetitions follow from their noise.
    rates: Rates,
    /// By searching cell: its finished runs in order.
    trials: BTreeMap<CellId, Vec<RunRecord>>,
}

impl<'a> Searches<'a> {
    /// Reads back the finished runs of searches.
    pub fn recall(plan: &'a Plan, rules: Rules, notebook: &Notebook) -> Result<Self, Trouble> {
        let mut searches = Self { plan, rules, rates: Rates::new(), trials: BTreeMap::new() };
        let finished = |run: &&PlannedRun| plan.is_at_most() && notebook.finished().contains(&run.id);
        for run in plan.runs.iter().filter(finished) {
            searches.remember(notebook.finished_run(&run.id)?);
        }
        Ok(searches)
    }

    pub fn remember(&mut self, run: RunRecord) {
        if self.plan.until.is_some() {
            rates::add(&mut self.rates, &run);
        }
        if self.plan.cell(&run.cell).search.is_some() {
            self.trials.entry(run.cell.clone()).or_default().push(run);
        }
    }

    /// What the search of the run's cell wants next; `None` where nothing is searched.
    pub fn step(&self, run: &PlannedRun) -> Option<Step> {
        let cell = self.plan.cell(&run.cell);
        cell.search.as_ref()?;
        let runs: Vec<&RunRecord> = self.trials.get(&run.cell).into_iter().flatten().collect();
        Some((self.rules.next)(cell, &runs))
    }

    /// Why no further block is made when those before this one are over; `None` to go on, and where all are wanted.
    pub fn enough(&self, block: u32) -> Option<String> {
        (self.rules.enough)(self.plan.until.as_ref()?, &self.rates, block - 1)
    }
}
