//! Runs of a search: the level of each follows from the finished ones, which the lab remembers and, after a break,
//! reads back. What the answers mean is not known here.

use super::{Halt, Lab};
use crate::trouble::Trouble;
use model::plan::PlannedRun;
use model::record::event::EventKind;
use model::record::run::RunRecord;
use model::search::Step;

impl Lab<'_> {
    /// Reads back the finished runs of searches.
    pub(crate) fn recall(&mut self) -> Result<(), Trouble> {
        let plan = self.plan;
        let finished = |run: &&PlannedRun| plan.searches() && self.notebook.finished().contains(&run.id);
        let runs: Vec<&PlannedRun> = plan.runs.iter().filter(finished).collect();
        for run in runs {
            let record = self.notebook.finished_run(&run.id)?;
            self.remember(record);
        }
        Ok(())
    }

    pub(crate) fn remember(&mut self, run: RunRecord) {
        if self.plan.cell(&run.cell).search.is_some() {
            self.trials.entry(run.cell.clone()).or_default().push(run);
        }
    }

    /// What the search of the run's cell wants next; `None` where nothing is searched.
    pub(crate) fn step(&self, run: &PlannedRun) -> Option<Step> {
        let cell = self.plan.cell(&run.cell);
        cell.search.as_ref()?;
        let runs: Vec<&RunRecord> = self.trials.get(&run.cell).into_iter().flatten().collect();
        Some((self.next)(cell, &runs))
    }

    pub(crate) fn search_is_over(&mut self, run: &PlannedRun, why: &str) -> Result<(), Halt> {
        let text = format!("the search of {} is over: {why}", run.cell);
        self.progress.say(&text);
        Ok(self.notebook.note(EventKind::Note, None, text)?)
    }
}
