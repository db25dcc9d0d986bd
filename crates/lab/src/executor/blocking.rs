//! Hot path: send and receive that block in the kernel, for a worker with one user. A blocking receive names the one
//! thread that waits for this answer, so the kernel wakes it at the moment the server writes, on the CPU that the
//! server is about to leave; a ring's or an epoll's wake-up is no such hint, and with few users each answer then pays
//! for waking an idle CPU. Above some users (the crossover, `campaign/ceiling.rs`) a ring's batches cost less.
//!
//! A receive blocks until the next `Tick` at most; what takes longer is waited for like on any other way, so that
//! timers fire, a stop is heard and deadlines hold. A user who never waits elsewhere gives way where the next timer is
//! due.

use super::buffers::Buffers;
use super::slots::{Slot, Slots, State};
use super::task::{TICK, TaskId, Waiter};
use super::tick::Tick;
use model::units::Nanos;
use rustix::event::epoll::EventFlags;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use std::io;
use std::os::fd::OwnedFd;
use std::task::Poll;
use std::time::Duration;

pub struct Blocking {
    /// Who gave way at the begin of an exchange, and goes on when the timers have had their turn.
    given_way: Vec<TaskId>,
    _tick: Tick,
}

impl Blocking {
    pub fn new() -> io::Result<Self> {
        Ok(Self { given_way: Vec::new(), _tick: Tick::of_this_thread()? })
    }

    /// A socket whose every send and receive blocks, and not for long. The kernel sets a timer only for a send that
    /// finds no room.
    pub fn open(socket: &OwnedFd) -> io::Result<()> {
        Ok(set_socket_timeout(socket, Timeout::Send, Some(Duration::from_nanos(TICK.0)))?)
    }

    #[inline]
    pub fn poll_exchange(
        &mut self,
        slot: &mut Slot,
        buffers: &mut Buffers,
        waiter: Waiter<'_>,
    ) -> Poll<io::Result<usize>> {
        if slot.state == State::Idle && waiter.moments.timer_is_due() {
            self.given_way.push(waiter.task);
            return Poll::Pending;
        }
        slot.state = State::Idle;
        match buffers.send(&slot.socket) {
            Ok(()) => {}
            Err(Errno::AGAIN) => return fly(slot, EventFlags::OUT, waiter),
            Err(e) => return Poll::Ready(Err(e.into())),
        }
        let received = rustix::net::recv(&slot.socket, buffers.incoming.space(), RecvFlags::empty());
        waiter.moments.look();
        match received {
            Ok((_, 0)) => Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
            Ok((_, n)) => {
                buffers.arrived(n);
                Poll::Ready(Ok(n))
            }
            Err(Errno::INTR) => fly(slot, EventFlags::IN, waiter),
            Err(e) => Poll::Ready(Err(e.into())),
        }
    }

    pub fn writable(&mut self, slot: &mut Slot, waiter: Waiter<'_>) -> Poll<io::Result<()>> {
        fly(slot, EventFlags::OUT, waiter).map_ok(|_| ())
    }

    /// Waits for the sockets on which a receive or send took long, or where there are none for the moment alone.
    pub fn wait(&mut self, timeout: Nanos, slots: &mut Slots, ready: &mut Vec<TaskId>) -> io::Result<()> {
        if !self.given_way.is_empty() {
            return Ok(());
        }
        let timeout =
            Timespec { tv_sec: (timeout.0 / 1_000_000_000) as i64, tv_nsec: (timeout.0 % 1_000_000_000) as i64 };
        let interest = |slot: &Slot| if slot.registered == EventFlags::OUT { PollFlags::OUT } else { PollFlags::IN };
        let mut waited: Vec<PollFd<'_>> =
            slots.flying().map(|slot| PollFd::new(&slot.socket, interest(slot))).collect();
        match poll(&mut waited, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
        let happened: Vec<bool> = waited.iter().map(|fd| !fd.revents().is_empty()).collect();
        for (slot, _) in slots.flying_mut().zip(happened).filter(|(_, happened)| *happened) {
            slot.state = State::Landed { result: 0, sending: false };
            ready.push(slot.task);
        }
        Ok(())
    }

    /// Who gave way comes after the timers that it gave way to.
    #[inline]
    pub fn go_on(&mut self, ready: &mut Vec<TaskId>) {
        ready.append(&mut self.given_way);
    }
}

/// Pending until the socket is ready for this.
#[cold]
fn fly(slot: &mut Slot, interest: EventFlags, waiter: Waiter<'_>) -> Poll<io::Result<usize>> {
    (slot.state, slot.task, slot.due, slot.registered) = (State::Flying, waiter.task, waiter.due, interest);
    Poll::Pending
}
