//! Hot path: the sockets of one worker behind one set of operations, whichever way they travel. io_uring lends the
//! buffers to the kernel for the flight of a linked send and receive; epoll sends at once, waits for readability, and
//! then receives; the blocking way sends and receives, and the kernel waits.

use super::blocking::Blocking;
use super::buffers::Buffers;
use super::epoll::Epoll;
use super::ring::Ring;
use super::slots::{SlotId, Slots, State};
use super::task::{TaskId, Waiter};
use crate::os::clock;
use model::Nanos;
use model::load::Io;
use rustix::io::Errno;
use rustix::net::Shutdown;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::task::Poll;

/// How long dropped operations may take to come back from the kernel; a shut-down socket answers at once.
const REAPING: Nanos = Nanos::from_millis(100);

pub struct Net {
    slots: Slots,
    way: Way,
}

#[expect(clippy::large_enum_variant, reason = "there is one per worker, and it stays where it is")]
enum Way {
    Ring(Ring),
    Epoll(Epoll),
    Blocking(Blocking),
}

impl Net {
    pub fn new(io: Io) -> io::Result<Self> {
        let way = match io {
            Io::IoUring => Way::Ring(Ring::new()?),
            Io::Epoll => Way::Epoll(Epoll::new()?),
            Io::Blocking => Way::Blocking(Blocking::new()?),
            // Whatever the reason (an old kernel, a policy, a limit), epoll works everywhere.
            Io::Auto => match Ring::new() {
                Ok(ring) => Way::Ring(ring),
                Err(_) => Way::Epoll(Epoll::new()?),
            },
        };
        Ok(Self { slots: Slots::default(), way })
    }

    pub fn io(&self) -> Io {
        match self.way {
            Way::Ring(_) => Io::IoUring,
            Way::Epoll(_) => Io::Epoll,
            Way::Blocking(_) => Io::Blocking,
        }
    }

    /// Takes a socket in. io_uring waits by itself only on sockets that block, epoll needs one that does not.
    pub fn open(&mut self, socket: OwnedFd) -> io::Result<SlotId> {
        rustix::io::ioctl_fionbio(&socket, matches!(self.way, Way::Epoll(_)))?;
        if let Way::Blocking(_) = self.way {
            Blocking::open(&socket)?;
        }
        Ok(self.slots.open(socket))
    }

    pub fn socket(&mut self, id: SlotId) -> BorrowedFd<'_> {
        self.slots.at(id).socket.as_fd()
    }

    /// Sends what is unsent and receives at least one byte; polled again until it is ready. In flight, the buffers may
    /// be away.
    #[inline]
    pub fn poll_exchange(
        &mut self,
        id: SlotId,
        buffers: &mut Option<Box<Buffers>>,
        waiter: Waiter<'_>,
    ) -> Poll<io::Result<usize>> {
        match self.slots.at(id).state {
            State::Flying => return self.still_flying(id, waiter),
            State::Idle | State::Landed { .. } => {}
            State::Abandoned => unreachable!("an abandoned slot has no line"),
        }
        match &mut self.way {
            Way::Ring(ring) => ring.poll_exchange(&mut self.slots, id, buffers, waiter),
            Way::Epoll(epoll) => {
                let buffers = buffers.as_mut().expect("epoll leaves the buffers with the line");
                epoll.poll_exchange(self.slots.at(id), id, buffers, waiter)
            }
            Way::Blocking(blocking) => {
                let buffers = buffers.as_mut().expect("the blocking way leaves the buffers with the line");
                blocking.poll_exchange(self.slots.at(id), buffers, waiter)
            }
        }
    }

    /// Sends what is unsent, with nothing in flight; says whether the exchange is under way by that.
    pub fn send_now(&mut self, id: SlotId, buffers: &mut Option<Box<Buffers>>, waiter: Waiter<'_>) -> bool {
        let Way::Ring(ring) = &mut self.way else {
            let buffers = buffers.as_mut().expect("only a ring takes the buffers");
            let _ = buffers.send(&self.slots.at(id).socket);
            return false;
        };
        let is_under_way = ring.poll_exchange(&mut self.slots, id, buffers, waiter).is_pending();
        let _ = ring.hand_in();
        is_under_way
    }

    /// Ready when the socket can be written: when a connect has ended.
    pub fn poll_writable(&mut self, id: SlotId, waiter: Waiter<'_>) -> Poll<io::Result<()>> {
        let slot = self.slots.at(id);
        match slot.state {
            State::Flying => self.still_flying(id, waiter).map_ok(|_| ()),
            State::Landed { .. } => {
                slot.state = State::Idle;
                Poll::Ready(Ok(()))
            }
            State::Idle => match &mut self.way {
                Way::Ring(ring) => ring.writable(slot, id, waiter),
                Way::Epoll(epoll) => epoll.writable(slot, id, waiter),
                Way::Blocking(blocking) => blocking.writable(slot, waiter),
            },
            State::Abandoned => unreachable!("an abandoned slot has no line"),
        }
    }

    fn still_flying(&mut self, id: SlotId, waiter: Waiter<'_>) -> Poll<io::Result<usize>> {
        let slot = self.slots.at(id);
        slot.task = waiter.task;
        if waiter.moments.now.get() >= slot.due { Poll::Ready(Err(Errno::TIMEDOUT.into())) } else { Poll::Pending }
    }

    /// The line is gone. What the kernel still works on is brought to its end by shutting the socket down, and the slot
    /// is kept until then.
    pub fn release(&mut self, id: SlotId) {
        let slot = self.slots.at(id);
        if slot.state == State::Flying && matches!(self.way, Way::Ring(_)) {
            // A socket that was never connected says so, and its operation ends all the same.
            let _ = rustix::net::shutdown(&slot.socket, Shutdown::Both);
            slot.state = State::Abandoned;
            self.slots.abandoned += 1;
        } else {
            self.slots.close(id);
        }
    }

    /// Hands everything that was begun to the kernel, without waiting; the other two have handed in all.
    #[inline]
    pub fn hand_in(&mut self) -> io::Result<()> {
        match &mut self.way {
            Way::Ring(ring) => ring.hand_in(),
            Way::Epoll(_) | Way::Blocking(_) => Ok(()),
        }
    }

    #[inline]
    pub fn wait(&mut self, timeout: Nanos, ready: &mut Vec<TaskId>) -> io::Result<()> {
        match &mut self.way {
            Way::Ring(ring) => ring.wait(timeout, &mut self.slots, ready),
            Way::Epoll(epoll) => epoll.wait(timeout, &mut self.slots, ready),
            Way::Blocking(blocking) => blocking.wait(timeout, &mut self.slots, ready),
        }
    }

    /// Lists who gave way to timers, behind them.
    #[inline]
    pub fn go_on(&mut self, ready: &mut Vec<TaskId>) {
        if let Way::Blocking(blocking) = &mut self.way {
            blocking.go_on(ready);
        }
    }

    pub fn overdue(&self, now: Nanos) -> impl Iterator<Item = TaskId> {
        self.slots.overdue(now)
    }

    pub fn reap(&mut self) {
        let until = clock::now().0 + REAPING.0;
        while self.slots.abandoned > 0 {
            let left = until.saturating_sub(clock::now().0);
            if left == 0 || self.wait(Nanos(left), &mut Vec::new()).is_err() {
                break;
            }
        }
    }
}

impl Drop for Net {
    /// Buffers that the kernel has not given back by now are leaked: memory lost is better than memory overwritten.
    fn drop(&mut self) {
        self.reap();
        self.slots.take_cargo().for_each(std::mem::forget);
    }
}
