//! Hot path: the arrivals of one worker as they fall due and are begun: who takes the next, how many wait. The schedule
//! is kept twice, once at the next arrival to be handed out and once at the next to fall due; what waits is between the
//! two, so that overload of any length needs no memory and is counted to the last arrival.

use super::schedule::Schedule;
use model::{ArrivalTally, Nanos};

/// As many arrivals are counted at one look, which takes milliseconds; of a rate beyond all counting the rest is
/// counted later, and a worker comes back from looking.
const AT_ONCE: u64 = 1 << 20;

pub struct Backlog {
    unclaimed: Schedule,
    coming: Schedule,
    /// When the first arrival of `coming` that is not due yet falls due; since the start.
    next_due: Nanos,
    due: u64,
    begun: u64,
}

impl Backlog {
    pub fn new(schedule: Schedule) -> Self {
        let mut coming = schedule.clone();
        let next_due = coming.next();
        Self { unclaimed: schedule, coming, next_due, due: 0, begun: 0 }
    }

    /// The next arrival that nobody has taken, whether or not it is due.
    pub fn claim(&mut self) -> Nanos {
        self.unclaimed.next()
    }

    /// Counts what has fallen due by now.
    pub fn look(&mut self, now: Nanos, tally: &mut ArrivalTally) {
        let before = self.due;
        while self.next_due <= now && self.due - before < AT_ONCE {
            self.due += 1;
            self.next_due = self.coming.next();
        }
        tally.due += self.due - before;
        // A pace's users round their moments by themselves, and may be a nanosecond early.
        tally.most_waiting = tally.most_waiting.max(self.due.saturating_sub(self.begun));
    }

    /// An operation begins.
    pub fn begin(&mut self, now: Nanos, tally: &mut ArrivalTally) {
        self.begun += 1;
        tally.begun += 1;
        self.look(now, tally);
    }
}
