//! Hot path: one slot per socket of a worker: who waits for it, until when, and what is under way. A slot outlives its
//! line while an operation is in flight, so that the socket's number and the buffers stay taken until the kernel has
//! let go.

use super::buffers::Buffers;
use super::task::TaskId;
use model::units::Nanos;
use rustix::event::epoll::EventFlags;
use std::os::fd::OwnedFd;

/// A socket's number in its worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotId(pub u32);

pub struct Slot {
    pub socket: OwnedFd,
    pub task: TaskId,
    pub due: Nanos,
    pub state: State,
    /// io_uring: the buffers that the kernel is using.
    pub cargo: Option<Box<Buffers>>,
    /// io_uring: counts flights, so that a completion names the flight that it ends.
    pub flight: u32,
    /// epoll and blocking: what the socket is registered for, or waited for.
    pub registered: EventFlags,
    /// epoll: nothing more will come than what lies there.
    pub hung_up: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Idle,
    /// The kernel will say something about it.
    Flying,
    /// io_uring: the result of the send (which then failed or fell short) or of the receive; epoll: the socket is
    /// ready.
    Landed {
        result: i32,
        sending: bool,
    },
    /// The line is gone; the slot is freed when the kernel answers.
    Abandoned,
}

#[derive(Default)]
pub struct Slots {
    slots: Vec<Option<Slot>>,
    free: Vec<SlotId>,
    /// Slots that wait for the kernel without anybody waiting for them.
    pub abandoned: usize,
}

impl Slots {
    pub fn open(&mut self, socket: OwnedFd) -> SlotId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            SlotId(self.slots.len() as u32 - 1)
        });
        let (task, due, registered) = (TaskId(0), Nanos(0), EventFlags::empty());
        let state = State::Idle;
        self.slots[id.0 as usize] =
            Some(Slot { socket, task, due, state, cargo: None, flight: 0, registered, hung_up: false });
        id
    }

    #[inline]
    pub fn at(&mut self, id: SlotId) -> &mut Slot {
        self.slots[id.0 as usize].as_mut().expect("a slot is open while its line lives")
    }

    /// The slot, if it is still open: for what the kernel says late.
    #[inline]
    pub fn find(&mut self, id: SlotId) -> Option<&mut Slot> {
        self.slots[id.0 as usize].as_mut()
    }

    /// Closes the socket.
    pub fn close(&mut self, id: SlotId) {
        let slot = self.slots[id.0 as usize].take().expect("a slot is closed once");
        if slot.state == State::Abandoned {
            self.abandoned -= 1;
        }
        self.free.push(id);
    }

    /// Those with something under way.
    pub fn flying(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().flatten().filter(|slot| slot.state == State::Flying)
    }

    pub fn flying_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.slots.iter_mut().flatten().filter(|slot| slot.state == State::Flying)
    }

    /// Tasks whose operation is overdue.
    pub fn overdue(&self, now: Nanos) -> impl Iterator<Item = TaskId> {
        self.flying().filter(move |slot| slot.due <= now).map(|slot| slot.task)
    }

    /// Buffers that the kernel may still be using.
    pub fn take_cargo(&mut self) -> impl Iterator<Item = Box<Buffers>> {
        self.slots.iter_mut().flatten().filter_map(|slot| slot.cargo.take())
    }
}
