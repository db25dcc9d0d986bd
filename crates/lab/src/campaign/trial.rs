//! Runs of a search: the level of each follows from the finished ones, which the lab remembers and, after a break, reads back; and a
//! run whose answer is certain before its end is cut short. What the answers mean is not known here.

use super::{Halt, Lab};
use crate::trouble::Trouble;
use model::load::{PhaseKind, Until};
use model::plan::{Cell, PlannedRun};
use model::record::event::EventKind;
use model::record::run::RunRecord;
use model::record::tally::Tally;
use model::search::{Goal, Keep, Search, Step};

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

/// Counts what broke the limit of a search while its run goes on.
pub(crate) struct LimitWatch {
    keep: Keep,
    missed: u64,
    /// Operations expected while it is measured.
    expected: f64,
}

impl LimitWatch {
    /// `None` where the run has no limit to break.
    pub fn of(cell: &Cell) -> Option<Self> {
        let Search { goal: Goal::Rate { keep }, .. } = cell.search.as_ref()? else { return None };
        let rate = cell.load.arrivals.as_ref()?.rate.first;
        let operations = |until: Until| match until {
            Until::Time(time) => rate * time.seconds(),
            Until::Count(count) => count as f64,
        };
        let measured = cell.phases.iter().filter(|p| p.kind == PhaseKind::Measure);
        Some(Self { keep: *keep, missed: 0, expected: measured.map(|p| operations(p.until)).sum() })
    }

    pub fn saw(&mut self, tally: &Tally) {
        self.missed += self.keep.missed(tally);
    }

    pub fn is_lost(&self) -> bool {
        self.keep.is_lost(self.missed, self.expected)
    }

    pub fn sentence(&self) -> String {
        let Self { keep, missed, expected } = self;
        format!("{missed} operations had missed {keep} already, too many for the {expected:.0} of the whole run")
    }
}
