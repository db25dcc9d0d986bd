//! The conductor of a load, on the thread of whoever asked for it: starts all users together once they are ready, takes
//! over what they counted, tells its witness when phases begin and end, and sees to it that the end comes.

use super::beside::Beside;
use super::course::Course;
use super::tally::WorkerTally;
use super::worker::Handover;
use super::{LoadPlan, Outcome, UserGroup, Witness};
use crate::os::{clock, waits};
use crate::ranks::message::Part;
use model::load::Until;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;
use workload::Doing;

/// Time between "all users are ready" and the start, so that every worker sees the start before it comes.
const RUN_UP: Nanos = Nanos::from_millis(5);

/// How often the conductor looks whether it should stop while nothing arrives.
const LOOK: Duration = Duration::from_millis(20);

/// The same while other ranks wait for this one's word: a start, or the end of a phase by count.
const NEAR: Duration = Duration::from_millis(1);

/// After being told to stop, users have so long to heed it; then they are interrupted where they are.
const PATIENCE: Nanos = Nanos::from_millis(1_000);

/// After the end or a stop, how long users may take to come to their end before the run is declared stuck.
const FAREWELL: Nanos = Nanos::from_millis(1_500);

/// Starts all users together, takes what they count, and ends with them.
pub(super) struct Conductor<'a, 'b, D> {
    pub(super) load_plan: &'a LoadPlan<D>,
    /// Users of this rank.
    pub(super) users: u32,
    pub(super) course: &'a Course,
    pub(super) stop: &'a AtomicBool,
    pub(super) witness: &'a mut dyn Witness,
    /// By worker, then group.
    pub(super) spares: &'a BTreeMap<u32, Vec<Sender<Box<WorkerTally>>>>,
    pub(super) outcome: &'a mut Outcome,
    pub(super) beside: Option<&'a mut (dyn Beside + 'b)>,
}

impl<D> Conductor<'_, '_, D> {
    pub(super) fn conduct(&mut self, handovers: &Receiver<Handover>) {
        let mut phase = None;
        let (mut ended_at, mut stopped_at) = (None, None);
        let longest = self.load_plan.user_groups.iter().map(|c| c.deadline.0).max().unwrap_or_default();
        let what = format!("{} users to be ready; for each of their answers", self.users);
        let mut gathering = Some(waits::Said::begin(&what, Duration::from_nanos(longest)));
        loop {
            if self.course.start().is_some() || self.course.stopped() {
                drop(gathering.take());
            }
            match handovers.recv_timeout(self.patience(phase)) {
                Ok(handover) => self.take(handover),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.stop.load(Relaxed) {
                self.outcome.stopped = true;
                self.course.stop();
            }
            if let Some(why) = self.witness.look() {
                self.course.fail(why);
            }
            if self.is_under_way() && self.witness.is_certain() {
                self.outcome.cut = true;
                self.course.stop();
            }
            self.meet();
            // Users that open sessions themselves may leave before their time.
            if self.is_under_way() && self.have_all_left() {
                self.outcome.cut = true;
                self.course.stop();
            }
            if self.course.stopped() && clock::now().0 > stopped_at.get_or_insert_with(clock::now).0 + PATIENCE.0 {
                self.load_plan.user_groups.iter().for_each(|user_group| user_group.workload.interrupt());
            }
            self.start_when_ready();
            self.turn(&mut phase);
            if self.course.stopped() || phase == Some(self.course.phases().len()) {
                self.settle(&mut phase);
            }
            let last = self.course.phases().len() - 1;
            if let Some(end) = self.course.end_of(last).filter(|end| clock::now() >= *end) {
                let deadlines = self.load_plan.user_groups.iter().map(|c| c.deadline.0);
                let patience = deadlines.fold(FAREWELL.0, u64::max);
                if clock::now().0 > *ended_at.get_or_insert(end.0) + patience {
                    self.course.fail("users did not come to their end".into());
                }
            }
        }
    }

    /// Neither stopped nor, by the clock, at its end.
    fn is_under_way(&self) -> bool {
        let last = self.course.phases().len() - 1;
        !self.course.stopped() && self.course.end_of(last).is_none_or(|end| clock::now() < end)
    }

    /// The next moment at which a phase ends, if one is known.
    fn next_moment(&self, phase: Option<usize>) -> Option<Nanos> {
        match phase {
            None => self.course.start(),
            Some(p) if p < self.course.phases().len() => self.course.end_of(p).filter(|end| *end > clock::now()),
            Some(_) => None,
        }
    }

    /// How long to wait for a handover.
    fn patience(&self, phase: Option<usize>) -> Duration {
        let is_by_count = |p: usize| self.course.phases().get(p).is_none_or(|p| matches!(p.until, Until::Count(_)));
        let is_awaited = self.beside.is_some() && phase.is_none_or(is_by_count);
        let look = if is_awaited { NEAR } else { LOOK };
        self.next_moment(phase).map_or(look, |at| Duration::from_nanos(at.0.saturating_sub(clock::now().0)).min(look))
    }

    fn start_when_ready(&mut self) {
        if self.course.start().is_some() || self.course.stopped() {
            return;
        }
        let is_ready = self.course.ready() == self.users;
        let alone = || is_ready.then(|| Nanos(clock::now().0 + RUN_UP.0));
        let start = self.beside.as_mut().map_or_else(alone, |beside| beside.start(is_ready));
        if let Some(start) = start {
            self.witness.starts();
            self.outcome.start = start;
            self.course.start_at(start);
        }
    }

    /// Hears what other ranks say and counted.
    fn meet(&mut self) {
        let Some(beside) = &mut self.beside else { return };
        beside.meet(self.course).into_iter().for_each(|part| self.count(part));
    }

    fn have_all_left(&mut self) -> bool {
        let own = self.course.left() == self.users;
        self.beside.as_mut().map_or(own, |beside| beside.have_all_left(own))
    }

    /// Waits, when this rank's workers have ended, until the others told what theirs came to.
    pub(super) fn hear_the_others_out(&mut self) {
        while self.beside.as_ref().is_some_and(|beside| !beside.is_over()) {
            if self.stop.load(Relaxed) {
                self.outcome.stopped = true;
                self.course.stop();
            }
            self.meet();
            std::thread::sleep(NEAR);
        }
    }

    /// Tells the witness about phases that began and ended by now.
    fn turn(&mut self, phase: &mut Option<usize>) {
        let phases = self.course.phases().len();
        loop {
            let now = clock::now();
            match *phase {
                None if self.course.start().is_some_and(|start| now >= start) => self.begin(phase, 0),
                Some(p) if p < phases && self.course.end_of(p).is_some_and(|end| now >= end) => {
                    self.end(p);
                    self.begin(phase, p + 1);
                }
                None | Some(_) => break,
            }
        }
        if let (Some(start), Some(end)) = (self.course.start(), self.course.end_of(phases - 1)) {
            self.witness.progress((clock::now().0.saturating_sub(start.0)) as f64 / (end.0 - start.0).max(1) as f64);
        }
    }

    fn begin(&mut self, phase: &mut Option<usize>, next: usize) {
        *phase = Some(next);
        if next < self.course.phases().len() {
            let at = clock::now();
            self.outcome.phases.push((at, at));
            self.witness.phase_begins(next, at);
        }
    }

    fn end(&mut self, phase: usize) {
        let at = clock::now();
        self.outcome.phases[phase].1 = at;
        self.witness.phase_ends(phase, at);
    }

    fn take(&mut self, handover: Handover) {
        let Handover { worker, user_group, phase, from, to, mut tally } = handover;
        let (questions, rows) = tally.whole();
        let named = tally.named(&*self.load_plan.user_groups[user_group].workload);
        tally.clear();
        let _ = self.spares[&worker][user_group].send(tally);
        let part = Part { user_group, phase, from, to, questions, rows, tally: named };
        if let Some(beside) = &mut self.beside {
            beside.counted(&part);
        }
        self.count(part);
    }

    fn count(&mut self, part: Part) {
        let Part { user_group, phase, from, to, questions, rows, tally: named } = part;
        self.outcome.questions += questions;
        self.outcome.rows += rows;
        let UserGroup { workload, parameters, .. } = &self.load_plan.user_groups[user_group];
        if !workload.affected_are_rows(parameters) {
            self.outcome.writes.rows = None;
        }
        let writes = |doing| matches!(doing, Doing::Write | Doing::WriteAndCommit);
        for written in workload.statements().iter().filter(|s| writes(s.doing)) {
            if let Some(tally) = named.statements.get(written.name) {
                self.outcome.writes.statements += tally.calls + tally.failed.values().sum::<u64>();
                self.outcome.writes.rows = self.outcome.writes.rows.map(|rows| rows + tally.affected);
            }
        }
        self.outcome.counted[user_group].add(&named);
        self.outcome.whole.merge(&named);
        match phase {
            Some(phase) => self.witness.interval(user_group, phase, from, to, named),
            None => self.witness.outside(user_group, from, to, named),
        }
    }

    /// Nothing more is to be counted: a phase cut short ends now, and the workers may go.
    fn settle(&mut self, phase: &mut Option<usize>) {
        if let Some(p) = phase.filter(|p| *p < self.course.phases().len()) {
            self.end(p);
            *phase = Some(self.course.phases().len());
        }
        self.course.release();
    }
}
