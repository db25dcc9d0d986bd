//! Connecting, for both ways alike: a connect that does not block, then waiting until the socket can be written. Names
//! are resolved by the system, once a second at most, which blocks the worker for as long as it takes, at most the
//! deadline: a load is pointed at an address or at a name from the hosts file.

use super::line::Line;
use super::reactor::Reactor;
use super::sleep::Sleep;
use super::slots::SlotId;
use super::task::Waiter;
use crate::os::address::Address;
use crate::os::clock;
use model::units::Nanos;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

/// A Unix socket whose backlog is full says so at once and has no way to say when it is not.
const BACKLOG_FULL: Nanos = Nanos::from_millis(1);

const FLAGS: SocketFlags = SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK);

pub async fn connect(reactor: &Rc<Reactor>, address: &Address, deadline: Nanos) -> io::Result<Line> {
    let due = Nanos(clock::now().0.saturating_add(deadline.0));
    match address {
        Address::Unix(path) => unix(reactor, path, deadline, due).await,
        Address::Tcp { host, port } => {
            let mut last = io::ErrorKind::AddrNotAvailable.into();
            let found = reactor.names().addresses(host, *port, Duration::from_nanos(deadline.0))?;
            for address in found {
                match tcp(reactor, address, deadline, due).await {
                    Ok(line) => return Ok(line),
                    Err(e) => last = e,
                }
            }
            Err(last)
        }
    }
}

async fn unix(reactor: &Rc<Reactor>, path: &Path, deadline: Nanos, due: Nanos) -> io::Result<Line> {
    let address = SocketAddrUnix::new(path)?;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, FLAGS, None)?;
    loop {
        match rustix::net::connect(&socket, &address) {
            Ok(()) => return line(reactor, socket, deadline, due),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) if clock::now() < due => {
                Sleep::new(Rc::clone(reactor), Nanos(clock::now().0 + BACKLOG_FULL.0)).await;
            }
            Err(Errno::AGAIN) => return Err(io::ErrorKind::TimedOut.into()),
            Err(e) => return Err(e.into()),
        }
    }
}

async fn tcp(reactor: &Rc<Reactor>, address: SocketAddr, deadline: Nanos, due: Nanos) -> io::Result<Line> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = rustix::net::socket_with(family, SocketType::STREAM, FLAGS, None)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    match rustix::net::connect(&socket, &address) {
        Ok(()) => line(reactor, socket, deadline, due),
        // Interrupted or not, it goes on in the background.
        Err(Errno::INPROGRESS | Errno::INTR) => {
            let (line, slot) = opened(reactor, socket, deadline, due)?;
            poll_fn(|_| {
                let waiter = Waiter { task: reactor.current(), moments: reactor.moments(), due };
                reactor.net().poll_writable(slot, waiter)
            })
            .await?;
            sockopt::socket_error(reactor.net().socket(slot))??;
            Ok(line)
        }
        Err(e) => Err(e.into()),
    }
}

fn line(reactor: &Rc<Reactor>, socket: OwnedFd, deadline: Nanos, due: Nanos) -> io::Result<Line> {
    opened(reactor, socket, deadline, due).map(|(line, _)| line)
}

fn opened(reactor: &Rc<Reactor>, socket: OwnedFd, deadline: Nanos, due: Nanos) -> io::Result<(Line, SlotId)> {
    let slot = reactor.net().open(socket)?;
    Ok((Line::driven(Rc::clone(reactor), slot, deadline, due), slot))
}
