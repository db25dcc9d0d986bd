//! Hot path: packets, the frames of the protocol: a length of three bytes, a sequence number, a payload.
//!
//! A message of 0xFFFFFF bytes or more travels as several packets; the last one is shorter, if need be empty. Writing
//! goes straight into the caller's buffer. Reading borrows the payload in place; only messages beyond 16 MB are copied
//! together (by `Joiner`), because their bytes are interrupted by headers.

use super::reader::Malformed;

pub const HEADER_BYTES: usize = 4;
/// The largest payload of one packet; a payload of exactly this size is continued in the next packet.
pub const MAX_PAYLOAD: usize = 0xFF_FFFF;
/// No server's max_allowed_packet goes beyond 1 GiB, so a longer message is a lost session, not a large row.
pub const MAX_MESSAGE: usize = 1 << 30;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    pub sequence: u8,
    pub payload: &'a [u8],
}

/// The first packet in `bytes` and what follows it; `Err` is the count of bytes missing to complete it (at least).
#[inline]
pub fn split(bytes: &[u8]) -> Result<(Packet<'_>, &[u8]), usize> {
    let Some(([a, b, c, sequence], rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(HEADER_BYTES - bytes.len());
    };
    let length = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
    match rest.split_at_checked(length) {
        Some((payload, rest)) => Ok((Packet { sequence: *sequence, payload }, rest)),
        None => Err(length - rest.len()),
    }
}

/// Appends one message whose payload `body` writes, split into packets where it is too long for one.
/// Returns the sequence number that follows, which is the one the answer will carry.
#[inline]
pub fn write(out: &mut Vec<u8>, sequence: u8, body: impl FnOnce(&mut Vec<u8>)) -> u8 {
    let start = out.len();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    body(out);
    let length = out.len() - start - HEADER_BYTES;
    if length >= MAX_PAYLOAD {
        return split_in_place(out, start, length, sequence);
    }
    out[start..start + HEADER_BYTES].copy_from_slice(&header(length, sequence));
    sequence.wrapping_add(1)
}

pub fn header(length: usize, sequence: u8) -> [u8; HEADER_BYTES] {
    assert!(length <= MAX_PAYLOAD, "a payload longer than a packet");
    let [a, b, c, _] = (length as u32).to_le_bytes();
    [a, b, c, sequence]
}

/// Moves the payload's pieces apart, the last one first, to make room for a header before each.
#[cold]
fn split_in_place(out: &mut Vec<u8>, start: usize, length: usize, sequence: u8) -> u8 {
    let continued = length / MAX_PAYLOAD;
    out.resize(out.len() + continued * HEADER_BYTES, 0);
    for piece in (0..=continued).rev() {
        let from = start + HEADER_BYTES + piece * MAX_PAYLOAD;
        let to = from + piece * HEADER_BYTES;
        let size = MAX_PAYLOAD.min(length - piece * MAX_PAYLOAD);
        out.copy_within(from..from + size, to);
        let number = sequence.wrapping_add(piece as u8);
        out[to - HEADER_BYTES..to].copy_from_slice(&header(size, number));
    }
    sequence.wrapping_add(continued as u8).wrapping_add(1)
}

/// Puts together messages that span packets; empty and free of cost for all others.
#[derive(Debug, Default)]
pub struct Joiner {
    parts: Vec<u8>,
    open: bool,
}

impl Joiner {
    /// Whether this packet is a piece of a longer message and must go through `add`.
    #[inline]
    pub fn concerns(&self, payload: &[u8]) -> bool {
        self.open || payload.len() == MAX_PAYLOAD
    }

    /// Takes a piece; gives the whole message when this was the last one.
    #[cold]
    pub fn add(&mut self, payload: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
        if self.parts.len() + payload.len() > MAX_MESSAGE {
            return Err(Malformed("a message of more than 1 GiB"));
        }
        self.parts.extend_from_slice(payload);
        self.open = payload.len() == MAX_PAYLOAD;
        Ok((!self.open).then(|| std::mem::take(&mut self.parts)))
    }
}
