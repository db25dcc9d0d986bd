//! Hot path: a user's seat: it gives turns when the load wants an operation, keeps its times, and decides about
//! retries. Latency counts from the intended start where there is one, service time from the actual one; where there is
//! none, the two are the same and only one is kept.

use super::UserGroup;
use super::failure::{self, Cause};
use super::rhythm::Rhythm;
use super::worker_state::WorkerState;
use crate::executor::near::{Drawn, Part};
use crate::executor::{Handle, Sleep};
use crate::os::clock;
use model::Nanos;
use model::load::Until;
use std::cell::Cell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use workload::session::Fault;
use workload::user::{Decision, End, Memory, Operation, Seat};

pub struct UserSeat {
    state: Rc<WorkerState>,
    handle: Handle,
    rhythm: Rhythm,
    /// The intended start of the next operation, and since when the user is free for it.
    due: Option<(Nanos, Nanos)>,
    sleep: Option<Sleep>,
    intended: Nanos,
    began: Nanos,
    /// Phase and limit that this operation counts for, in a phase by count, and its number there.
    counted: Option<(usize, u64)>,
    turn: Option<u64>,
    /// How often this operation was tried again, by error.
    retries: Vec<(u32, u32)>,
    /// The last operation met the deadline.
    is_stalled: bool,
    /// Where the load wants a new session after so many operations: that, and how many are left.
    until_renewal: Option<(u64, u64)>,
    /// Where users that are ready are counted, for those who wait for their turn to connect.
    counted_in: Option<Rc<Cell<u32>>>,
}

impl UserSeat {
    pub fn new<D>(state: Rc<WorkerState>, handle: Handle, user_group: &UserGroup<D>, user: u32) -> Self {
        let rhythm = Rhythm::of(user_group, user);
        Self {
            state,
            handle,
            rhythm,
            due: None,
            sleep: None,
            intended: Nanos(0),
            began: Nanos(0),
            counted: None,
            turn: None,
            retries: Vec::new(),
            is_stalled: false,
            until_renewal: user_group.reconnect_every.map(|every| (every, every)),
            counted_in: None,
        }
    }

    /// Counts this user there when it is ready.
    pub fn counts_in(&mut self, ready: Rc<Cell<u32>>) {
        self.counted_in = Some(ready);
    }

    /// Ready when the intended start has come.
    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Rhythm::AtOnce = self.rhythm {
            return Poll::Ready(());
        }
        let (due, _) = *self.due.get_or_insert_with(|| {
            let now = clock::now();
            (self.rhythm.next(&self.state, now), now)
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
        match self.state.course.phases()[phase].until {
            Until::Time(_) | Until::Rest(_) => {
                self.turn = None;
                true
            }
            Until::Count(limit) => {
                self.turn = self.state.course.take(phase, limit);
                self.counted = self.turn.map(|_| (phase, limit));
                self.turn.is_some()
            }
        }
    }

    /// What the load's policy says to an error of an operation.
    fn decide(&mut self, fault: &Fault) -> Decision {
        let (course, errors, number) = (&self.state.course, &self.state.errors, fault.number());
        if self.state.over.get() || course.stopped() || *fault == Fault::Stopped {
            return Decision::Stop;
        }
        if errors.stop.contains(&number) {
            course.fail(format!("the experiment ends at this error: {fault}"));
            return Decision::Stop;
        }
        if let Fault::Refused(why) = fault {
            course.fail(why.clone());
            return Decision::Stop;
        }
        if *fault == Fault::TimedOut && !self.may_go_on() {
            return Decision::Stop;
        }
        let at = self.retries.iter().position(|(known, _)| *known == number).unwrap_or_else(|| {
            self.retries.push((number, 0));
            self.retries.len() - 1
        });
        let tried = &mut self.retries[at].1;
        if *tried >= self.state.errors.retries(number) {
            return Decision::GiveUp;
        }
        *tried += 1;
        Decision::Retry
    }

    /// Notes that this user waited in vain. When it did so twice and nobody else had an answer since, the run ends.
    fn may_go_on(&mut self) -> bool {
        let course = &self.state.course;
        if self.is_stalled && course.stalled() == course.ready() {
            course.fail_by(Cause::Stalled, failure::stalled_again());
            return false;
        }
        if !std::mem::replace(&mut self.is_stalled, true) {
            course.user_stalled();
        }
        true
    }

    fn settle(&mut self, now: Nanos) {
        if let Some((phase, limit)) = self.counted.take() {
            self.state.course.finish(phase, limit, now);
        }
    }
}

impl Seat for UserSeat {
    #[inline]
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        loop {
            if self.state.over.get() {
                return Poll::Ready(false);
            }
            if let Some(phase) = self.state.phase.get()
                && self.poll_due(cx).is_ready()
            {
                // A stop ends sleeps early.
                if self.state.course.stopped() {
                    return Poll::Ready(false);
                }
                if self.is_wanted(phase) {
                    break;
                }
            }
            // Before the start and before the intended one, or all operations of this phase are taken: wait for the
            // next phase.
            if self.state.gate.poll_pass(cx).is_pending() {
                return Poll::Pending;
            }
        }
        self.retries.clear();
        self.began = self.handle.moment();
        self.intended = self.began;
        if let Some((due, free)) = self.due.take() {
            // Somebody who is late must not say so by a moment at which nothing was late yet.
            self.began = clock::now();
            self.intended = due;
            self.state.lagged(Nanos(self.began.0.saturating_sub(due.max(free).0)));
        }
        self.state.began(self.began);
        Poll::Ready(true)
    }

    fn turn(&self) -> Option<u64> {
        self.turn
    }

    #[inline]
    fn ended(&mut self, operation: Operation, end: End) -> Nanos {
        let now = self.handle.moment();
        let since = |then: Nanos| Nanos(now.0.saturating_sub(then.0));
        let service = since(self.began);
        self.state.tally.borrow_mut().ended(operation, end, since(self.intended), service);
        self.state.answered(now);
        self.rhythm.ended(operation);
        self.settle(now);
        if self.is_stalled {
            self.is_stalled = false;
            self.state.course.user_revived();
        }
        service
    }

    fn withdrawn(&mut self) {
        let now = clock::now();
        self.state.gave_up(now);
        self.settle(now);
    }

    #[cold]
    fn met(&mut self, operation: Operation, fault: &Fault) -> Decision {
        let decision = self.decide(fault);
        let mut tally = self.state.tally.borrow_mut();
        match decision {
            Decision::Retry => tally.retried(operation, fault),
            Decision::GiveUp | Decision::Stop => tally.failed(operation, fault),
        }
        drop(tally);
        if decision != Decision::Retry {
            let now = clock::now();
            self.state.gave_up(now);
            self.rhythm.ended(operation);
            self.settle(now);
        }
        decision
    }

    fn poll_again(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let back_off = self.state.errors.back_off;
        if back_off == Nanos(0) {
            return Poll::Ready(());
        }
        let sleep = self.sleep.get_or_insert_with(|| self.handle.sleep_until(Nanos(clock::now().0 + back_off.0)));
        if Pin::new(sleep).poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.sleep = None;
        Poll::Ready(())
    }

    #[inline]
    fn wants_new_session(&mut self) -> bool {
        let Some((every, left)) = &mut self.until_renewal else { return false };
        *left -= 1;
        if *left > 0 || self.state.over.get() {
            return false;
        }
        *left = *every;
        true
    }

    fn reads(&mut self, [first, second]: [Memory; 2]) {
        self.handle.touches(Part::Drawn(Drawn::First), first);
        self.handle.touches(Part::Drawn(Drawn::Second), second);
    }

    fn ready(&mut self, reads: [Memory; 2]) {
        self.reads(reads);
        if let Some(ready) = &self.counted_in {
            ready.set(ready.get() + 1);
        }
        self.state.course.user_ready();
    }
}
