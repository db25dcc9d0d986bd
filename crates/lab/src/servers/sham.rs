//! The sham server: a server in this process that lets everybody in and answers every statement from memory, in the
//! bytes of a real one. Against it the load meets nothing but itself, which is what the canary measures; and it can
//! misbehave on request in ways that a real server does only when it should not. One thread answers everybody, which is
//! the most that can be asked for; or each peer has its own, as with most database servers, where the way in which a
//! client waits decides how soon that thread runs.

mod manners;

pub use manners::{Greets, Heard, Manners, Misdeed};
use model::units::Nanos;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::Duration;
use wire::mysql::err::ErrPacket;
use wire::mysql::handshake::{Greeting, Response, SCRAMBLE_BYTES};
use wire::mysql::server::{Answer, Command};
use wire::mysql::{Capabilities, Cell, Column, ColumnType, OkPacket, Status, packet};

/// What it offers: all that a session of ours asks for, without the bit by which a MySQL server says that it is none of
/// MariaDB's.
const OFFERED: Capabilities = Capabilities::WANTED.without(Capabilities::LONG_PASSWORD);

const VERSION: &[u8] = b"5.5.5-10.11.0-MariaDB-sham";

/// How a row of `sbtest.c` looks: 119 characters.
const TEXT: &[u8] = b"68487932199-96439406143-93774651418-41631865787-96406072701-20604855487-25459966574-28203206787-41238978918-19503783441";

/// A request of the load is far smaller; longer ones arrive in pieces and are joined.
const RECEIVE_BYTES: usize = 16 << 10;

/// How long the server sleeps at most, in nanoseconds: it must see that it is over.
const LOOK: u64 = 50_000_000;

/// The events taken per wait.
const BATCH: usize = 256;

const LISTENER: u64 = u64::MAX;

pub struct Sham {
    socket: PathBuf,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

#[derive(Default)]
struct Shared {
    over: AtomicBool,
    /// Answer nothing until this moment of the lab's clock.
    silent_until: AtomicU64,
    /// Look for requests without ever sleeping.
    restless: AtomicBool,
    manners: Manners,
    heard: Heard,
    /// Nanoseconds that one execution takes, and how many are carried out at once; 0: answer at once.
    service: AtomicU64,
    servers: AtomicU64,
}

impl Sham {
    /// Listens on that socket until dropped, on CPUs `cpus` (any when empty).
    pub fn start(socket: &Path, cpus: &[u32]) -> io::Result<Self> {
        Self::start_with(socket, cpus, Manners::default())
    }

    /// The same, misbehaving.
    pub fn start_with(socket: &Path, cpus: &[u32], manners: Manners) -> io::Result<Self> {
        Self::serving(serve, socket, cpus, manners)
    }

    /// The same with a thread for each peer.
    pub fn start_threaded(socket: &Path, cpus: &[u32]) -> io::Result<Self> {
        Self::serving(serve_by_threads, socket, cpus, Manners::default())
    }

    fn serving(
        serve: fn(&UnixListener, &Shared) -> io::Result<()>,
        socket: &Path,
        cpus: &[u32],
        manners: Manners,
    ) -> io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        rustix::net::listen(&listener, 4096)?;
        listener.set_nonblocking(true)?;
        let shared = Arc::new(Shared { manners, ..Shared::default() });
        let (theirs, cpus) = (Arc::clone(&shared), cpus.to_vec());
        let thread = std::thread::Builder::new().name("sham".into()).spawn(move || {
            crate::load::pin(&cpus)?;
            serve(&listener, &theirs)
        })?;
        Ok(Self { socket: socket.to_path_buf(), shared, thread: Some(thread) })
    }

    pub fn heard(&self) -> &Heard {
        &self.shared.heard
    }

    /// Stops answering until that moment of the lab's clock, as a server does that waits for a disk.
    pub fn be_silent_until(&self, moment: Nanos) {
        self.shared.silent_until.store(moment.0, SeqCst);
    }

    /// From now on each execution takes so long on one of so many servers, first come, first served: a queue whose
    /// capacity everybody can compute.
    pub fn be_slow(&self, service: Nanos, servers: u32) {
        self.shared.servers.store(u64::from(servers), SeqCst);
        self.shared.service.store(service.0, SeqCst);
    }

    /// Spins instead of sleeping from now on, so that nobody pays for waking it; it needs a CPU of its own.
    pub fn be_restless(&self) {
        self.shared.restless.store(true, SeqCst);
    }
}

impl Drop for Sham {
    fn drop(&mut self) {
        self.shared.over.store(true, SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Executions that are being carried out or wait for a server.
#[derive(Default)]
struct Queue {
    /// When each server has done all that it was given.
    free: Vec<Nanos>,
    /// When an answer is due, and to whom.
    owed: BinaryHeap<Reverse<(Nanos, u64)>>,
}

impl Queue {
    fn take(&mut self, peer: u64, now: Nanos, shared: &Shared) {
        self.free.resize(shared.servers.load(SeqCst).max(1) as usize, now);
        let first = self.free.iter_mut().min().expect("at least one server");
        *first = Nanos(now.max(*first).0 + shared.service.load(SeqCst));
        self.owed.push(Reverse((*first, peer)));
    }
    /// Nanoseconds until the next answer is due.
    fn patience(&self, now: Nanos) -> Option<u64> {
        self.owed.peek().map(|Reverse((due, _))| due.0.saturating_sub(now.0))
    }
    /// Whose answer is due by now.
    fn due(&mut self, now: Nanos) -> Option<u64> {
        let next = self.owed.peek().filter(|Reverse((due, _))| *due <= now)?.0.1;
        self.owed.pop();
        Some(next)
    }
}

struct Peer {
    socket: OwnedFd,
    received: Vec<u8>,
    /// Agreed on at login; before it the peer has not answered the greeting.
    capabilities: Option<Capabilities>,
    /// The answer to an execute, as this peer's dialect writes it.
    canned: Vec<u8>,
}

fn serve(listener: &UnixListener, shared: &Shared) -> io::Result<()> {
    let poll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&poll, listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
    let mut peers: BTreeMap<u64, Peer> = BTreeMap::new();
    let mut next = 0;
    let mut events = Vec::with_capacity(BATCH);
    let mut buffer = vec![0; RECEIVE_BYTES];
    let mut queue = Queue::default();
    let tick = |nanos: u64| rustix::time::Timespec { tv_sec: 0, tv_nsec: nanos as i64 };
    while !shared.over.load(SeqCst) {
        events.clear();
        let patience = tick(match queue.patience(crate::os::clock::now()) {
            _ if shared.restless.load(SeqCst) => 0,
            Some(nanos) => nanos.min(LOOK),
            None => LOOK,
        });
        match epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), Some(&patience)) {
            Err(rustix::io::Errno::INTR) => continue,
            outcome => outcome?,
        };
        hold_while_silent(shared);
        for event in events.iter() {
            let number = event.data.u64();
            if number == LISTENER {
                while let Ok((socket, _)) = listener.accept() {
                    socket.set_nonblocking(true)?;
                    let mut peer = Peer::new(socket.into());
                    epoll::add(&poll, &peer.socket, EventData::new_u64(next), EventFlags::IN)?;
                    if peer.welcome(shared, peers.len()).is_ok() {
                        peers.insert(next, peer);
                    }
                    next += 1;
                }
            } else if let Some(peer) = peers.get_mut(&number) {
                match peer.hear(&mut buffer, RecvFlags::DONTWAIT, shared) {
                    Ok(owed) => (0..owed).for_each(|_| queue.take(number, crate::os::clock::now(), shared)),
                    Err(_) => drop(peers.remove(&number)),
                }
            }
        }
        while let Some(number) = queue.due(crate::os::clock::now()) {
            if peers.get_mut(&number).is_some_and(|peer| peer.say(&peer.canned).is_err()) {
                peers.remove(&number);
            }
        }
    }
    Ok(())
}

/// Each peer's thread ends with its peer, or when the sham is over.
fn serve_by_threads(listener: &UnixListener, shared: &Shared) -> io::Result<()> {
    let look = Timespec { tv_sec: 0, tv_nsec: LOOK as i64 };
    std::thread::scope(|scope| {
        while !shared.over.load(SeqCst) {
            match poll(&mut [PollFd::new(listener, PollFlags::IN)], Some(&look)) {
                Err(rustix::io::Errno::INTR) => continue,
                outcome => outcome?,
            };
            while let Ok((socket, _)) = listener.accept() {
                socket.set_nonblocking(false)?;
                set_socket_timeout(&socket, Timeout::Recv, Some(Duration::from_nanos(LOOK)))?;
                std::thread::Builder::new().spawn_scoped(scope, move || Peer::new(socket.into()).lives(shared))?;
            }
        }
        Ok(())
    })
}

fn hold_while_silent(shared: &Shared) {
    while !shared.over.load(SeqCst) {
        let left = shared.silent_until.load(SeqCst).saturating_sub(crate::os::clock::now().0);
        if left == 0 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_nanos(left.min(10_000_000)));
    }
}

impl Peer {
    fn new(socket: OwnedFd) -> Self {
        Self { socket, received: Vec::new(), capabilities: None, canned: Vec::new() }
    }

    /// Served by a thread of its own until either side has enough.
    fn lives(mut self, shared: &Shared) {
        let mut buffer = vec![0; RECEIVE_BYTES];
        let mut going = self.welcome(shared, 0);
        while going.is_ok() && !shared.over.load(SeqCst) {
            going = self.hear(&mut buffer, RecvFlags::empty(), shared).map(drop);
        }
    }

    /// Greets a peer who finds so many others, or does what bad manners do.
    fn welcome(&mut self, shared: &Shared, others: usize) -> io::Result<()> {
        let come = Heard::one(&shared.heard.connects);
        if shared.manners.room.is_some_and(|room| others >= room) {
            let mut out = Vec::new();
            let error = ErrPacket { number: 1040, sqlstate: *b"08004", message: b"Too many connections" };
            Answer::new(&mut out, Capabilities::WANTED, 0).err(&error);
            let _ = self.say(&out);
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        match shared.manners.greeting {
            Some(Greets::Nobody) => Ok(()),
            Some(Greets::First(some)) if come > some => Err(io::ErrorKind::ConnectionRefused.into()),
            Some(Greets::First(_)) | None => self.greet(),
        }
    }

    /// Answers an execute.
    fn execute(&self, shared: &Shared) -> io::Result<()> {
        if let Some((every, misdeed)) = shared.manners.misdeed {
            let capabilities = self.capabilities.expect("who executes was let in");
            if Heard::one(&shared.heard.executes).is_multiple_of(every) {
                return misdeed.act(&self.socket, &self.canned, capabilities);
            }
        }
        self.say(&self.canned)
    }

    fn greet(&mut self) -> io::Result<()> {
        let greeting = Greeting {
            raw_version: VERSION,
            connection_id: 1,
            scramble: [b'x'; SCRAMBLE_BYTES],
            capabilities: OFFERED,
            collation: 45,
            status: Status::default(),
            plugin: b"mysql_native_password",
        };
        let mut out = Vec::new();
        Answer::new(&mut out, OFFERED, 0).greeting(&greeting);
        self.say(&out)
    }

    /// Takes what has arrived and answers every whole packet; the answers to executions are owed when the server is
    /// slow. An error means that the peer is gone.
    fn hear(&mut self, buffer: &mut [u8], how: RecvFlags, shared: &Shared) -> io::Result<u32> {
        let slow = shared.service.load(SeqCst) > 0;
        let got = match recv(&self.socket, &mut *buffer, how) {
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(0),
            outcome => outcome?.0,
        };
        if got == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // The usual case: one whole execute and nothing else, answered without a copy.
        if self.received.is_empty()
            && self.capabilities.is_some()
            && let Ok((packet, [])) = packet::split(&buffer[..got])
            && packet.payload.first() == Some(&wire::mysql::command::STMT_EXECUTE)
        {
            return if slow { Ok(1) } else { self.execute(shared).map(|()| 0) };
        }
        self.received.extend_from_slice(&buffer[..got]);
        let received = std::mem::take(&mut self.received);
        let (mut rest, mut owed) = (&received[..], 0);
        while let Ok((packet, after)) = packet::split(rest) {
            if slow && packet.payload.first() == Some(&wire::mysql::command::STMT_EXECUTE) {
                owed += 1;
            } else {
                self.answer(packet.payload, shared)?;
            }
            rest = after;
        }
        self.received = rest.to_vec();
        Ok(owed)
    }

    fn answer(&mut self, payload: &[u8], shared: &Shared) -> io::Result<()> {
        let heard = &shared.heard;
        let mut out = Vec::new();
        let Some(capabilities) = self.capabilities else {
            let response = Response::parse(payload).map_err(|e| io::Error::other(e.to_string()))?;
            self.let_in(response.capabilities & OFFERED);
            Answer::new(&mut out, OFFERED, 2).ok(&OkPacket::default());
            return self.say(&out);
        };
        let mut answer = Answer::new(&mut out, capabilities, 1);
        match Command::parse(payload).map_err(|e| io::Error::other(e.to_string()))? {
            Command::Quit => {
                Heard::one(&heard.goodbyes);
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Command::Prepare(sql) => {
                Heard::one(&heard.prepares);
                let parameters = vec![number(); sql.iter().filter(|byte| **byte == b'?').count()];
                answer.prepared(1, &parameters, &[text()]);
            }
            Command::Execute { .. } => return self.execute(shared),
            Command::Close(_) => return Ok(()),
            Command::Query(sql) => {
                if sql == b"ROLLBACK" {
                    Heard::one(&heard.rollbacks);
                }
                answer.ok(&OkPacket::default());
            }
            Command::Ping | Command::ResetConnection | Command::InitDb(_) | Command::Reset(_) | Command::Unknown(_) => {
                answer.ok(&OkPacket::default());
            }
        }
        self.say(&out)
    }

    fn let_in(&mut self, capabilities: Capabilities) {
        self.capabilities = Some(capabilities);
        let mut answer = Answer::new(&mut self.canned, capabilities, 1);
        answer.binary_rows(&[text()], false, &[&[Cell::Bytes(TEXT)]], &OkPacket::default());
    }

    /// Answers are small and a peer waits for each, so a full socket means a peer that does not read.
    fn say(&self, bytes: &[u8]) -> io::Result<()> {
        let sent = send(&self.socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)?;
        if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }
}

fn text() -> Column<'static> {
    Column::plain("c", ColumnType { code: ColumnType::STRING, unsigned: false })
}

fn number() -> Column<'static> {
    Column::plain("?", ColumnType { code: ColumnType::LONGLONG, unsigned: false })
}
