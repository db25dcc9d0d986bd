//! A task of an executor, its number, and what it waits for in the kernel: the words that all its parts share.

use crate::os::clock;
use model::units::Nanos;
use std::cell::Cell;
use std::pin::Pin;

/// One user, or a helper among users.
pub type Task = Pin<Box<dyn Future<Output = ()>>>;

/// The longest that the executor lies in the kernel, and how often it looks for overdue operations: short against a
/// deadline and against a person's patience, long against the price of waking up.
pub const TICK: Nanos = Nanos::from_millis(100);

/// A task's number in its executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId(pub u32);

/// Who waits for an operation, and until when.
#[derive(Clone, Copy)]
pub struct Waiter<'a> {
    pub task: TaskId,
    pub moments: &'a Moments,
    pub due: Nanos,
}

/// The moments that a worker goes by.
pub struct Moments {
    /// The last completion batch.
    pub now: Cell<Nanos>,
    /// The next at which a sleeper is to be woken, or the executor wants to look around.
    pub next_timer: Cell<Nanos>,
}

impl Moments {
    /// Reads the clock anew.
    #[inline]
    pub fn look(&self) {
        self.now.set(clock::now());
    }

    #[inline]
    pub fn timer_is_due(&self) -> bool {
        self.now.get() >= self.next_timer.get()
    }
}
