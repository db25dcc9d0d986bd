//! How long a plan will still take: what its runs to come are planned for, and what those so far cost beyond that.

use crate::notebook::reporter::Progress;
use model::load::Until;
use model::{Cell, Nanos, Plan, PlannedRun};
use std::time::{Duration, Instant};

/// What a run is taken to cost beyond its phases before the first is over, in seconds.
const FIRST_GUESS: f64 = 0.05;

pub(crate) struct Pace {
    begun: Instant,
    /// Runs that are over.
    pub done: usize,
    planned: Nanos,
}

impl Pace {
    pub fn new() -> Self {
        Self { begun: Instant::now(), done: 0, planned: Nanos(0) }
    }

    /// One more run is over.
    pub fn passed(&mut self, cell: &Cell) {
        self.done += 1;
        self.planned = Nanos(self.planned.0 + phases_time(cell).0);
    }

    /// `todo` are the runs of this lab, those that are over among them.
    pub fn show(&self, plan: &Plan, todo: &[PlannedRun], progress: &mut dyn Progress, what: &str) {
        let total = plan.runs.len();
        let done = total - (todo.len() - self.done);
        let ahead = todo[self.done..].iter().map(|run| phases_time(plan.cell(&run.cell)).seconds());
        let overhead = match self.done {
            0 => FIRST_GUESS,
            n => ((self.begun.elapsed().as_secs_f64() - self.planned.seconds()) / n as f64).max(0.0),
        };
        let left = ahead.map(|seconds| seconds + overhead).sum::<f64>();
        progress.at(done as u64, total as u64, what, Duration::from_secs_f64(left));
    }
}

fn phases_time(cell: &Cell) -> Nanos {
    let time = |until: &Until| match until {
        Until::Time(time) | Until::Rest(time) => time.0,
        Until::Count(_) => 0,
    };
    Nanos(cell.phases.iter().map(|phase| time(&phase.until)).sum())
}
