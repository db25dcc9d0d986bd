//! Hot path: io_uring. An exchange is a linked send and receive, entered together with everybody else's, so that a
//! batch of exchanges costs one system call. A send that succeeds says nothing; one that fails or falls short cancels
//! its receive silently, so every flight ends with exactly one completion. This file holds all `unsafe` of the hot
//! path.

use super::buffers::Buffers;
use super::slots::{Slot, SlotId, Slots, State};
use super::task::{TICK, TaskId, Waiter};
use io_uring::squeue::{Entry, Flags};
use io_uring::types::{Fd, SubmitArgs, Timespec};
use io_uring::{EnterFlags, IoUring, opcode};
use model::units::Nanos;
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use std::io;
use std::os::fd::AsRawFd;
use std::task::Poll;

/// Room for what is begun between two entries; when it is full, it is entered early.
const SUBMISSIONS: u32 = 4096;

/// One completion per user in flight: room for more users than a worker is given. Beyond it the kernel keeps a list.
const COMPLETIONS: u32 = 16384;

/// The kernel retries a send that falls short, and a vanished peer is an error and no signal.
const SEND: i32 = (SendFlags::NOSIGNAL.bits() | RecvFlags::WAITALL.bits()) as i32;

/// Ends a wait that nothing else ends. It is an operation of its own, since a time-out given to each wait costs arming
/// and disarming a timer each time, which a single user would feel.
static TICKING: Timespec = Timespec::new().nsec(TICK.0 as u32);
const TICKED: u64 = u64::MAX;

pub struct Ring {
    ring: IoUring,
    ticking: bool,
}

/// What a completion carries back: the slot, its flight, and whether it was the send.
fn ticket(id: SlotId, slot: &Slot, sending: bool) -> u64 {
    u64::from(id.0) << 32 | u64::from(slot.flight & (u32::MAX >> 1)) << 1 | u64::from(sending)
}

impl Ring {
    /// Fails where the kernel is older than 6.1, or a policy forbids io_uring.
    pub fn new() -> io::Result<Self> {
        let mut builder = IoUring::builder();
        builder.setup_single_issuer().setup_defer_taskrun().setup_cqsize(COMPLETIONS);
        Ok(Self { ring: builder.build(SUBMISSIONS)?, ticking: false })
    }

    // Two places exchange, for which the compiler would call it; `bench/instructions.sh` counts what that costs.
    #[inline(always)]
    pub fn poll_exchange(
        &mut self,
        slots: &mut Slots,
        id: SlotId,
        buffers: &mut Option<Box<Buffers>>,
        waiter: Waiter<'_>,
    ) -> Poll<io::Result<usize>> {
        let slot = slots.at(id);
        if let State::Landed { result, sending } = slot.state {
            slot.state = State::Idle;
            let mut back = slot.cargo.take().expect("an exchange in flight carries its buffers");
            let outcome = landed(&mut back, result, sending);
            *buffers = Some(back);
            if let Some(outcome) = outcome {
                return Poll::Ready(outcome);
            }
        }
        take_off(slot, waiter);
        slot.cargo = buffers.take();
        match self.begin(slot, id) {
            Ok(()) => Poll::Pending,
            Err(e) => {
                slot.state = State::Idle;
                *buffers = slot.cargo.take();
                Poll::Ready(Err(e))
            }
        }
    }

    #[inline]
    fn begin(&mut self, slot: &mut Slot, id: SlotId) -> io::Result<()> {
        let (fd, answer, failure) = (Fd(slot.socket.as_raw_fd()), ticket(id, slot, false), ticket(id, slot, true));
        let cargo = slot.cargo.as_mut().expect("an idle line has its buffers");
        let (unsent, length) = (cargo.unsent().as_ptr(), cargo.unsent().len() as u32);
        let space = cargo.incoming.space();
        let receive = opcode::Recv::new(fd, space.as_mut_ptr(), space.len() as u32).build().user_data(answer);
        if length == 0 {
            return self.push(&[receive]);
        }
        let send =
            opcode::Send::new(fd, unsent, length).flags(SEND).build().flags(Flags::IO_LINK | Flags::SKIP_SUCCESS);
        self.push(&[send.user_data(failure), receive])
    }

    pub fn writable(&mut self, slot: &mut Slot, id: SlotId, waiter: Waiter<'_>) -> Poll<io::Result<()>> {
        take_off(slot, waiter);
        let poll = opcode::PollAdd::new(Fd(slot.socket.as_raw_fd()), PollFlags::OUT.bits() as u32).build();
        match self.push(&[poll.user_data(ticket(id, slot, false))]) {
            Ok(()) => Poll::Pending,
            Err(e) => {
                slot.state = State::Idle;
                Poll::Ready(Err(e))
            }
        }
    }

    #[inline]
    fn push(&mut self, entries: &[Entry]) -> io::Result<()> {
        // SAFETY: a tick names a static; any other entry names a socket and memory that its slot owns (`Slot::socket`,
        // `Slot::cargo`). The slot is Flying, and gives neither away nor drops them before the completion of this
        // flight has arrived (`Slots::land`); buffers whose completion never arrives are leaked (`Net::drop`). Moving a
        // slot moves no byte of what the boxes hold.
        while unsafe { self.ring.submission().push_multiple(entries) }.is_err() {
            match self.ring.submit() {
                Ok(_) => {}
                Err(e) if e.raw_os_error() == Some(Errno::INTR.raw_os_error()) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    #[inline]
    pub fn wait(&mut self, timeout: Nanos, slots: &mut Slots, ready: &mut Vec<TaskId>) -> io::Result<()> {
        entered(self.enter(timeout))?;
        for completion in self.ring.completion() {
            match completion.user_data() {
                TICKED => self.ticking = false,
                flight => slots.land(flight, completion.result(), ready),
            }
        }
        Ok(())
    }

    #[inline]
    pub fn hand_in(&mut self) -> io::Result<()> {
        entered(self.ring.submit())
    }

    #[inline]
    fn enter(&mut self, timeout: Nanos) -> io::Result<usize> {
        if timeout >= TICK {
            if !self.ticking {
                self.push(&[opcode::Timeout::new(&raw const TICKING).build().user_data(TICKED)])?;
                self.ticking = true;
            }
            return self.ring.submit_and_wait(1);
        }
        if timeout == Nanos(0) {
            let begun = self.ring.submission().len() as u32;
            // SAFETY: no argument is passed; GETEVENTS lets the kernel run the completions that it deferred.
            return unsafe { self.ring.submitter().enter::<()>(begun, 0, EnterFlags::GETEVENTS.bits(), None) };
        }
        let timeout = Timespec::new().nsec(timeout.0 as u32);
        self.ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&timeout))
    }
}

#[inline]
fn entered(outcome: io::Result<usize>) -> io::Result<()> {
    match outcome {
        Ok(_) => Ok(()),
        // Interrupted, timed out, or more completions than the kernel wants to keep: look at what is there.
        Err(e) => match Errno::from_io_error(&e) {
            Some(Errno::INTR | Errno::TIME | Errno::BUSY | Errno::AGAIN) => Ok(()),
            Some(_) | None => Err(e),
        },
    }
}

#[inline]
fn take_off(slot: &mut Slot, waiter: Waiter<'_>) {
    slot.flight = slot.flight.wrapping_add(1);
    (slot.state, slot.task, slot.due) = (State::Flying, waiter.task, waiter.due);
}

/// What came back from a flight; `None` when it has to be flown again.
#[inline]
fn landed(buffers: &mut Buffers, result: i32, sending: bool) -> Option<io::Result<usize>> {
    match (result, sending) {
        (1.., false) => {
            buffers.arrived(result as usize);
            Some(Ok(result as usize))
        }
        (0, false) => Some(Err(io::ErrorKind::UnexpectedEof.into())),
        (0.., true) => {
            buffers.sent += result as usize;
            None
        }
        (..0, _) => match Errno::from_raw_os_error(-result) {
            Errno::INTR | Errno::AGAIN => None,
            error => Some(Err(error.into())),
        },
    }
}

impl Slots {
    /// A completion arrived. One that names an earlier flight is old news.
    #[inline]
    fn land(&mut self, ticket_back: u64, result: i32, ready: &mut Vec<TaskId>) {
        let (id, sending) = (SlotId((ticket_back >> 32) as u32), ticket_back & 1 == 1);
        let Some(slot) = self.find(id).filter(|slot| ticket(id, slot, sending) == ticket_back) else { return };
        match slot.state {
            State::Flying => {
                slot.state = State::Landed { result, sending };
                ready.push(slot.task);
            }
            State::Abandoned => self.close(id),
            State::Idle | State::Landed { .. } => {}
        }
    }
}
