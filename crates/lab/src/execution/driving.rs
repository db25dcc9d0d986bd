//! The loads of one run, one stage after the other, until one of them ends it; between two stages other runs may have
//! their turn. When a stage begins its plans are asked for, and again when it is over: each sees other data. What that
//! asks of the server is counted with none of them.

use super::drain;
use super::groups::{PATIENCE_BETWEEN, ask, ask_again};
use super::ranks::Led;
use super::recorder::{RunRecorder, Show, Watch, joined};
use super::sampling::{Readings, between, together};
use super::settling::{Begin, settle};
use crate::backends::access::LoadPlan;
use crate::disturbances::scene::acting::Over;
use crate::load::{Outcome, Witness, drive_within};
use crate::notebook::reporter::Reporter;
use crate::os::clock;
use crate::provision::needs::RunNeeds;
use crate::trouble::Trouble;
use model::plan::Stage;
use model::record::run::Ends;
use model::{EventKind, Nanos, RunRecord};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Whoever asked for this very run, hears what the record hears, and waits for its end. Nobody goes on with such a run.
pub struct Caller<'a> {
    /// A time after which a phase by count ends in any case.
    pub at_most: Option<Nanos>,
    pub witness: &'a mut dyn Witness,
    /// How the load ended, once it did.
    pub outcome: Option<Outcome>,
}

/// What the loads of a run have come to so far.
#[derive(Default)]
pub(crate) struct SoFar {
    /// The stage that comes next.
    next: usize,
    outcomes: Vec<Outcome>,
    /// What was counted in each.
    windows: Vec<BTreeMap<String, Ends>>,
    /// What the server owed before the first.
    rested: Option<Readings>,
}

impl SoFar {
    /// All of them as if they had been one.
    pub fn joined(self, record: &mut RunRecord, caller: Option<&mut Caller<'_>>) -> Outcome {
        record.whole.counters = together(self.windows);
        let outcome = joined(self.outcomes);
        if let Some(caller) = caller {
            caller.outcome = Some(outcome.clone());
        }
        outcome
    }
}

/// The loads of one run on their way.
pub(crate) struct Driving<'d, 's, 'r, 'c, 'l> {
    pub needs: &'d RunNeeds<'d>,
    pub recorder: &'d mut RunRecorder<'s>,
    pub reporter: &'d mut Reporter<'r>,
    pub show: Show<'d>,
    pub caller: Option<&'d mut Caller<'c>>,
    /// The other ranks, where there are some.
    pub led: Option<&'d mut Led<'l>>,
    /// How the server is begun to be brought to rest.
    pub rest: Begin<'d>,
    /// The record as it grows.
    pub record: &'d mut RunRecord,
}

impl Driving<'_, '_, '_, '_, '_> {
    /// Drives the next stage; whether another comes behind it.
    pub fn stage(mut self, stages: &[(Stage, LoadPlan)], so_far: &mut SoFar) -> Result<bool, Trouble> {
        let stage = &stages[so_far.next];
        so_far.next += 1;
        let is_last = so_far.next == stages.len();
        let phases = &self.recorder.cell.phases[stage.0.phases.clone()];
        if phases.iter().any(|phase| phase.rest().is_some()) {
            self.settle(stage.0.phases.clone())?;
            let stopped = so_far.outcomes.last_mut().filter(|_| self.reporter.stop.load(Relaxed));
            return Ok(stopped.map(|before| before.stopped = true).is_none() && !is_last);
        }
        if let Some(before) = so_far.outcomes.last_mut() {
            match ask(stage, self.needs.workloads, self.recorder.cell, PATIENCE_BETWEEN) {
                Ok(told) => self.record.more_sessions.extend(told),
                Err(fault) => {
                    before.failure = Some(format!("before {}: {fault}", stage.1.phases[0].name));
                    return Ok(false);
                }
            }
        }
        let quiet = self.recorder.mark();
        let rested = so_far.rested.get_or_insert_with(|| quiet.clone());
        let mut outcome = self.one(stage)?;
        if is_last && outcome.failure.is_none() && !outcome.stopped {
            self.drain(rested);
        }
        let start = so_far.outcomes.first().map_or(outcome.start, |first| first.start);
        so_far.windows.push(between(&quiet, &self.recorder.mark(), start));
        if stages.len() > 1 {
            // Which step failed is half of why.
            let phase = &stage.1.phases[outcome.phases.len().saturating_sub(1)].name;
            outcome.failure = outcome.failure.map(|why| format!("in {phase}: {why}"));
        }
        if outcome.failure.is_none() && !outcome.stopped {
            ask_again(stage, self.needs.workloads, self.recorder.cell, self.record);
        }
        let is_over = outcome.failure.is_some() || outcome.stopped || outcome.cut;
        so_far.outcomes.push(outcome);
        Ok(!is_over && !is_last)
    }

    fn one(&mut self, (stage, load_plan): &(Stage, LoadPlan)) -> Result<Outcome, Trouble> {
        let stop = self.reporter.stop;
        let at_most = self.caller.as_ref().and_then(|caller| caller.at_most);
        let beside = self.caller.as_mut().map(|caller| &mut *caller.witness as &mut dyn Witness);
        let mut watch = Watch {
            recorder: &mut *self.recorder,
            reporter: &mut *self.reporter,
            show: self.show,
            beside,
            run: self.needs.run,
            stage,
            workers: load_plan.workers(),
        };
        let outcome = match &mut self.led {
            Some(led) => led.drive(load_plan, at_most, stop, &mut watch),
            None => drive_within(load_plan, at_most, stop, &mut watch),
        };
        let outcome = outcome.map_err(|e| Trouble::new("the load could not run").because(e))?;
        for Over { record, trouble, .. } in self.recorder.rest() {
            let text = format!("{}: {}", record.what, trouble.unwrap_or(record.sentence));
            self.reporter.note(EventKind::DisturbanceEnded, Some(&self.needs.run.id), text)?;
        }
        Ok(outcome)
    }

    /// Phases in which nobody works.
    fn settle(&mut self, phases: Range<usize>) -> Result<(), Trouble> {
        for place in phases {
            let phase = &self.recorder.cell.phases[place];
            let Some(most) = phase.rest() else { continue };
            let begun = clock::now();
            let settled = settle(&self.recorder.sampling, self.rest, most, self.reporter.stop);
            let text = match settled.is_over {
                true => format!("{}: at rest after {}", phase.name, settled.took),
                false => format!("{}: not at rest after {}", phase.name, settled.took),
            };
            self.reporter.note(EventKind::Note, Some(&self.needs.run.id), text)?;
            self.recorder.settled(place, begun, settled);
        }
        Ok(())
    }

    /// Waits for what the server still owes, where the experiment asks for it.
    fn drain(&mut self, rested: &Readings) {
        let Some(most) = self.recorder.cell.load.drain else { return };
        self.record.whole.drain = Some(drain::wait(&self.recorder.sampling, rested, most, self.reporter.stop));
    }
}
