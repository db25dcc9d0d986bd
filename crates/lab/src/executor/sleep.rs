//! Hot path: a task's wait for a moment, or for one turn of the others.

use super::reactor::Reactor;
use crate::os::clock;
use model::units::Nanos;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

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
                self.reactor.wake_at(self.moment, self.reactor.current());
                Poll::Pending
            }
            Some(before) if self.reactor.now() >= self.moment || (stopping && !before) => Poll::Ready(()),
            Some(_) => Poll::Pending,
        }
    }
}
