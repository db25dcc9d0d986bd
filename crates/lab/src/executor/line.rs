//! Hot path: one conversation's transport: write into `outgoing`, exchange, read and consume `incoming`. The same
//! session code runs over a line of an executor and over a blocking socket, whose operations are always ready.
//! Encryption is not here: it stands between a session and its line (`backends/channel.rs`). A server is taken to read
//! a whole request before it answers, as request-reply protocols have it.

use super::buffers::Buffers;
use super::near::Part;
use super::reactor::Reactor;
use super::slots::SlotId;
use super::task::Waiter;
use crate::os::clock;
use model::units::Nanos;
use rustix::io::Errno;
use rustix::net::{RecvFlags, sockopt};
use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use workload::user::Memory;

/// Room for the execution of a prepared statement.
const REQUEST_BYTES: usize = 64;

pub struct Line {
    transport: Transport,
    /// Away while the kernel uses them.
    buffers: Option<Box<Buffers>>,
    /// An operation is under way; it goes on even when the future that began it was dropped.
    busy: bool,
    /// How long an exchange may take, and when the one under way is over.
    deadline: Nanos,
    due: Nanos,
}

enum Transport {
    Blocking(OwnedFd),
    Driven {
        reactor: Rc<Reactor>,
        slot: SlotId,
    },
    /// Broken by an error, a deadline, or an operation that was broken off.
    Dead,
}

impl Line {
    /// A line over a blocking socket, for one conversation without an executor. Its time-outs are its deadline.
    pub fn blocking(socket: OwnedFd) -> Self {
        Self {
            transport: Transport::Blocking(socket),
            buffers: Some(Box::default()),
            busy: false,
            deadline: Nanos(0),
            due: Nanos(0),
        }
    }

    pub(super) fn driven(reactor: Rc<Reactor>, slot: SlotId, deadline: Nanos, due: Nanos) -> Self {
        let mut buffers = Box::<Buffers>::default();
        buffers.outgoing.reserve(REQUEST_BYTES);
        let (own, request) =
            (Memory::of(&*buffers), Memory::of(&buffers.outgoing.spare_capacity_mut()[..REQUEST_BYTES]));
        let line =
            Self { transport: Transport::Driven { reactor, slot }, buffers: Some(buffers), busy: false, deadline, due };
        line.touches(Part::Buffers, own);
        line.touches(Part::Request, request);
        line
    }

    /// How long one send or receive on a blocking line may take from now on; a driven line has its deadline. A socket
    /// that refuses it stays as it was.
    pub fn waits_at_most(&self, patience: Duration) {
        if let Transport::Blocking(socket) = &self.transport {
            for way in [sockopt::Timeout::Send, sockopt::Timeout::Recv] {
                let _ = sockopt::set_socket_timeout(socket, way, Some(patience));
            }
        }
    }

    /// See `Handle::touches`; on a blocking line nobody asks.
    pub fn touches(&self, part: Part, memory: Memory) {
        if let Transport::Driven { reactor, .. } = &self.transport {
            reactor.near().set(reactor.current(), part, memory);
        }
    }

    /// The request to be sent by the next exchange; empty after it. Asked for while an operation is under way, that
    /// operation is broken off and the line is dead: whatever still came would belong to an earlier request.
    #[inline]
    pub fn outgoing(&mut self) -> &mut Vec<u8> {
        if self.busy {
            self.hang_up();
        }
        &mut self.buffers.get_or_insert_default().outgoing
    }

    /// What has arrived and is not yet consumed. While an operation is under way it may be out of sight.
    #[inline]
    pub fn incoming(&self) -> &[u8] {
        self.buffers.as_ref().map_or(&[], |buffers| buffers.incoming.unread())
    }

    /// The same, to be decrypted where it lies.
    #[inline]
    pub fn incoming_mut(&mut self) -> &mut [u8] {
        self.buffers.as_mut().map_or(&mut [], |buffers| buffers.incoming.unread_mut())
    }

    /// Forgets the first `n` bytes of `incoming`.
    #[inline]
    pub fn consume(&mut self, n: usize) {
        if n > 0 {
            self.buffers.as_mut().expect("what is consumed was read first").incoming.consume(n);
        }
    }

    /// Sends `outgoing` whole and receives at least one byte: how many. Errors end the line: `TimedOut` after the
    /// deadline, `UnexpectedEof` when the server hung up, and what the kernel says.
    #[inline]
    pub fn poll_exchange(&mut self, _: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.begin();
        self.poll()
    }

    #[inline]
    fn begin(&mut self) {
        if let (Transport::Driven { reactor, .. }, false) = (&self.transport, self.busy) {
            self.due = Nanos(reactor.now().0.saturating_add(self.deadline.0));
        }
    }

    /// Sends `outgoing` before the exchange that must follow, and not with everybody else's. What cannot be sent that
    /// exchange says.
    pub fn send_now(&mut self) {
        self.begin();
        if let Transport::Driven { reactor, slot } = &self.transport {
            let waiter = Waiter { task: reactor.current(), moments: reactor.moments(), due: self.due };
            self.busy = reactor.net().send_now(*slot, &mut self.buffers, waiter);
        }
    }

    /// Receives at least one byte more, within the deadline of the last exchange (or of connecting).
    #[inline]
    pub fn poll_receive(&mut self, _: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.poll()
    }

    /// When the last receive was over, as the kernel handed it out; on a blocking line, now.
    #[inline]
    pub fn moment(&self) -> Nanos {
        match &self.transport {
            Transport::Driven { reactor, .. } => reactor.now(),
            Transport::Blocking(_) | Transport::Dead => clock::now(),
        }
    }

    /// The same after an answer in several pieces, which epoll receives one after the other without a wait between
    /// them.
    #[cold]
    pub fn moment_of_last_piece(&self) -> Nanos {
        if let Transport::Driven { reactor, .. } = &self.transport {
            reactor.look();
        }
        self.moment()
    }

    pub async fn exchange(&mut self) -> io::Result<usize> {
        poll_fn(|cx| self.poll_exchange(cx)).await
    }

    pub async fn receive(&mut self) -> io::Result<usize> {
        poll_fn(|cx| self.poll_receive(cx)).await
    }

    #[inline]
    fn poll(&mut self) -> Poll<io::Result<usize>> {
        let polled = match &self.transport {
            Transport::Driven { reactor, slot } => {
                let waiter = Waiter { task: reactor.current(), moments: reactor.moments(), due: self.due };
                reactor.net().poll_exchange(*slot, &mut self.buffers, waiter)
            }
            Transport::Blocking(socket) => Poll::Ready(exchange(socket, self.buffers.get_or_insert_default())),
            Transport::Dead => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        };
        self.busy = polled.is_pending();
        if let Poll::Ready(Err(_)) = polled {
            self.hang_up();
        }
        polled
    }

    #[cold]
    fn hang_up(&mut self) {
        self.busy = false;
        if let Transport::Driven { reactor, slot } = std::mem::replace(&mut self.transport, Transport::Dead) {
            reactor.net().release(slot);
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.hang_up();
    }
}

fn exchange(socket: &OwnedFd, buffers: &mut Buffers) -> io::Result<usize> {
    buffers.send(socket).map_err(in_time)?;
    loop {
        match rustix::net::recv(socket, buffers.incoming.space(), RecvFlags::empty()) {
            Ok((_, 0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok((_, n)) => {
                buffers.arrived(n);
                return Ok(n);
            }
            Err(Errno::INTR) => {}
            Err(e) => return Err(in_time(e)),
        }
    }
}

/// A blocking socket with a time-out says "again" when it has passed.
fn in_time(error: Errno) -> io::Error {
    if error == Errno::AGAIN { io::ErrorKind::TimedOut.into() } else { error.into() }
}
