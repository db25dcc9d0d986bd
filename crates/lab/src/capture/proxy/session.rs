//! One client through the proxy: its login, packet by packet, because each side may be under TLS or not and so counts
//! packets differently; then bytes both ways, as they come, until either side is done.

use super::gate::{Gate, Refused};
use super::greeting;
use super::now;
use super::side::{Arrived, Offered, Side, Socket};
use super::writing::{BATCHED, Told};
use crate::backends::endpoint::SqlEndpoint;
use crate::os::address::Address;
use model::Nanos;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use trace::conversation::{Conversation, Deafness};
use trace::{Item, SessionId};
use wire::mysql::ErrPacket;
use wire::mysql::packet::{self, HEADER_BYTES};

/// Moved at once.
const CHUNK: usize = 64 << 10;
/// A batch is handed over when it has so many items, or is as old as `BATCHED`.
const BATCH: usize = 256;
/// A login that takes longer is none; servers have 10 s by default (connect_timeout).
const LOGIN: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };
/// What a client is told that could not be passed on (ER_UNKNOWN_COM_ERROR), and one whose server is not there
/// (ER_CONNECT_TO_FOREIGN_DATA_SOURCE: MariaDB's clients take a number of their own kind, 2000 to 2999, for a packet
/// that is damaged).
const UNKNOWN: u16 = 1047;
const UNREACHABLE: u16 = 1429;

pub struct Session {
    pub id: SessionId,
    pub host: String,
    pub to: Arc<SqlEndpoint>,
    pub offered: Option<Offered>,
    pub ended: Arc<UnixStream>,
    pub told: Told,
}

/// A session between its two sides.
struct Open {
    client: Side,
    server: Side,
    chunk: Vec<u8>,
    /// What of a client's bytes passes.
    passing: Vec<u8>,
    overheard: Conversation,
    batch: Vec<Item>,
    /// Since when the batch's first item waits.
    since: Nanos,
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
        let overheard = Conversation::new(self.id, &self.host);
        let chunk = vec![0; CHUNK];
        let passing = Vec::new();
        let mut open = Open { client, server, chunk, passing, overheard, batch: Vec::new(), since: Nanos(0) };
        if let Ok(true) = self.login(&mut open) {
            // However it ends, the client and the server know; here it only ends.
            let _ = self.pass(&mut open);
        }
        open.overheard.close(now(), &mut open.batch);
        self.told.hand_over(&mut open.batch, self.id, now());
    }

    fn connect(&self) -> io::Result<Side> {
        Side::new(match &self.to.address {
            Address::Tcp { host, port } => Socket::Tcp(TcpStream::connect((&**host, *port))?),
            Address::Unix(path) => Socket::Unix(UnixStream::connect(path)?),
        })
    }

    /// Until the server's OK; false where there was none.
    fn login(&mut self, open: &mut Open) -> io::Result<bool> {
        let mut greeting = self.receive(&mut open.server)?;
        let at = now();
        self.hear(open.overheard.server(at, &greeting, &mut open.batch));
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
        self.hear(open.overheard.client(now(), &answer, &mut open.batch));
        open.server.write(&answer)?;
        let ahead = client_next.wrapping_sub(server_next.wrapping_add(1));
        self.authenticate(open, ahead)
    }

    /// Whatever the plugins say to each other, until the server's OK or error. The client's packets have numbers that
    /// are `ahead` of the server's.
    fn authenticate(&mut self, open: &mut Open, ahead: u8) -> io::Result<bool> {
        loop {
            let mut said = self.receive(&mut open.server)?;
            self.hear(open.overheard.server(now(), &said, &mut open.batch));
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
            self.hear(open.overheard.client(now(), &said, &mut open.batch));
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
        // What came behind the login may lie decrypted already, and then nothing announces it.
        let (mut client, mut server) = (PollFlags::IN, PollFlags::IN);
        loop {
            if client.intersects(PollFlags::OUT) {
                open.client.flush()?;
            }
            if server.intersects(PollFlags::OUT) {
                open.server.flush()?;
            }
            let is_in = |side: &Side, events: PollFlags| {
                side.is_encrypted() || events.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR)
            };
            let mut goes_on = false;
            if is_in(&open.client, client) && !open.server.is_behind() {
                goes_on |= self.client_said(open, &mut gate)?;
            }
            if is_in(&open.server, server) && !open.client.is_behind() {
                goes_on |= self.server_said(open)?;
            }
            self.settle(open);
            if !goes_on {
                (client, server) = self.wait(open)?;
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
        self.hear(open.overheard.client(at, &open.passing, &mut open.batch));
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
        self.hear(open.overheard.server(at, &open.chunk[..read], &mut open.batch));
        Ok(open.server.is_encrypted())
    }

    /// Waits for either side; a side is read only while the other takes what it is given.
    fn wait(&self, open: &Open) -> io::Result<(PollFlags, PollFlags)> {
        let wanted = |side: &Side, other: &Side| {
            let mut events = PollFlags::empty();
            events.set(PollFlags::IN, !other.is_behind());
            events.set(PollFlags::OUT, side.is_behind());
            events
        };
        let (client, server) = (open.client.fd(), open.server.fd());
        let mut fds = [
            PollFd::new(&client, wanted(&open.client, &open.server)),
            PollFd::new(&server, wanted(&open.server, &open.client)),
            PollFd::new(&*self.ended, PollFlags::IN),
        ];
        let soon = Timespec { tv_sec: 0, tv_nsec: BATCHED.subsec_nanos().into() };
        let patience = if open.batch.is_empty() { None } else { Some(&soon) };
        match poll(&mut fds, patience) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !fds[2].revents().is_empty() {
            return Err(ErrorKind::ConnectionAborted.into());
        }
        Ok((fds[0].revents(), fds[1].revents()))
    }

    /// Hands over what has waited long enough, or is enough.
    fn settle(&mut self, open: &mut Open) {
        if open.batch.is_empty() {
            return;
        }
        let now = now();
        if open.since == Nanos(0) {
            open.since = now;
        }
        if open.batch.len() >= BATCH || now.0 - open.since.0 >= BATCHED.as_nanos() as u64 {
            self.told.hand_over(&mut open.batch, self.id, now);
            open.since = Nanos(0);
        }
    }

    fn refused(&self, open: &mut Open, refused: Refused) -> io::Result<()> {
        self.told.note(format!("A client was refused: {}.", refused.sentence()));
        refuse(&mut open.client, 1, UNKNOWN, refused.sentence())
    }

    /// A session that cannot be read is passed on all the same, and told once.
    fn hear(&self, heard: Result<(), Deafness>) {
        if let Err(why) = heard {
            self.told.note(format!("A session could not be read: {why}."));
        }
    }
}

fn refuse(client: &mut Side, sequence: u8, number: u16, why: &str) -> io::Result<()> {
    let mut out = Vec::new();
    packet::write(&mut out, sequence, |out| {
        ErrPacket { number, sqlstate: *b"HY000", message: why.as_bytes() }.write(out);
    });
    client.write(&out)
}
