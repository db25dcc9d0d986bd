//! A proxy that writes down what passes. Each client has a thread, which waits for both sides at once, moves bytes as
//! they are and keeps a copy; one writer makes statements of the copies, so that the way of a statement has no parser,
//! no lock and no disk in it. A side that does not take its bytes stops the other (backpressure); a writer or a disk
//! that does not keep up costs statements of the trace, told as lost, and never the client's time.
//!
//! Threads, not the executor: a user of a load waits for one line, a proxy for two, and the executor's operations are
//! built around one request and its answer.

mod gate;
mod greeting;
mod overheard;
mod session;
mod side;
mod writing;

use super::{head, now};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::opening::OPENING_PATIENCE;
use crate::os::address::Address;
use crate::os::{process, waits};
use crate::traces::NewTrace;
use crate::trouble::Trouble;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use session::Session;
use side::{Offered, Socket};
use std::io;
use std::io::ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use trace::{Closing, Origin, SessionId, Sieve};
use writing::Writing;

pub use side::Certificate;

/// How often it is asked whether to stop, where nobody connects.
const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// Until it is tried again, where clients knock and cannot be let in: file descriptors become free as others leave.
const PAUSE: Duration = Duration::from_millis(100);
/// A session's thread moves bytes and keeps no deep stack.
const STACK: usize = 256 << 10;

/// What a proxy is asked to be.
pub struct Proxy {
    /// Where clients come.
    pub listen: Address,
    /// Where they go; its account is not used, because clients come with theirs.
    pub to: SqlEndpoint,
    /// Under which TLS is offered to clients; `None` offers none.
    pub certificate: Option<Certificate>,
}

/// Listens until asked to stop, and writes the trace. `listening` is told once clients can come, and where.
pub fn proxy(
    proxy: &Proxy,
    out: &Path,
    sieve: Sieve,
    stop: &AtomicBool,
    listening: impl FnOnce(&str),
) -> Result<Closing, Trouble> {
    process::raise_open_files();
    let offered = proxy.certificate.as_ref().map(Offered::new).transpose()?;
    let listener = Listener::bind(&proxy.listen)?;
    let trace = NewTrace::create(out, &head(Origin::Proxy, &sieve, None, &[]), sieve)?;
    let writing = Writing::begin(trace);
    // Its other end closes when the capture does, and every session sees that.
    let (ends, ended) = UnixStream::pair().map_err(|e| Trouble::new("making a pair of sockets").because(e))?;
    let (to, ended) = (Arc::new(proxy.to.clone()), Arc::new(ended));
    listening(&listener.address);
    let mut threads = Vec::new();
    let mut last = 0;
    while !stop.load(Ordering::Relaxed) && !writing.has_failed() {
        let Some((client, host)) = listener.accept(&writing) else { continue };
        last += 1;
        let session = Session {
            to: Arc::clone(&to),
            offered: offered.clone(),
            ended: Arc::clone(&ended),
            told: writing.told(SessionId(last), host),
        };
        let thread = thread::Builder::new().name(format!("session {last}")).stack_size(STACK);
        match thread.spawn(move || session.serve(client)) {
            Ok(thread) => threads.push(thread),
            Err(error) => writing.note(format!("A client was turned away, because no thread could be begun: {error}.")),
        }
        threads.retain(|thread| !thread.is_finished());
    }
    drop(ends);
    waits::during("the sessions of the capture to end", OPENING_PATIENCE, || {
        threads.into_iter().for_each(|thread| thread.join().expect("a session does not panic"));
    });
    writing.finish()
}

/// Where clients come.
struct Listener {
    kind: Kind,
    /// As it is told: the port that was chosen where none was said.
    address: String,
}

enum Kind {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    fn bind(address: &Address) -> Result<Self, Trouble> {
        let trouble = |e: io::Error| {
            Trouble::new(format!("listening at {address}")).because(e).mend("choose another port or path for --proxy")
        };
        Ok(match address {
            Address::Tcp { host, port } => {
                let listener = TcpListener::bind((&**host, *port)).map_err(trouble)?;
                listener.set_nonblocking(true).map_err(trouble)?;
                let address = listener.local_addr().map_err(trouble)?.to_string();
                Self { kind: Kind::Tcp(listener), address }
            }
            Address::Unix(path) => {
                let listener = UnixListener::bind(path).map_err(trouble)?;
                listener.set_nonblocking(true).map_err(trouble)?;
                Self { kind: Kind::Unix(listener), address: path.display().to_string() }
            }
        })
    }

    /// The next client and where it comes from; `None` where none came for a while.
    fn accept(&self, writing: &Writing) -> Option<(Socket, String)> {
        let fd = match &self.kind {
            Kind::Tcp(listener) => listener.as_fd(),
            Kind::Unix(listener) => listener.as_fd(),
        };
        // A signal ends the wait; whoever asked for it is looked at next.
        let _ = poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&LOOK_AGAIN));
        let accepted = match &self.kind {
            Kind::Tcp(listener) => listener.accept().map(|(tcp, from)| (Socket::Tcp(tcp), from.ip().to_string())),
            Kind::Unix(listener) => listener.accept().map(|(unix, _)| (Socket::Unix(unix), "localhost".to_string())),
        };
        match accepted {
            Ok(accepted) => return Some(accepted),
            // Nobody came, or a client left at once.
            Err(error) if matches!(error.kind(), WouldBlock | ConnectionAborted | Interrupted) => {}
            // Out of file descriptors: the others go on.
            Err(error) => {
                writing.note(format!("Clients had to wait, because they could not be accepted: {error}."));
                thread::sleep(PAUSE);
            }
        }
        None
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Kind::Unix(_) = self.kind {
            let _ = std::fs::remove_file(&self.address);
        }
    }
}
