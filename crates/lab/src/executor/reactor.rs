//! Hot path: what the tasks of one worker share: who is to be polled next, the timers, the sockets, and the moment of
//! the last completion batch. One thread, so cells; no borrow is held while a task runs.

use super::near::Near;
use super::net::Net;
use super::task::{Moments, TICK, Task, TaskId};
use super::timers::Timers;
use crate::os::clock;
use crate::os::names::Recent;
use model::histogram::Histogram;
use model::load::Io;
use model::units::Nanos;
use std::cell::{Cell, RefCell, RefMut};
use std::io;

pub struct Reactor {
    net: RefCell<Net>,
    timers: RefCell<Timers>,
    ready: RefCell<Vec<TaskId>>,
    spawned: RefCell<Vec<Task>>,
    near: RefCell<Near>,
    names: RefCell<Recent>,
    current: Cell<Option<TaskId>>,
    moments: Moments,
    next_sweep: Cell<Nanos>,
    stopping: Cell<bool>,
    shares_cpu: Cell<bool>,
}

impl Reactor {
    pub fn new(io: Io) -> io::Result<Self> {
        let now = clock::now();
        Ok(Self {
            net: RefCell::new(Net::new(io)?),
            timers: RefCell::new(Timers::new()),
            ready: RefCell::default(),
            spawned: RefCell::default(),
            near: RefCell::default(),
            names: RefCell::default(),
            current: Cell::new(None),
            moments: Moments { now: Cell::new(now), next_timer: Cell::new(now) },
            next_sweep: Cell::new(Nanos(now.0 + TICK.0)),
            stopping: Cell::new(false),
            shares_cpu: Cell::new(false),
        })
    }

    pub fn names(&self) -> RefMut<'_, Recent> {
        self.names.borrow_mut()
    }
    pub fn io(&self) -> Io {
        self.net.borrow().io()
    }

    /// The moment of the last completion batch.
    #[inline]
    pub fn now(&self) -> Nanos {
        self.moments.now.get()
    }

    #[inline]
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Reads the clock anew, for whoever has kept the batch waiting since.
    pub fn look(&self) {
        self.moments.look();
    }

    pub fn share_cpu(&self) {
        self.shares_cpu.set(true);
    }

    pub fn stopping(&self) -> bool {
        self.stopping.get()
    }

    /// The task that is being polled.
    #[inline]
    pub fn current(&self) -> TaskId {
        self.current.get().expect("lines, sleeps and gates are awaited by tasks of their executor")
    }

    #[inline]
    pub fn enter(&self, task: Option<TaskId>) {
        self.current.set(task);
    }

    #[inline]
    pub fn net(&self) -> RefMut<'_, Net> {
        self.net.borrow_mut()
    }

    #[inline]
    pub fn near(&self) -> RefMut<'_, Near> {
        self.near.borrow_mut()
    }

    /// Wakes a task at that moment.
    pub fn wake_at(&self, moment: Nanos, task: TaskId) {
        self.timers.borrow_mut().add(moment, task);
        self.moments.next_timer.set(self.moments.next_timer.get().min(moment));
    }

    pub fn timer_error(&self) -> Histogram {
        self.timers.borrow().error.clone()
    }

    pub fn wake(&self, task: TaskId) {
        self.ready.borrow_mut().push(task);
    }

    /// Swaps the list of ready tasks with an empty one.
    #[inline]
    pub fn take_ready(&self, into: &mut Vec<TaskId>) {
        std::mem::swap(into, &mut *self.ready.borrow_mut());
    }

    pub fn spawn(&self, task: Task) {
        self.spawned.borrow_mut().push(task);
    }

    #[inline]
    pub fn has_spawned(&self) -> bool {
        !self.spawned.borrow().is_empty()
    }

    pub fn take_spawned(&self) -> Vec<Task> {
        self.spawned.take()
    }

    /// Ends all sleeps that are under way.
    pub fn stop(&self) {
        self.stopping.set(true);
        self.ready.borrow_mut().extend(self.timers.borrow_mut().drain());
    }

    /// Hands everything that was begun to the kernel, waits until something happened, and lists the tasks that it
    /// concerns.
    pub fn wait(&self) -> io::Result<()> {
        let mut ready = self.ready.borrow_mut();
        let mut net = self.net.borrow_mut();
        let timeout = if ready.is_empty() { self.patience() } else { Nanos(0) };
        if self.shares_cpu.get() && timeout > Nanos(0) {
            net.hand_in()?;
            rustix::thread::sched_yield();
        }
        net.wait(timeout, &mut ready)?;
        self.moments.look();
        let now = self.now();
        let mut timers = self.timers.borrow_mut();
        while let Some(task) = timers.pop_due(now) {
            ready.push(task);
        }
        let look_around = Nanos(now.0 + TICK.0);
        self.moments.next_timer.set(timers.next().map_or(look_around, |due| due.min(look_around)));
        net.go_on(&mut ready);
        if now >= self.next_sweep.get() {
            self.next_sweep.set(look_around);
            ready.extend(net.overdue(now));
        }
        Ok(())
    }

    /// How long the executor may lie in the kernel. The clock is read only when a timer is near.
    fn patience(&self) -> Nanos {
        match self.timers.borrow().next() {
            Some(due) if due.0 <= self.now().0 + TICK.0 => Nanos(due.0.saturating_sub(clock::now().0)),
            Some(_) | None => TICK,
        }
    }

    /// Waits for the kernel to let go of what dropped lines left in flight.
    pub fn reap(&self) {
        self.net.borrow_mut().reap();
    }
}
