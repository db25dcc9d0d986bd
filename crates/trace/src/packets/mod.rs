//! A packet file of plaintext traffic as statements: packets are put into connections (`etherparse` reads their
//! headers), connections into their order, and each is overheard as the proxy overhears. Lost segments are told; a
//! connection whose beginning is not in the file is joined at its first command; what is under TLS is told by name.

mod file;
mod tcp;

use crate::conversation::{Conversation, Deafness};
use crate::statement::{Item, SessionId};
use core::net::IpAddr;
use etherparse::{LaxNetSlice, LaxSlicedPacket, TransportSlice};
use file::{Packet, PacketFile};
use model::Nanos;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::io::{self, Read};
use tcp::{Readable, Stream};

/// Connections at once; the one that was silent longest goes, as if it had been closed.
const MOST_FLOWS: usize = 100_000;

#[derive(Debug)]
pub enum Unreadable {
    NotPackets,
    Damaged,
    /// Nothing was heard in so many sessions, each for this reason.
    Deaf {
        why: Deafness,
        sessions: u64,
    },
    /// So many packets, none of a session on that port.
    Nothing {
        packets: u64,
        port: u16,
    },
    Io(io::Error),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPackets => f.write_str("it is no packet file: give one that tcpdump -w or Wireshark wrote"),
            Self::Damaged => f.write_str("the packet file is damaged: a length in it is impossible"),
            Self::Deaf { why: Deafness::Tls, sessions } => write!(
                f,
                "all of its {sessions} sessions are under TLS, which cannot be read from outside: capture through the \
                 proxy (--proxy), which ends TLS, or from the slow log"
            ),
            Self::Deaf { why: Deafness::Compression, sessions } => write!(
                f,
                "all of its {sessions} sessions are compressed: turn compression off in the clients, or capture \
                 through the proxy (--proxy), which never agrees to it"
            ),
            Self::Deaf { why, sessions } => write!(f, "none of its {sessions} sessions can be read: {why}"),
            Self::Nothing { packets, port } => write!(
                f,
                "none of its {packets} packets belongs to a session with port {port}: say the server's with --port"
            ),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Reads a packet file as an iterator of what a trace holds.
pub struct Packets<R> {
    file: PacketFile<R>,
    port: u16,
    flows: HashMap<Key, Flow>,
    sessions: u64,
    packets: u64,
    statements: u64,
    missing: u64,
    deaf: BTreeMap<&'static str, (Deafness, u64)>,
    ready: VecDeque<Item>,
    is_over: bool,
    last: Nanos,
    pub server: Option<String>,
}

/// Client and server, each by address and port.
type Key = [(IpAddr, u16); 2];

struct Flow {
    conversation: Conversation,
    client: Stream,
    server: Stream,
    is_deaf: bool,
    /// A side has said that it is done, which counts as a byte that is none.
    is_ending: bool,
    seen: Nanos,
}

/// What a packet is to a connection.
struct Segment<'a> {
    key: Key,
    is_clients: bool,
    sequence: u32,
    acknowledged: Option<u32>,
    opens: bool,
    ends: bool,
    resets: bool,
    payload: &'a [u8],
}

impl<R: Read> Packets<R> {
    /// `port` is the server's.
    pub fn new(from: R, port: u16) -> Result<Self, Unreadable> {
        Ok(Self {
            file: PacketFile::new(from)?,
            port,
            flows: HashMap::new(),
            sessions: 0,
            packets: 0,
            statements: 0,
            missing: 0,
            deaf: BTreeMap::new(),
            ready: VecDeque::new(),
            is_over: false,
            last: Nanos(0),
            server: None,
        })
    }

    /// What was noticed, as sentences; complete when the file has been read.
    pub fn notes(&self) -> Vec<String> {
        let deaf = self.deaf.values().map(|(why, count)| format!("{count} sessions could not be read: {why}."));
        let missing =
            (self.missing > 0).then(|| format!("{} bytes of the sessions are not in the packet file.", self.missing));
        deaf.chain(missing).collect()
    }

    fn step(&mut self) -> Result<(), Unreadable> {
        let Some(packet) = self.file.next()? else { return self.end() };
        self.packets += 1;
        self.last = self.last.max(packet.at);
        let lax = sliced(&packet);
        if let Some(segment) = lax.as_ref().and_then(|lax| segment(lax, self.port)) {
            self.segment(packet.at, &segment);
        }
        Ok(())
    }

    fn segment(&mut self, at: Nanos, segment: &Segment<'_>) {
        let mut heard = Vec::new();
        if segment.opens
            && segment.is_clients
            && let Some(mut old) = self.flows.remove(&segment.key)
        {
            old.conversation.close(at, &mut heard);
        }
        if !self.flows.contains_key(&segment.key) {
            // What comes behind a connection's end opens no other.
            if !segment.opens && segment.payload.is_empty() {
                return;
            }
            self.make_room(at, &mut heard);
        }
        let sessions = &mut self.sessions;
        let flow = self.flows.entry(segment.key).or_insert_with(|| {
            *sessions += 1;
            let (session, host) = (SessionId(*sessions), segment.key[0].0.to_string());
            let conversation =
                if segment.opens { Conversation::new(session, &host) } else { Conversation::joined(session, &host) };
            let (client, server) = Default::default();
            Flow { conversation, client, server, is_deaf: false, is_ending: false, seen: at }
        });
        flow.seen = at;
        let deaf = flow.segment(at, segment, &mut self.missing, &mut heard);
        if let Some(version) = flow.conversation.server_version.take() {
            self.server = Some(version);
        }
        if let Some(why) = deaf {
            self.deaf.entry(name(why)).or_insert((why, 0)).1 += 1;
        }
        if (segment.resets || segment.ends && segment.is_clients)
            && let Some(mut flow) = self.flows.remove(&segment.key)
        {
            flow.conversation.close(at, &mut heard);
        }
        self.statements += heard.iter().filter(|item| matches!(item, Item::Statement(_))).count() as u64;
        self.ready.extend(heard);
    }

    fn make_room(&mut self, at: Nanos, heard: &mut Vec<Item>) {
        if self.flows.len() >= MOST_FLOWS
            && let Some(key) = self.flows.iter().min_by_key(|(_, flow)| flow.seen).map(|(key, _)| *key)
            && let Some(mut flow) = self.flows.remove(&key)
        {
            flow.conversation.close(at, heard);
        }
    }

    /// The file is over, and every session with it, though its client may have gone on.
    fn end(&mut self) -> Result<(), Unreadable> {
        self.is_over = true;
        if self.statements > 0 {
            return Ok(());
        }
        match self.deaf.values().max_by_key(|(_, sessions)| *sessions) {
            Some((why, sessions)) => Err(Unreadable::Deaf { why: *why, sessions: *sessions }),
            None => Err(Unreadable::Nothing { packets: self.packets, port: self.port }),
        }
    }
}

impl Flow {
    /// What a segment brings; why nothing more can be heard, said once.
    fn segment(
        &mut self,
        at: Nanos,
        segment: &Segment<'_>,
        missing: &mut u64,
        heard: &mut Vec<Item>,
    ) -> Option<Deafness> {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let (from, to) = match segment.is_clients {
            true => (&mut self.client, &mut self.server),
            false => (&mut self.server, &mut self.client),
        };
        if let Some(until) = segment.acknowledged.filter(|_| !self.is_ending) {
            to.acknowledged(until, &mut other);
        }
        if segment.opens {
            from.begin(segment.sequence);
        }
        from.segment(segment.sequence, segment.payload, &mut own);
        self.is_ending |= segment.ends;
        // What the other side has said before is heard first.
        self.hear(at, !segment.is_clients, &other, missing, heard)
            .or_else(|| self.hear(at, segment.is_clients, &own, missing, heard))
    }

    fn hear(
        &mut self,
        at: Nanos,
        is_clients: bool,
        readable: &[Readable],
        missing: &mut u64,
        heard: &mut Vec<Item>,
    ) -> Option<Deafness> {
        for one in readable {
            let said = match one {
                Readable::Missing(bytes) => {
                    *missing += u64::from(*bytes);
                    if !self.is_deaf {
                        let why = format!("{bytes} bytes of the session are not in the packet file");
                        self.conversation.gap(at, &why, heard);
                    }
                    Ok(())
                }
                Readable::Bytes(bytes) if is_clients => self.conversation.client(at, bytes, heard),
                Readable::Bytes(bytes) => self.conversation.server(at, bytes, heard),
            };
            if let Err(why) = said {
                self.is_deaf = true;
                return Some(why);
            }
        }
        None
    }
}

impl<R: Read> Iterator for Packets<R> {
    /// The iterator ends behind an error.
    type Item = Result<Item, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(Ok(item));
            }
            if self.is_over {
                return None;
            }
            if let Err(why) = self.step() {
                self.is_over = true;
                return Some(Err(why));
            }
        }
    }
}

fn name(why: Deafness) -> &'static str {
    match why {
        Deafness::Tls => "tls",
        Deafness::Compression => "compression",
        Deafness::Replication => "replication",
        Deafness::NotMySql => "other",
    }
}

/// The headers of a packet, whatever link it was captured on; cut ones as far as they go.
fn sliced(packet: &Packet) -> Option<LaxSlicedPacket<'_>> {
    let bytes = &packet.bytes[..];
    match packet.link {
        1 => LaxSlicedPacket::from_ethernet(bytes).ok(),
        // BSD's loopback, raw IP, Linux's "any" (two versions).
        0 | 108 => LaxSlicedPacket::from_ip(bytes.get(4..)?).ok(),
        12 | 14 | 101 | 228 | 229 => LaxSlicedPacket::from_ip(bytes).ok(),
        113 => LaxSlicedPacket::from_ip(bytes.get(16..)?).ok(),
        276 => LaxSlicedPacket::from_ip(bytes.get(20..)?).ok(),
        _ => None,
    }
}

fn segment<'a>(lax: &LaxSlicedPacket<'a>, port: u16) -> Option<Segment<'a>> {
    let (from, to): (IpAddr, IpAddr) = match lax.net.as_ref()? {
        LaxNetSlice::Ipv4(ip) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        LaxNetSlice::Ipv6(ip) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        LaxNetSlice::Arp(_) => return None,
    };
    let Some(TransportSlice::Tcp(tcp)) = &lax.transport else { return None };
    let (from, to) = ((from, tcp.source_port()), (to, tcp.destination_port()));
    let is_clients = to.1 == port;
    if !is_clients && from.1 != port {
        return None;
    }
    Some(Segment {
        key: if is_clients { [from, to] } else { [to, from] },
        is_clients,
        sequence: tcp.sequence_number(),
        acknowledged: tcp.ack().then(|| tcp.acknowledgment_number()),
        opens: tcp.syn(),
        ends: tcp.fin(),
        resets: tcp.rst(),
        payload: tcp.payload(),
    })
}
