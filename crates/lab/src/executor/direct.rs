//! Connecting without an executor, for one conversation of the lab's own that asks one thing at a time: the socket
//! blocks, and its time-outs are the only bound.

use super::line::Line;
use crate::os::address::Address;
use crate::os::{names, waits};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt};
use std::io;
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

/// What is left for the last of several addresses when the others took all; zero is no time limit.
const LEAST: Duration = Duration::from_millis(10);

/// A line there, whose every send and receive waits at most so long.
pub fn connect(address: &Address, patience: Duration) -> io::Result<Line> {
    let line = Line::blocking(socket(address, patience)?);
    line.waits_at_most(patience);
    Ok(line)
}

/// A socket that is connected there.
pub fn socket(address: &Address, patience: Duration) -> io::Result<OwnedFd> {
    match address {
        Address::Unix(path) => unix(path, patience),
        Address::Tcp { host, port } => {
            let what = format!("this system's resolver to tell the address of {host}");
            let found = waits::during(&what, patience, || names::addresses(host, *port, patience))?;
            let mut last = io::ErrorKind::AddrNotAvailable.into();
            let begun = Instant::now();
            // All addresses of a name together wait no longer than one.
            for address in found {
                let left = patience.saturating_sub(begun.elapsed()).max(LEAST);
                match TcpStream::connect_timeout(&address, left) {
                    Ok(socket) => {
                        socket.set_nodelay(true)?;
                        return Ok(socket.into());
                    }
                    Err(e) => last = e,
                }
            }
            Err(last)
        }
    }
}

/// A Unix socket whose server accepts nobody holds `connect` as long as its time limit for sending.
pub fn unix(path: &Path, patience: Duration) -> io::Result<OwnedFd> {
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Send, Some(patience))?;
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Recv, Some(patience))?;
    match rustix::net::connect(&socket, &SocketAddrUnix::new(path)?) {
        Ok(()) => Ok(socket),
        Err(Errno::AGAIN) => Err(io::ErrorKind::TimedOut.into()),
        Err(e) => Err(e.into()),
    }
}
