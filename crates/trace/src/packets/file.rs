//! Packet files, as tcpdump and Wireshark write them: the classic form (microseconds or nanoseconds, either byte order)
//! and pcapng. Only what reassembly needs is read: when, on which kind of link, which bytes, and how many there were.

use super::Unreadable;
use model::Nanos;
use std::io::{ErrorKind, Read};

/// No link has longer packets; a length beyond is damage. (TCP segmentation offload shows 64 KiB and headers.)
const MAX_PACKET: usize = 1 << 20;
/// A block of pcapng with names, statistics or comments.
const MAX_BLOCK: usize = 16 << 20;
const MOST_INTERFACES: usize = 1 << 16;

/// One packet as it was captured.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    pub at: Nanos,
    /// As tcpdump numbers them (LINKTYPE_…).
    pub link: u32,
    pub bytes: Vec<u8>,
    /// Fewer bytes were kept than there were.
    pub is_cut: bool,
}

/// Reads a file packet by packet.
pub struct PacketFile<R> {
    from: R,
    form: Form,
}

enum Form {
    Classic { big: bool, nanos: bool, link: u32 },
    Ng { big: bool, interfaces: Vec<Interface> },
}

#[derive(Clone, Copy)]
struct Interface {
    link: u32,
    /// Units of a second that its times count.
    per_second: u64,
}

const NG: u32 = 0x0A0D_0D0A;
const NG_ORDER: u32 = 0x1A2B_3C4D;

impl<R: Read> PacketFile<R> {
    pub fn new(mut from: R) -> Result<Self, Unreadable> {
        let mut magic = [0; 4];
        if !fill(&mut from, &mut magic)? {
            return Err(Unreadable::NotPackets);
        }
        let (little, big) = (u32::from_le_bytes(magic), u32::from_be_bytes(magic));
        let form = match (little, big) {
            (NG, _) => Form::Ng { big: section(&mut from)?, interfaces: Vec::new() },
            (0xA1B2_C3D4, _) => classic(&mut from, false, false)?,
            (0xA1B2_3C4D, _) => classic(&mut from, false, true)?,
            (_, 0xA1B2_C3D4) => classic(&mut from, true, false)?,
            (_, 0xA1B2_3C4D) => classic(&mut from, true, true)?,
            _ => return Err(Unreadable::NotPackets),
        };
        Ok(Self { from, form })
    }

    /// The next packet; `None` at the file's end, be it in the midst of one.
    pub fn next(&mut self) -> Result<Option<Packet>, Unreadable> {
        match self.form {
            Form::Classic { big, nanos, link } => self.classic(big, nanos, link),
            Form::Ng { .. } => self.ng(),
        }
    }

    fn classic(&mut self, big: bool, nanos: bool, link: u32) -> Result<Option<Packet>, Unreadable> {
        let mut head = [0; 16];
        if !fill(&mut self.from, &mut head)? {
            return Ok(None);
        }
        let [seconds, fraction, kept, whole] = [0, 4, 8, 12].map(|at| number(&head[at..], big));
        let Some(bytes) = self.bytes(kept as usize, MAX_PACKET)? else { return Ok(None) };
        let below = u64::from(fraction) * if nanos { 1 } else { 1_000 };
        let at = Nanos(u64::from(seconds) * 1_000_000_000 + below);
        Ok(Some(Packet { at, link, bytes, is_cut: kept < whole }))
    }

    fn ng(&mut self) -> Result<Option<Packet>, Unreadable> {
        loop {
            let mut head = [0; 8];
            if !fill(&mut self.from, &mut head)? {
                return Ok(None);
            }
            if number(&head, false) == NG {
                // A new section, whose length stands in its own byte order.
                self.form = Form::Ng { big: rest_of_section(&mut self.from, &head[4..])?, interfaces: Vec::new() };
                continue;
            }
            let Form::Ng { big, .. } = self.form else { return Ok(None) };
            let long = (number(&head[4..], big) as usize).checked_sub(12).ok_or(Unreadable::Damaged)?;
            let Some(body) = self.bytes(long.next_multiple_of(4), MAX_BLOCK)? else { return Ok(None) };
            if self.bytes(4, 4)?.is_none() {
                return Ok(None);
            }
            if let Some(packet) = self.block(number(&head, big), &body, big) {
                return Ok(Some(packet));
            }
        }
    }

    /// What one block tells: an interface, or a packet.
    fn block(&mut self, kind: u32, body: &[u8], big: bool) -> Option<Packet> {
        let Form::Ng { interfaces, .. } = &mut self.form else { return None };
        match kind {
            1 if interfaces.len() < MOST_INTERFACES => {
                let link = number(body.get(..4)?, big) & 0xFFFF;
                let link = if big { number(body.get(..4)?, big) >> 16 } else { link };
                interfaces.push(Interface { link, per_second: resolution(body.get(8..)?, big) });
                None
            }
            6 => {
                let head = body.get(..20)?;
                let [interface, high, low, kept, whole] = [0, 4, 8, 12, 16].map(|at| number(&head[at..], big));
                let interface = interfaces.get(interface as usize)?;
                let units = u64::from(high) << 32 | u64::from(low);
                let at = u128::from(units) * 1_000_000_000 / u128::from(interface.per_second);
                let bytes = body.get(20..20 + kept as usize)?.to_vec();
                Some(Packet { at: Nanos(at as u64), link: interface.link, bytes, is_cut: kept < whole })
            }
            // A simple packet has no time, and so no place in a trace.
            _ => None,
        }
    }

    fn bytes(&mut self, long: usize, most: usize) -> Result<Option<Vec<u8>>, Unreadable> {
        if long > most {
            return Err(Unreadable::Damaged);
        }
        let mut bytes = vec![0; long];
        Ok(fill(&mut self.from, &mut bytes)?.then_some(bytes))
    }
}

fn classic(from: &mut impl Read, big: bool, nanos: bool) -> Result<Form, Unreadable> {
    let mut rest = [0; 20];
    if !fill(from, &mut rest)? {
        return Err(Unreadable::NotPackets);
    }
    Ok(Form::Classic { big, nanos, link: number(&rest[16..], big) & 0x0FFF_FFFF })
}

/// Behind the type of a section's block: whether it is written with the highest byte first.
fn section(from: &mut impl Read) -> Result<bool, Unreadable> {
    let mut long = [0; 4];
    if !fill(from, &mut long)? {
        return Err(Unreadable::NotPackets);
    }
    rest_of_section(from, &long)
}

fn rest_of_section(from: &mut impl Read, long: &[u8]) -> Result<bool, Unreadable> {
    let mut order = [0; 4];
    if !fill(from, &mut order)? {
        return Err(Unreadable::Damaged);
    }
    let big = number(&order, true) == NG_ORDER;
    let left = (number(long, big) as usize).checked_sub(12).filter(|left| *left <= MAX_BLOCK);
    if !big && number(&order, false) != NG_ORDER {
        return Err(Unreadable::Damaged);
    }
    let mut rest = vec![0; left.ok_or(Unreadable::Damaged)?];
    fill(from, &mut rest)?;
    Ok(big)
}

/// The interface's option if_tsresol (9): microseconds where it is not said.
fn resolution(mut options: &[u8], big: bool) -> u64 {
    while let Some(head) = options.get(..4) {
        let pair = |at: usize| if big { [head[at + 1], head[at]] } else { [head[at], head[at + 1]] };
        let (code, long) = (u16::from_le_bytes(pair(0)), usize::from(u16::from_le_bytes(pair(2))));
        let Some(value) = options.get(4..4 + long) else { break };
        match (code, value.first()) {
            (0, _) => break,
            (9, Some(power)) if power & 0x80 != 0 => {
                return 1_u64.checked_shl((power & 0x7F).into()).unwrap_or(1 << 20);
            }
            (9, Some(power)) => return 10_u64.checked_pow((*power).into()).unwrap_or(1_000_000),
            _ => {}
        }
        options = options.get(4 + long.next_multiple_of(4)..).unwrap_or_default();
    }
    1_000_000
}

fn number(bytes: &[u8], big: bool) -> u32 {
    let four: [u8; 4] = bytes[..4].try_into().expect("four bytes");
    if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
}

/// Whether that much was there.
fn fill(from: &mut impl Read, into: &mut [u8]) -> Result<bool, Unreadable> {
    match from.read_exact(into) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(Unreadable::Io(error)),
    }
}
