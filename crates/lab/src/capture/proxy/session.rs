//! One client through the proxy: its login, packet by packet, because each side may be under TLS or not and so counts
//! packets differently; then bytes both ways, as they come, until either side is done.

use super::gate::{Gate, Refused};
use super::greeting;
use super::now;
use super::overheard::Overheard;
use super::side::{Arrived, Offered, Side, Socket};
use super::writing::{BATCHED, Told};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::opening::OPENING_PATIENCE;
use crate::executor::direct;
use crate::os::address::Address;
use crate::os::waits;
use rustix::event::epoll::EventFlags as Flags;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use rustix::fd::OwnedFd;
use std::io::{self, ErrorKind};
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use wire::mysql::ErrPacket;
use wire::mysql::packet::{self, HEADER_BYTES};

/// Moved at once.
const CHUNK: usize = 64 << 10;
/// What was overheard is handed over when it is so large, or as old as `BATCHED`: a queue's cost is small beside it,
/// and a thousand sessions hold 64 MiB.
const LARGE: usize = 64 << 10;
/// A login that takes longer is none; servers have 10 s by default (connect_timeout).
const LOGIN: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };
/// What a client is told that could not be passed on (ER_UNKNOWN_COM_ERROR), and one whose server is not there
/// (ER_CONNECT_TO_FOREIGN_DATA_SOURCE: MariaDB's clients take a number of their own kind, 2000 to 2999, for a packet
/// that is damaged).
const UNKNOWN: u16 = 1047;
const UNREACHABLE: u16 = 1429;

pub struct Session {
    pub to: Arc<SqlEndpoint>,
    pub offered: Option<Offered>,
    pub ended: Arc<UnixStream>,
    pub told: Told,
}

/// What is waited for, by its mark.
const CLIENT: u64 = 0;
const SERVER: u64 = 1;
const ENDED: u64 = 2;

/// A session between its two sides.
struct Open {
    client: Side,
    server: Side,
    chunk: Vec<u8>,
    /// What of a client's bytes passes.
    passing: Vec<u8>,
    overheard: Overheard,
}

impl Session {
    pub fn serve(mut self, client: Socket) {
        let Ok(mut client) = Side::new(client) else { return };
        let server = match self.connect() {
            Ok(server) => server,
            Err(error) => {
                let why = format!("assay's proxy cannot reach {}: {error}", self.to.address);
                self.told.note(format!("A client was turned away: {why}."));
                let _ = refuse(&mut client, 0, UNREACHABLE, &why);
                return;
            }
        };
        let (chunk, passing, overheard) = (vec![0; CHUNK], Vec::new(), Overheard::default());
        let mut open = Open { client, server, chunk, passing, overheard };
        if let Ok(true) = self.login(&mut open) {
            // However it ends, the client and the server know; here it only ends.
            let _ = self.pass(&mut open);
        }
        self.told.hand_over(&mut open.overheard);
    }

    fn connect(&self) -> io::Result<Side> {
        let address = &self.to.address;
        let what = format!("the server at {address} to take a client");
        let socket = waits::during(&what, OPENING_PATIENCE, || direct::socket(address, OPENING_PATIENCE))?;
        Side::new(match address {
            Address::Tcp { .. } => Socket::Tcp(socket.into()),
            Address::Unix(_) => Socket::Unix(socket.into()),
        })
    }

    /// Until the server's OK; false where there was none.
    fn login(&mut self, open: &mut Open) -> io::Result<bool> {
        let mut greeting = self.receive(&mut open.server)?;
        open.overheard.hear(now(), false, &greeting);
        let Some(has_tls) = greeting::change_greeting(&mut greeting, self.offered.is_some()) else {
            // An error in the place of a greeting: too many connections, a host that is blocked.
            open.client.write(&greeting)?;
            return Ok(false);
        };
        open.client.write(&greeting)?;
        let mut answer = self.receive(&mut open.client)?;
        if let Some(offered) = self.offered.as_ref().filter(|_| greeting::asks_for_tls(&answer)) {
            open.client.offer(offered)?;
            answer = self.receive(&mut open.client)?;
        }
        // Each side numbers its own packets.
        let client_next = answer[3].wrapping_add(1);
        let mut server_next = 1;
        if let Some(tls) = self.to.tls.as_ref() {
            if !has_tls {
                let why = format!("{} offers no TLS, and --to asks for it", self.to.address);
                refuse(&mut open.client, client_next, UNREACHABLE, &why)?;
                self.told.note(format!("A client was turned away: {why}."));
                return Ok(false);
            }
            greeting::change_answer(&mut answer, true);
            let request = greeting::request_for_tls(&answer, server_next).ok_or(ErrorKind::InvalidData)?;
            open.server.write(&request)?;
            server_next += 1;
            let host = if let Address::Tcp { host, .. } = &self.to.address { host } else { "localhost" };
            open.server.encrypt(tls, host)?;
        }
        let is_encrypted = open.server.is_encrypted();
        greeting::change_answer(&mut answer, is_encrypted);
        answer[3] = server_next;
        open.overheard.hear(now(), true, &answer);
        open.server.write(&answer)?;
        let ahead = client_next.wrapping_sub(server_next.wrapping_add(1));
        self.authenticate(open, ahead)
    }

    /// Whatever the plugins say to each other, until the server's OK or error. The client's packets have numbers that
    /// are `ahead` of the server's.
    fn authenticate(&mut self, open: &mut Open, ahead: u8) -> io::Result<bool> {
        loop {
            let mut said = self.receive(&mut open.server)?;
            open.overheard.hear(now(), false, &said);
            said[3] = said[3].wrapping_add(ahead);
            open.client.write(&said)?;
            match said.get(HEADER_BYTES) {
                Some(0x00) => return Ok(true),
                Some(0xFF) | None => return Ok(false),
                // caching_sha2_password: the server knows the client's hash, and its OK follows.
                Some(0x01) if said[HEADER_BYTES..] == [0x01, 0x03] => continue,
                Some(_) => {}
            }
            let mut said = self.receive(&mut open.client)?;
            said[3] = said[3].wrapping_sub(ahead);
            open.overheard.hear(now(), true, &said);
            open.server.write(&said)?;
        }
    }

    /// The next whole packet of a side, and nothing of what comes behind it: that may be TLS's.
    fn receive(&self, side: &mut Side) -> io::Result<Vec<u8>> {
        let mut packet = Vec::new();
        while let Err(missing) = packet::split(&packet) {
            let whole = packet.len() + missing;
            let have = packet.len();
            packet.resize(whole.min(have + CHUNK), 0);
            let read = match side.read(&mut packet[have..])? {
                Arrived::Bytes(read) => read,
                Arrived::Closed => return Err(ErrorKind::UnexpectedEof.into()),
                Arrived::Nothing => 0,
            };
            packet.truncate(have + read);
            if read == 0 {
                self.wait_for(side)?;
            }
        }
        Ok(packet)
    }

    /// Until a side has something to read; what it has to send goes meanwhile.
    fn wait_for(&self, side: &mut Side) -> io::Result<()> {
        side.flush()?;
        let events = if side.is_behind() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let fd = side.fd();
        let mut fds = [PollFd::new(&fd, events), PollFd::new(&*self.ended, PollFlags::IN)];
        let ready = poll(&mut fds, Some(&LOGIN))?;
        if ready == 0 || !fds[1].revents().is_empty() { Err(ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    /// Bytes both ways, until a side has closed or the capture ends.
    fn pass(&mut self, open: &mut Open) -> io::Result<()> {
        let mut gate = Gate::default();
        let mut waiting = Waiting::new(open, &self.ended)?;
        // What came behind the login may lie decrypted already, and then nothing announces it.
        let (mut client, mut server) = (Flags::IN, Flags::IN);
        loop {
            if client.intersects(Flags::OUT) {
                open.client.flush()?;
            }
            if server.intersects(Flags::OUT) {
                open.server.flush()?;
            }
            let is_in = |side: &Side, events: Flags| {
                side.is_encrypted() || events.intersects(Flags::IN | Flags::HUP | Flags::ERR)
            };
            let mut goes_on = false;
            if is_in(&open.client, client) && !open.server.is_behind() {
                goes_on |= self.client_said(open, &mut gate)?;
            }
            if is_in(&open.server, server) && !open.client.is_behind() {
                goes_on |= self.server_said(open)?;
            }
            if open.overheard.size() >= LARGE || open.overheard.length() >= BATCHED {
                self.told.hand_over(&mut open.overheard);
            }
            if !goes_on {
                (client, server) = waiting.wait(open)?;
                if client.is_empty() && server.is_empty() {
                    self.told.hand_over(&mut open.overheard);
                }
            }
        }
    }

    /// Moves what the client says; whether more of it may lie there unannounced.
    fn client_said(&mut self, open: &mut Open, gate: &mut Gate) -> io::Result<bool> {
        let read = match open.client.read(&mut open.chunk)? {
            Arrived::Bytes(read) => read,
            Arrived::Nothing => return Ok(false),
            Arrived::Closed => return Err(ErrorKind::UnexpectedEof.into()),
        };
        let at = now();
        let refused = gate.pass(&open.chunk[..read], &mut open.passing);
        open.server.write(&open.passing)?;
        open.overheard.hear(at, true, &open.passing);
        open.passing.clear();
        if let Some(refused) = refused {
            self.refused(open, refused)?;
        }
        Ok(open.client.is_encrypted())
    }

    /// The same of the server.
    fn server_said(&mut self, open: &mut Open) -> io::Result<bool> {
        let read = match open.server.read(&mut open.chunk)? {
            Arrived::Bytes(read) => read,
            Arrived::Nothing => return Ok(false),
            Arrived::Closed => return Err(ErrorKind::UnexpectedEof.into()),
        };
        let at = now();
        open.client.write(&open.chunk[..read])?;
        open.overheard.hear(at, false, &open.chunk[..read]);
        Ok(open.server.is_encrypted())
    }

    fn refused(&self, open: &mut Open, refused: Refused) -> io::Result<()> {
        self.told.note(format!("A client was refused: {}.", refused.sentence()));
        refuse(&mut open.client, 1, UNKNOWN, refused.sentence())
    }
}

/// The wait for either side. What is waited for is said to the kernel once and not with every statement, as by `poll`.
struct Waiting {
    epoll: OwnedFd,
    /// What is waited for, by mark.
    wanted: [Flags; 2],
}

impl Waiting {
    fn new(open: &Open, ended: &UnixStream) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, open.client.fd(), epoll::EventData::new_u64(CLIENT), Flags::IN)?;
        epoll::add(&epoll, open.server.fd(), epoll::EventData::new_u64(SERVER), Flags::IN)?;
        epoll::add(&epoll, ended, epoll::EventData::new_u64(ENDED), Flags::IN)?;
        Ok(Self { epoll, wanted: [Flags::IN; 2] })
    }

    /// What came of client and server; a side is read only while the other takes what it is given.
    fn wait(&mut self, open: &Open) -> io::Result<(Flags, Flags)> {
        let sides = [(&open.client, &open.server, CLIENT), (&open.server, &open.client, SERVER)];
        for ((side, other, mark), known) in sides.into_iter().zip(&mut self.wanted) {
            let mut wanted = Flags::empty();
            wanted.set(Flags::IN, !other.is_behind());
            wanted.set(Flags::OUT, side.is_behind());
            if wanted != *known {
                epoll::modify(&self.epoll, side.fd(), epoll::EventData::new_u64(mark), wanted)?;
                *known = wanted;
            }
        }
        let soon = Timespec { tv_sec: 0, tv_nsec: BATCHED.0 as i64 };
        let patience = if open.overheard.is_empty() { None } else { Some(&soon) };
        let mut events = [const { MaybeUninit::uninit() }; 3];
        let came = match epoll::wait(&self.epoll, &mut events, patience) {
            Ok((came, _)) => came,
            Err(rustix::io::Errno::INTR) => &mut [],
            Err(error) => return Err(error.into()),
        };
        let mut flags = [Flags::empty(); 3];
        for event in came {
            flags[event.data.u64() as usize] = event.flags;
        }
        if !flags[ENDED as usize].is_empty() {
            return Err(ErrorKind::ConnectionAborted.into());
        }
        Ok((flags[CLIENT as usize], flags[SERVER as usize]))
    }
}

fn refuse(client: &mut Side, sequence: u8, number: u16, why: &str) -> io::Result<()> {
    let mut out = Vec::new();
    packet::write(&mut out, sequence, |out| {
        ErrPacket { number, sqlstate: *b"HY000", message: why.as_bytes() }.write(out);
    });
    client.write(&out)
}
