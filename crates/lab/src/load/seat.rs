//! Hot path: a user's seat: it gives turns when the load wants an operation, keeps its times, and decides about retries.
//! Latency counts from the intended start where there is one, service time from the actual one; where there is none, the
//! two are the same and only one is kept.

use super::Crew;
use super::bench::Bench;
use super::executor::{Handle, Sleep};
use super::rhythm::Rhythm;
use crate::clock;
use model::load::Until;
use model::units::Nanos;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use workload::session::Fault;
use workload::user::{Decision, End, Operation, Seat};

/// Deadlock and lock wait time-out: the transaction was the victim of another one, and doing it again may succeed.
const RETRYABLE: &[u16] = &[1205, 1213];

pub struct UserSeat {
    bench: Rc<Bench>,
    handle: Handle,
    rhythm: Rhythm,
    /// The intended start of the next operation, and since when the user is free for it.
    due: Option<(Nanos, Nanos)>,
    sleep: Option<Sleep>,
    intended: Nanos,
    began: Nanos,
    /// Phase and limit that this operation counts for, in a phase by count.
    counted: Option<(usize, u64)>,
}

impl UserSeat {
    pub fn new(bench: Rc<Bench>, handle: Handle, crew: &Crew, user: u32) -> Self {
        let rhythm = Rhythm::of(crew, user);
        Self { bench, handle, rhythm, due: None, sleep: None, intended: Nanos(0), began: Nanos(0), counted: None }
    }

    /// Ready when the intended start has come.
    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Rhythm::AtOnce = self.rhythm {
            return Poll::Ready(());
        }
        let (due, _) = *self.due.get_or_insert_with(|| {
            let now = clock::now();
            (self.rhythm.next(&self.bench, now), now)
        });
        let sleep = self.sleep.get_or_insert_with(|| self.handle.sleep_until(due));
        if Pin::new(sleep).poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.sleep = None;
        Poll::Ready(())
    }

    /// Whether the phase wants one more operation.
    fn is_wanted(&mut self, phase: usize) -> bool {
        match self.bench.course.phases()[phase].until {
            Until::Time(_) => true,
            Until::Count(limit) => {
                let taken = self.bench.course.take(phase, limit);
                self.counted = taken.then_some((phase, limit));
                taken
            }
        }
    }

    fn settle(&mut self, now: Nanos) {
        if let Some((phase, limit)) = self.counted.take() {
            self.bench.course.finish(phase, limit, now);
        }
    }
}

impl Seat for UserSeat {
    #[inline]
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        loop {
            if self.bench.over.get() {
                return Poll::Ready(false);
            }
            if let Some(phase) = self.bench.phase.get()
                && self.poll_due(cx).is_ready()
            {
                // A stop ends sleeps early.
                if self.bench.course.stopped() {
                    return Poll::Ready(false);
                }
                if self.is_wanted(phase) {
                    break;
                }
            }
            // Before the start and before the intended one, or all operations of this phase are taken: wait for the next phase.
            if self.bench.gate.poll_pass(cx).is_pending() {
                return Poll::Pending;
            }
        }
        self.began = clock::now();
        self.intended = self.began;
        if let Some((due, free)) = self.due.take() {
            self.intended = due;
            self.bench.lagged(Nanos(self.began.0.saturating_sub(due.max(free).0)));
        }
        self.bench.began(self.began);
        Poll::Ready(true)
    }

    #[inline]
    fn ended(&mut self, operation: Operation, end: End) {
        let now = clock::now();
        let since = |then: Nanos| Nanos(now.0.saturating_sub(then.0));
        self.bench.tally.borrow_mut().ended(operation, end, since(self.intended), since(self.began));
        self.bench.answered(now);
        self.rhythm.ended(operation);
        self.settle(now);
    }

    #[cold]
    fn met(&mut self, operation: Operation, fault: &Fault) -> Decision {
        let over = self.bench.over.get() || self.bench.course.stopped();
        let decision = match fault {
            Fault::Server { code, .. } if RETRYABLE.contains(code) && !over => Decision::Retry,
            Fault::Server { .. } if !over => Decision::GiveUp,
            Fault::Lost(_) | Fault::TimedOut | Fault::Protocol(_) if !over => Decision::Reconnect,
            Fault::Server { .. }
            | Fault::Lost(_)
            | Fault::TimedOut
            | Fault::Protocol(_)
            | Fault::Unopened(_)
            | Fault::Stopped => Decision::Stop,
        };
        let mut tally = self.bench.tally.borrow_mut();
        match decision {
            Decision::Retry => tally.retried(operation, fault),
            Decision::GiveUp | Decision::Reconnect | Decision::Stop => tally.failed(operation, fault),
        }
        drop(tally);
        if decision != Decision::Retry {
            let now = clock::now();
            self.bench.gave_up(now);
            self.rhythm.ended(operation);
            self.settle(now);
        }
        decision
    }

    fn ready(&mut self) {
        self.bench.course.user_ready();
    }
}
