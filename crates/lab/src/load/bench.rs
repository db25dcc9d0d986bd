//! Hot path: what the users of one worker share: the tally under way, the phase that holds, and whether it is over. A worker is one
//! thread, so cells and no locks; a user touches it once per turn and once per statement.

use super::course::Course;
use super::executor::Gate;
use super::tally::WorkerTally;
use crate::clock;
use crate::sessions::mysql::Ledger;
use model::load::Until;
use model::units::Nanos;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use workload::session::{Answer, Class, Fault};
use workload::user::{Decision, End, Operation, Seat};

/// Deadlock and lock wait time-out: the transaction was the victim of another one, and doing it again may succeed.
const RETRYABLE: &[u16] = &[1205, 1213];

pub struct Bench {
    pub course: Arc<Course>,
    pub tally: RefCell<Box<WorkerTally>>,
    /// Opens when the first phase starts, and again whenever a phase begins.
    pub gate: Gate,
    /// The phase that holds; `None` before the start.
    pub phase: Cell<Option<usize>>,
    pub over: Cell<bool>,
}

/// A user's ledger: the bench that it sits on.
#[derive(Clone)]
pub struct OnBench(pub Rc<Bench>);

impl Ledger for OnBench {
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
    fn reconnected(&self) {
        self.0.tally.borrow_mut().reconnected();
    }
}

/// A seat under a closed load: the next turn comes as soon as the last operation ended.
pub struct ClosedSeat {
    bench: Rc<Bench>,
    began: Nanos,
    /// Phase and limit that this operation counts for, in a phase by count.
    counted: Option<(usize, u64)>,
}

impl ClosedSeat {
    pub fn new(bench: Rc<Bench>) -> Self {
        Self { bench, began: Nanos(0), counted: None }
    }

    fn settle(&mut self) {
        if let Some((phase, limit)) = self.counted.take() {
            self.bench.course.finish(phase, limit, clock::now());
        }
    }
}

impl Seat for ClosedSeat {
    #[inline]
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        loop {
            if self.bench.over.get() {
                return Poll::Ready(false);
            }
            if let Some(phase) = self.bench.phase.get() {
                match self.bench.course.phases()[phase].until {
                    Until::Time(_) => break,
                    Until::Count(limit) if self.bench.course.take(phase, limit) => {
                        self.counted = Some((phase, limit));
                        break;
                    }
                    Until::Count(_) => {}
                }
            }
            // Before the start, or all operations of this phase are taken: wait for the next.
            if self.bench.gate.poll_pass(cx).is_pending() {
                return Poll::Pending;
            }
        }
        self.began = clock::now();
        Poll::Ready(true)
    }

    #[inline]
    fn ended(&mut self, operation: Operation, end: End) {
        let latency = Nanos(clock::now().0 - self.began.0);
        self.bench.tally.borrow_mut().ended(operation, end, latency);
        self.settle();
    }

    #[cold]
    fn met(&mut self, operation: Operation, fault: &Fault) -> Decision {
        let over = self.bench.over.get() || self.bench.course.stopped();
        let decision = match fault {
            Fault::Server { code, .. } if RETRYABLE.contains(code) && !over => Decision::Retry,
            Fault::Server { .. } if !over => Decision::GiveUp,
            Fault::Lost(_) | Fault::TimedOut | Fault::Protocol(_) if !over => Decision::Reconnect,
            Fault::Server { .. } | Fault::Lost(_) | Fault::TimedOut | Fault::Protocol(_) | Fault::Stopped => {
                Decision::Stop
            }
        };
        let mut tally = self.bench.tally.borrow_mut();
        match decision {
            Decision::Retry => tally.retried(operation, fault),
            Decision::GiveUp | Decision::Reconnect | Decision::Stop => tally.failed(operation, fault),
        }
        drop(tally);
        if decision != Decision::Retry {
            self.settle();
        }
        decision
    }

    fn ready(&mut self) {
        self.bench.course.user_ready();
    }
}
