//! Hot path: moments that tasks wait for: a binary heap, since a worker has few sleepers with near moments, and its
//! lateness counted, since a load that is late must be able to say by how much. A sleep that is dropped leaves its
//! entry behind; it then wakes a task for nothing, which is harmless.

use super::reactor::{Reactor, TaskId};
use crate::os::clock;
use model::histogram::Histogram;
use model::units::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

pub struct Timers {
    heap: BinaryHeap<Reverse<(Nanos, TaskId)>>,
    pub error: Histogram,
}

impl Timers {
    pub fn new() -> Self {
        Self { heap: BinaryHeap::new(), error: Histogram::new() }
    }

    pub fn next(&self) -> Option<Nanos> {
        self.heap.peek().map(|Reverse((due, _))| *due)
    }

    /// A sleeper whose moment has come.
    pub fn pop_due(&mut self, now: Nanos) -> Option<TaskId> {
        let due = self.next().filter(|due| *due <= now)?;
        self.error.record(Nanos(now.0 - due.0));
        self.heap.pop().map(|Reverse((_, task))| task)
    }

    /// All sleepers, whatever their moment.
    pub fn drain(&mut self) -> impl Iterator<Item = TaskId> {
        self.heap.drain().map(|Reverse((_, task))| task)
    }
}

/// A future that ends at a moment.
pub struct Sleep {
    reactor: Rc<Reactor>,
    moment: Nanos,
    /// Whether the run was already being stopped when the sleep began; such a sleep is not cut short.
    begun: Option<bool>,
    /// It waits for a turn of the executor and for no moment.
    gives_way: bool,
}

impl Sleep {
    pub(super) fn new(reactor: Rc<Reactor>, moment: Nanos) -> Self {
        Self { reactor, moment, begun: None, gives_way: false }
    }

    /// Ends after everybody else had their turn and the clock was read.
    pub(super) fn of_one_turn(reactor: Rc<Reactor>) -> Self {
        Self { reactor, moment: Nanos(0), begun: None, gives_way: true }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let stopping = self.reactor.stopping();
        match self.begun {
            None if self.gives_way => {
                self.begun = Some(stopping);
                self.reactor.wake(self.reactor.current());
                Poll::Pending
            }
            None if clock::now() >= self.moment => Poll::Ready(()),
            None => {
                self.begun = Some(stopping);
                self.reactor.timers().heap.push(Reverse((self.moment, self.reactor.current())));
                Poll::Pending
            }
            Some(before) if self.reactor.now() >= self.moment || (stopping && !before) => Poll::Ready(()),
            Some(_) => Poll::Pending,
        }
    }
}
