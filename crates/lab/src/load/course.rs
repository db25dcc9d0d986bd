//! The course of one run, shared by its workers and its conductor: when it starts, which phase holds, when each ends,
//! and whether it must stop. A phase by time ends at a moment that everybody can compute; a phase by count ends when
//! the last of its operations does, and the worker that sees it writes the moment down. Atomics only: nothing here
//! waits.

use super::failure::Cause;
use super::turns::Turns;
use model::load::Until;
use model::{Nanos, Phase};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};

pub struct Course {
    phases: Vec<Phase>,
    /// Moment of the start; 0 before it.
    start: AtomicU64,
    /// Moment at which each phase ended or will; 0 while unknown.
    ends: Vec<AtomicU64>,
    /// How long a phase by count may take at most.
    at_most: Option<Nanos>,
    /// Operations of each phase that were begun and that ended; used for phases by count only.
    taken: Vec<AtomicU64>,
    finished: Vec<AtomicU64>,
    /// Those that are this rank's, and when the last of them ended; 0 while unknown.
    turns: Turns,
    is_one_of_several: bool,
    own_ends: Vec<AtomicU64>,
    ready: AtomicU32,
    left: AtomicU32,
    stop: AtomicBool,
    /// Users whose last operation met the deadline.
    stalled: AtomicU32,
    failure: Mutex<Option<(Cause, String)>>,
    /// Opened when the workers may go.
    released: (Mutex<bool>, Condvar),
}

impl Course {
    pub fn new(phases: &[Phase]) -> Self {
        let zeros = || phases.iter().map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        Self {
            phases: phases.to_vec(),
            start: AtomicU64::new(0),
            ends: zeros(),
            at_most: None,
            taken: zeros(),
            finished: zeros(),
            turns: Turns::of_all(),
            is_one_of_several: false,
            own_ends: zeros(),
            ready: AtomicU32::new(0),
            left: AtomicU32::new(0),
            stop: AtomicBool::new(false),
            stalled: AtomicU32::new(0),
            failure: Mutex::new(None),
            released: (Mutex::new(false), Condvar::new()),
        }
    }
    /// The same with a limit on phases by count: they end after this time, if not before.
    pub fn within(phases: &[Phase], at_most: Option<Nanos>) -> Self {
        Self { at_most, ..Self::new(phases) }
    }
    /// The same of one rank, whose users have these turns in phases by count. It ends none of them by itself.
    pub fn of_rank(self, turns: Turns) -> Self {
        for (phase, own) in self.phases.iter().zip(&self.own_ends) {
            let is_nothing = matches!(phase.until, Until::Count(limit) if turns.below(limit) == 0);
            own.store(u64::from(is_nothing), SeqCst);
        }
        Self { turns, is_one_of_several: true, ..self }
    }
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }
    /// Starts the first phase at that moment.
    pub fn start_at(&self, moment: Nanos) {
        self.start.store(moment.0, SeqCst);
        self.settle(0);
    }
    pub fn start(&self) -> Option<Nanos> {
        known(&self.start)
    }
    pub fn begin_of(&self, phase: usize) -> Option<Nanos> {
        if phase == 0 { self.start() } else { known(&self.ends[phase - 1]) }
    }
    pub fn end_of(&self, phase: usize) -> Option<Nanos> {
        known(&self.ends[phase])
    }
    /// Writes down the ends that follow from a beginning just known.
    fn settle(&self, from: usize) {
        for k in from..self.phases.len() {
            let length = match self.phases[k].until {
                Until::Time(length) | Until::Rest(length) => Some(length),
                Until::Count(_) => self.at_most,
            };
            match (length, self.begin_of(k)) {
                (Some(length), Some(begin)) => self.ends[k].store(begin.0 + length.0, SeqCst),
                (None, _) | (_, None) => return,
            }
        }
    }
    /// Takes one operation of a phase by count, and says which; `None` when all were taken.
    pub fn take(&self, phase: usize, limit: u64) -> Option<u64> {
        Some(self.turns.nth(self.taken[phase].fetch_add(1, SeqCst))).filter(|number| *number < limit)
    }
    /// An operation of a phase by count ended.
    pub fn finish(&self, phase: usize, limit: u64, now: Nanos) {
        if self.finished[phase].fetch_add(1, SeqCst) + 1 == self.turns.below(limit) {
            match self.is_one_of_several {
                true => self.own_ends[phase].store(now.0, SeqCst),
                false => self.end_phase(phase, now),
            }
        }
    }
    /// A phase by count has ended then, for all ranks.
    pub fn end_phase(&self, phase: usize, at: Nanos) {
        self.ends[phase].store(at.0, SeqCst);
        self.settle(phase + 1);
    }
    /// When this rank's part of a phase by count ended.
    pub fn own_end_of(&self, phase: usize) -> Option<Nanos> {
        known(&self.own_ends[phase])
    }
    /// Share of the phase's operations that ended, for progress.
    pub fn finished(&self, phase: usize) -> u64 {
        self.finished[phase].load(SeqCst)
    }
    pub fn user_ready(&self) {
        self.ready.fetch_add(1, SeqCst);
    }
    pub fn ready(&self) -> u32 {
        self.ready.load(SeqCst)
    }
    /// A user has come to its end, whatever the phase.
    pub fn user_left(&self) {
        self.left.fetch_add(1, SeqCst);
    }
    pub fn left(&self) -> u32 {
        self.left.load(SeqCst)
    }
    pub fn user_stalled(&self) {
        self.stalled.fetch_add(1, SeqCst);
    }
    pub fn user_revived(&self) {
        self.stalled.fetch_sub(1, SeqCst);
    }
    pub fn stalled(&self) -> u32 {
        self.stalled.load(SeqCst)
    }
    /// Ends the run for the first reason given; later ones are consequences.
    pub fn fail(&self, reason: String) {
        self.fail_by(Cause::Other, reason);
    }
    pub fn fail_by(&self, cause: Cause, reason: String) {
        self.failure.lock().expect("no panic while held").get_or_insert((cause, reason));
        self.stop.store(true, SeqCst);
    }
    pub fn failure(&self) -> Option<(Cause, String)> {
        self.failure.lock().expect("no panic while held").clone()
    }
    /// Lets the workers go: what is to be read of their threads has been read.
    pub fn release(&self) {
        *self.released.0.lock().expect("no panic while held") = true;
        self.released.1.notify_all();
    }
    pub fn is_released(&self) -> bool {
        *self.released.0.lock().expect("no panic while held")
    }
    /// Waits, after a worker's users have left, until it may go.
    pub fn linger(&self) {
        let released = self.released.0.lock().expect("no panic while held");
        drop(self.released.1.wait_while(released, |released| !*released));
    }
    pub fn stop(&self) {
        self.stop.store(true, SeqCst);
    }
    pub fn stopped(&self) -> bool {
        self.stop.load(SeqCst)
    }
}

fn known(moment: &AtomicU64) -> Option<Nanos> {
    match moment.load(SeqCst) {
        0 => None,
        t => Some(Nanos(t)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::load::PhaseKind;

    fn phase(until: Until) -> Phase {
        Phase::new("p", PhaseKind::Measure, until)
    }

    #[test]
    fn phases_by_time_are_known_at_the_start_and_phases_by_count_when_done() {
        let course =
            Course::new(&[phase(Until::Time(Nanos(10))), phase(Until::Count(2)), phase(Until::Time(Nanos(5)))]);
        assert_eq!(course.begin_of(0), None);
        course.start_at(Nanos(100));
        assert_eq!(course.end_of(0), Some(Nanos(110)));
        assert_eq!(course.end_of(1), None);
        assert_eq!([0; 3].map(|_| course.take(1, 2)), [Some(0), Some(1), None]);
        course.finish(1, 2, Nanos(150));
        assert_eq!(course.end_of(1), None);
        course.finish(1, 2, Nanos(170));
        assert_eq!((course.end_of(1), course.end_of(2)), (Some(Nanos(170)), Some(Nanos(175))));
    }
}
