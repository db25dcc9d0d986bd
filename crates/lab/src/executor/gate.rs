//! Hot path: a gate that tasks of one worker wait at until another task opens it (for everybody) or admits one. It is a
//! condition variable without a lock: what they wait for lies elsewhere (a cell, a queue), and a task that passes looks
//! again.

use super::reactor::Reactor;
use super::task::TaskId;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll};

pub struct Gate {
    reactor: Rc<Reactor>,
    queue: RefCell<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<TaskId>,
    /// By task; tasks beyond its end are away.
    places: Vec<Place>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Away,
    Waiting,
    Admitted,
}

impl Gate {
    pub(super) fn new(reactor: Rc<Reactor>) -> Self {
        Self { reactor, queue: RefCell::default() }
    }

    /// Ready when the gate was opened, or this task admitted, since the task came to it.
    pub fn poll_pass(&self, _: &mut Context<'_>) -> Poll<()> {
        let task = self.reactor.current();
        let mut queue = self.queue.borrow_mut();
        let place = queue.place(task);
        match *place {
            Place::Admitted => {
                *place = Place::Away;
                Poll::Ready(())
            }
            Place::Waiting => Poll::Pending,
            Place::Away => {
                *place = Place::Waiting;
                queue.waiting.push_back(task);
                Poll::Pending
            }
        }
    }

    pub async fn pass(&self) {
        poll_fn(|cx| self.poll_pass(cx)).await;
    }

    /// Lets everybody through who waits now.
    pub fn open(&self) {
        while self.admit() {}
    }

    /// Lets the one through who waits longest; false when nobody waits.
    pub fn admit(&self) -> bool {
        let mut queue = self.queue.borrow_mut();
        let Some(task) = queue.waiting.pop_front() else { return false };
        *queue.place(task) = Place::Admitted;
        self.reactor.wake(task);
        true
    }
}

impl Queue {
    fn place(&mut self, task: TaskId) -> &mut Place {
        let index = task.0 as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, Place::Away);
        }
        &mut self.places[index]
    }
}
