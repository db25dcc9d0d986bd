//! Hot path: the executor of one worker thread. Every user is one boxed future, allocated once for its whole life and
//! polled by its number: no wakers, no locks, no allocation per operation. What a future can wait for is here and
//! nothing else is: an exchange on a `Line`, a moment, a `Gate`; other futures never wake here. io_uring, epoll and
//! blocking calls stand behind the same operations. The clock is read once per batch of completions (`Reactor::now`):
//! for timers, for deadlines, and as the moment at which all answers of the batch were received, which they were: they
//! lay in their buffers before the first of them was read.

mod blocking;
mod buffers;
mod connect;
pub mod direct;
mod epoll;
mod gate;
mod line;
pub mod near;
mod net;
pub mod prompt;
mod reactor;
mod ring;
mod sleep;
mod slots;
mod task;
#[cfg(test)]
mod tests;
mod tick;
mod timers;

pub use gate::Gate;
pub use line::Line;
pub use sleep::Sleep;
pub use task::Task;

use crate::os::address::Address;
use crate::os::clock;
use model::histogram::Histogram;
use model::load::Io;
use model::units::Nanos;
use near::Part;
use reactor::Reactor;
use std::io;
use std::num::NonZeroU64;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use task::TaskId;
use workload::user::Memory;

/// Between being told to stop and dropping whoever still waits: long enough for a server that answers at all to answer,
/// and short enough that a person who pressed Ctrl-C sees the end within a second.
pub const GRACE: Nanos = Nanos::from_millis(300);

/// A line on its way, of an executor or over a blocking socket.
pub type Connecting = Pin<Box<dyn Future<Output = io::Result<Line>>>>;

pub struct Executor {
    reactor: Rc<Reactor>,
    /// By `TaskId`; a finished task leaves its place empty for good, since users live as long as the run.
    tasks: Vec<Option<Task>>,
    living: usize,
    turn: Vec<TaskId>,
}

/// What tasks (and whoever spawns them) hold of their executor.
#[derive(Clone)]
pub struct Handle(Rc<Reactor>);

impl Executor {
    /// An executor for the calling thread, whose timer slack is set to the least. `Io::Auto` takes io_uring where the
    /// kernel grants it and epoll otherwise; asking for `Io::IoUring` by name fails where it is refused.
    pub fn new(io: Io) -> io::Result<Self> {
        rustix::thread::set_current_timer_slack(NonZeroU64::new(1))?;
        Ok(Self { reactor: Rc::new(Reactor::new(io)?), tasks: Vec::new(), living: 0, turn: Vec::new() })
    }

    pub fn handle(&self) -> Handle {
        Handle(Rc::clone(&self.reactor))
    }

    /// Runs until every task has ended. `stop` is asked often, and at least every `task::TICK`; once it says yes,
    /// all sleeps that are under way end early, so that tasks can look and leave, and after `GRACE` the tasks that
    /// still wait are dropped.
    pub fn run(&mut self, mut stop: impl FnMut() -> bool) -> io::Result<()> {
        let mut last_call = None;
        loop {
            self.adopt();
            self.poll_ready();
            self.adopt();
            if self.living == 0 {
                break;
            }
            if last_call.is_none() && stop() {
                last_call = Some(Nanos(clock::now().0 + GRACE.0));
                self.reactor.stop();
            }
            if last_call.is_some_and(|at| self.reactor.now() >= at) {
                self.drop_tasks();
                break;
            }
            self.reactor.wait()?;
        }
        self.reactor.reap();
        Ok(())
    }

    fn adopt(&mut self) {
        if !self.reactor.has_spawned() {
            return;
        }
        for task in self.reactor.take_spawned() {
            let id = TaskId(self.tasks.len() as u32);
            self.reactor.wake(id);
            self.reactor.near().set(id, Part::Task, Memory::of(&*task));
            self.tasks.push(Some(task));
            self.living += 1;
        }
    }

    /// Polls each task that was ready when the turn began; what becomes ready meanwhile waits for the next turn, so
    /// that tasks which wake each other cannot keep the kernel waiting.
    fn poll_ready(&mut self) {
        self.reactor.take_ready(&mut self.turn);
        let mut cx = Context::from_waker(Waker::noop());
        for (at, &id) in self.turn.iter().enumerate() {
            self.reactor.near().fetch(&self.turn, at);
            let Some(task) = &mut self.tasks[id.0 as usize] else { continue };
            self.reactor.enter(Some(id));
            if task.as_mut().poll(&mut cx).is_ready() {
                self.tasks[id.0 as usize] = None;
                self.living -= 1;
            }
        }
        self.reactor.enter(None);
        self.turn.clear();
    }

    fn drop_tasks(&mut self) {
        self.tasks.iter_mut().for_each(|task| *task = None);
        drop(self.reactor.take_spawned());
        self.living = 0;
    }
}

impl Drop for Executor {
    /// Tasks hold handles, and handles the reactor that would hold the spawned tasks: the circle is cut here.
    fn drop(&mut self) {
        self.drop_tasks();
    }
}

impl Handle {
    /// The way of talking to the kernel that was taken: anything but `Auto`.
    pub fn io(&self) -> Io {
        self.0.io()
    }

    /// Adds a task, before the run or from inside it.
    pub fn spawn(&self, task: Task) {
        self.0.spawn(task);
    }

    /// A part of what the task that is being polled touches in each of its turns lies here from now on.
    pub fn touches(&self, part: Part, memory: Memory) {
        self.0.near().set(self.0.current(), part, memory);
    }

    /// Connects. `deadline` is how long connecting and, later, each exchange on the line may take.
    pub async fn connect(&self, address: &Address, deadline: Nanos) -> io::Result<Line> {
        connect::connect(&self.0, address, deadline).await
    }

    /// The same as often as a session is opened anew.
    pub fn connecting(&self, address: &Address, deadline: Nanos) -> Box<dyn Fn() -> Connecting> {
        let (handle, address) = (self.clone(), address.clone());
        Box::new(move || -> Connecting {
            let (handle, address) = (handle.clone(), address.clone());
            Box::pin(async move { handle.connect(&address, deadline).await })
        })
    }

    /// Ends at this moment of `clock::now`, at once when it has passed, and early when the run is being stopped.
    pub fn sleep_until(&self, moment: Nanos) -> Sleep {
        Sleep::new(Rc::clone(&self.0), moment)
    }

    /// Ends when the executor comes round again: for a task that would go on without ever waiting, and whom stops, the
    /// clock and its neighbours wait for.
    pub fn give_way(&self) -> Sleep {
        Sleep::of_one_turn(Rc::clone(&self.0))
    }

    /// From now on the executor lets whoever else is ready on its CPU run before it waits. Where a server shares that
    /// CPU, its threads answer what was just sent, and their answers are taken in one batch; without it each of them
    /// first wakes the executor, at the price of two switches and of a server that works in small bites. Only io_uring
    /// has a batch to hand in before it does: epoll has sent each request already, and gains nothing.
    pub fn share_cpu(&self) {
        if self.io() == Io::IoUring {
            self.0.share_cpu();
        }
    }

    pub fn gate(&self) -> Gate {
        Gate::new(Rc::clone(&self.0))
    }

    /// When the last batch of answers and timers was taken from the kernel.
    #[inline]
    pub fn moment(&self) -> Nanos {
        self.0.now()
    }

    /// Reads the clock anew, for a task that kept the batch waiting since.
    pub fn look(&self) {
        self.0.look();
    }

    /// How late sleeps ended so far.
    pub fn timer_error(&self) -> Histogram {
        self.0.timer_error()
    }
}

/// Runs a future that only uses blocking lines, which are never pending.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("only a future over blocking lines can be run without an executor"),
    }
}
