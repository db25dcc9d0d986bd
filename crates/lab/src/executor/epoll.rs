//! Hot path: epoll, for kernels that refuse io_uring: send at once, wait for readability, receive. A socket is
//! registered once and stays so, which costs one receive and one send per exchange and its share of a wait, and nothing
//! else. It is told of arrivals once (edge-triggered): the kernel otherwise asks each socket that it told of a second
//! time, at the next wait, only to find it emptied. So whoever waits must have emptied it, which a receive that left
//! room has; and a hang-up is noted when it is told.

use super::buffers::Buffers;
use super::slots::{Slot, SlotId, Slots, State};
use super::task::{TaskId, Waiter};
use model::units::Nanos;
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use std::io;
use std::os::fd::OwnedFd;
use std::task::Poll;

/// Events taken at a time, as many as the floor takes; whoever is left over is told at the next wait.
const BATCH: usize = 256;

pub struct Epoll {
    epoll: OwnedFd,
    events: Vec<Event>,
}

impl Epoll {
    /// Fails where the kernel is older than 5.11, which cannot wait for less than a millisecond.
    pub fn new() -> io::Result<Self> {
        let mut epoll = Self { epoll: epoll::create(CreateFlags::CLOEXEC)?, events: Vec::with_capacity(BATCH) };
        epoll.wait(Nanos(0), &mut Slots::default(), &mut Vec::new())?;
        Ok(epoll)
    }

    #[inline]
    pub fn poll_exchange(
        &mut self,
        slot: &mut Slot,
        id: SlotId,
        buffers: &mut Buffers,
        waiter: Waiter<'_>,
    ) -> Poll<io::Result<usize>> {
        let begins = slot.state == State::Idle;
        slot.state = State::Idle;
        let asks = !buffers.unsent().is_empty();
        match buffers.send(&slot.socket) {
            Ok(()) => {}
            Err(Errno::AGAIN) => return self.fly(slot, id, EventFlags::OUT, waiter).map_ok(|()| 0),
            Err(e) => return Poll::Ready(Err(e.into())),
        }
        // Nothing can have come yet when the request has just left, or when the last receive left room; after a hang-up
        // nobody would say that it did.
        if (asks || (begins && !buffers.incoming.brimful)) && !slot.hung_up {
            return self.fly(slot, id, EventFlags::IN, waiter).map_ok(|()| 0);
        }
        loop {
            return match rustix::net::recv(&slot.socket, buffers.incoming.space(), RecvFlags::empty()) {
                Ok((_, 0)) => Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
                Ok((_, n)) => {
                    buffers.arrived(n);
                    Poll::Ready(Ok(n))
                }
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => self.fly(slot, id, EventFlags::IN, waiter).map_ok(|()| 0),
                Err(e) => Poll::Ready(Err(e.into())),
            };
        }
    }

    pub fn writable(&mut self, slot: &mut Slot, id: SlotId, waiter: Waiter<'_>) -> Poll<io::Result<()>> {
        self.fly(slot, id, EventFlags::OUT, waiter)
    }

    /// Pending until the socket is ready for this.
    #[inline]
    fn fly(&mut self, slot: &mut Slot, id: SlotId, interest: EventFlags, waiter: Waiter<'_>) -> Poll<io::Result<()>> {
        (slot.state, slot.task, slot.due) = (State::Flying, waiter.task, waiter.due);
        if slot.registered == interest {
            return Poll::Pending;
        }
        let (data, wanted) = (EventData::new_u64(u64::from(id.0)), interest | EventFlags::RDHUP | EventFlags::ET);
        let changed = if slot.registered.is_empty() {
            epoll::add(&self.epoll, &slot.socket, data, wanted)
        } else {
            epoll::modify(&self.epoll, &slot.socket, data, wanted)
        };
        slot.registered = interest;
        match changed {
            Ok(()) => Poll::Pending,
            Err(e) => Poll::Ready(Err(e.into())),
        }
    }

    #[inline]
    pub fn wait(&mut self, timeout: Nanos, slots: &mut Slots, ready: &mut Vec<TaskId>) -> io::Result<()> {
        let timeout =
            Timespec { tv_sec: (timeout.0 / 1_000_000_000) as i64, tv_nsec: (timeout.0 % 1_000_000_000) as i64 };
        self.events.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
        for event in &self.events {
            let Some(slot) = slots.find(SlotId(event.data.u64() as u32)) else { continue };
            let flags = event.flags;
            slot.hung_up |= flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
            if slot.state == State::Flying {
                slot.state = State::Landed { result: 0, sending: false };
                ready.push(slot.task);
            } else {
                // Nobody waits for it now, as when the server hangs up on an idle user: do not be told again and again.
                // It fails when the event is of an earlier socket that a process being started still holds, and then
                // may.
                let _ = epoll::delete(&self.epoll, &slot.socket);
                slot.registered = EventFlags::empty();
            }
        }
        Ok(())
    }
}
