//! Hot path: moments that tasks wait for: a binary heap, since a worker has few sleepers with near moments, and its
//! lateness counted, since a load that is late must be able to say by how much. A sleep that is dropped leaves its
//! entry behind; it then wakes a task for nothing, which is harmless.

use super::task::TaskId;
use model::{Histogram, Nanos};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub struct Timers {
    heap: BinaryHeap<Reverse<(Nanos, TaskId)>>,
    pub error: Histogram,
}

impl Timers {
    pub fn new() -> Self {
        Self { heap: BinaryHeap::new(), error: Histogram::new() }
    }

    /// This task waits for that moment.
    pub fn add(&mut self, moment: Nanos, task: TaskId) {
        self.heap.push(Reverse((moment, task)));
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
