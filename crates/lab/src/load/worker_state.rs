//! Hot path: what the users of one worker share: the tally under way, the phase that holds, and whether it is over. A
//! worker is one thread, so cells and no locks; a user touches it once per turn and once per statement.

use super::backlog::Backlog;
use super::course::Course;
use super::ledger::{Ledger, Opened};
use super::queue::Queue;
use super::tally::WorkerTally;
use crate::executor::Gate;
use model::Nanos;
use model::errors::Errors;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use workload::session::{Answer, Class, Fact, Fault};

pub struct WorkerState {
    pub course: Arc<Course>,
    pub errors: Errors,
    pub tally: RefCell<Box<WorkerTally>>,
    /// Opens when the first phase starts, and again whenever a phase begins.
    pub gate: Gate,
    /// The phase that holds; `None` before the start.
    pub phase: Cell<Option<usize>>,
    pub over: Cell<bool>,
    /// When the first phase began.
    pub start: Cell<Nanos>,
    /// What is due, in a load whose operations have intended starts.
    pub backlog: Option<Queue>,
    /// Operations under way.
    pub in_flight: Cell<u32>,
    /// When the last of them ended, or the first of them began when none was under way.
    pub last_end: Cell<Nanos>,
}

impl WorkerState {
    /// The next arrival that nobody has taken.
    pub fn claim(&self) -> Nanos {
        self.backlog.as_ref().expect("arrivals have a schedule").with(Backlog::claim)
    }

    /// Counts the arrivals that are due by now, whoever takes them.
    pub fn look(&self, now: Nanos) {
        if let Some(backlog) = &self.backlog {
            backlog.with(|backlog| backlog.look(self.since_start(now), &mut self.tally.borrow_mut().arrivals));
        }
    }

    /// An operation waited for a moment and is sent so much after it could have been.
    pub fn lagged(&self, lag: Nanos) {
        self.tally.borrow_mut().lagged(lag);
    }

    #[inline]
    pub fn began(&self, now: Nanos) {
        if let Some(backlog) = &self.backlog {
            backlog.with(|backlog| backlog.begin(self.since_start(now), &mut self.tally.borrow_mut().arrivals));
        }
        if self.in_flight.replace(self.in_flight.get() + 1) == 0 {
            self.last_end.set(now);
        }
    }

    #[inline]
    pub fn answered(&self, now: Nanos) {
        self.in_flight.set(self.in_flight.get() - 1);
        self.tally.borrow_mut().gap(self.last_end.replace(now), now);
    }

    /// An operation failed: it answers nothing, so the gap goes on while others are under way.
    pub fn gave_up(&self, now: Nanos) {
        match self.in_flight.get() {
            1 => self.answered(now),
            n => self.in_flight.set(n - 1),
        }
    }

    fn since_start(&self, now: Nanos) -> Nanos {
        Nanos(now.0.saturating_sub(self.start.get().0))
    }
}

/// A user's ledger: the state that it sits on.
#[derive(Clone)]
pub struct StateLedger(pub Rc<WorkerState>);

impl Ledger for StateLedger {
    #[inline]
    fn asked(&self) {
        self.0.tally.borrow_mut().asked();
    }
    #[inline]
    fn answered(&self, class: Class, answer: &Answer, bytes: u64, service: Nanos) {
        self.0.tally.borrow_mut().answered(class, answer, bytes, service);
    }
    fn refused(&self, class: Class, fault: &Fault) {
        self.0.tally.borrow_mut().refused(class, fault);
    }
    fn unexpected(&self, class: Class) {
        self.0.tally.borrow_mut().unexpected(class);
    }
    fn counted(&self, fact: Fact, amount: i64) {
        self.0.tally.borrow_mut().counted(fact, amount);
    }
    fn connected(&self, time: Nanos, opened: Opened) {
        self.0.tally.borrow_mut().connected(time, opened);
    }
}
