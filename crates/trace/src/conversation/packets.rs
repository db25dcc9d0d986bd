//! Messages out of bytes that arrive in pieces of any length. A packet that lies whole in what arrived is lent from
//! there, any other is put together; a message of several packets too, up to what a trace holds.

use std::borrow::Cow;
use wire::mysql::packet::{self, HEADER_BYTES, MAX_PAYLOAD};

/// A message longer than this is known by its sequence number only.
const MAX_MESSAGE: usize = crate::block::MAX_BYTES;

#[derive(Debug, Default)]
pub struct Packets {
    /// The beginning of a packet whose end has not arrived.
    partial: Vec<u8>,
    /// The packets of a long message so far.
    joined: Option<Joined>,
    is_lost: bool,
}

#[derive(Debug)]
struct Joined {
    sequence: u8,
    payload: Vec<u8>,
    is_too_long: bool,
}

/// One message.
#[derive(Debug)]
pub struct Piece<'b> {
    /// The number of its first packet.
    pub sequence: u8,
    payload: Option<Cow<'b, [u8]>>,
}

impl Piece<'_> {
    /// `None`: it is longer than is kept.
    pub fn whole(&self) -> Option<&[u8]> {
        self.payload.as_deref()
    }
}

impl Packets {
    /// Behind missing bytes, or joined in the middle: where a packet begins is not known.
    pub fn lost() -> Self {
        Self { is_lost: true, ..Self::default() }
    }

    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The next message, if it is complete; takes what it uses off the front of `bytes`.
    pub fn next<'b>(&mut self, bytes: &mut &'b [u8]) -> Option<Piece<'b>> {
        if self.is_lost {
            *bytes = &[];
            return None;
        }
        loop {
            let (sequence, payload) = self.packet(bytes)?;
            if self.joined.is_none() && payload.len() < MAX_PAYLOAD {
                return Some(Piece { sequence, payload: Some(payload) });
            }
            let is_last = payload.len() < MAX_PAYLOAD;
            let joined = self.joined.get_or_insert(Joined { sequence, payload: Vec::new(), is_too_long: false });
            joined.is_too_long |= joined.payload.len() + payload.len() > MAX_MESSAGE;
            if joined.is_too_long {
                joined.payload = Vec::new();
            } else {
                joined.payload.extend_from_slice(&payload);
            }
            if is_last && let Some(Joined { sequence, payload, is_too_long }) = self.joined.take() {
                return Some(Piece { sequence, payload: (!is_too_long).then_some(Cow::Owned(payload)) });
            }
        }
    }

    fn packet<'b>(&mut self, bytes: &mut &'b [u8]) -> Option<(u8, Cow<'b, [u8]>)> {
        if self.partial.is_empty() {
            if let Ok((packet, rest)) = packet::split(bytes) {
                *bytes = rest;
                return Some((packet.sequence, Cow::Borrowed(packet.payload)));
            }
            self.take(bytes, bytes.len());
            return None;
        }
        self.take(bytes, HEADER_BYTES.saturating_sub(self.partial.len()));
        let [a, b, c, sequence] = *self.partial.first_chunk::<HEADER_BYTES>()?;
        let whole = HEADER_BYTES + u32::from_le_bytes([a, b, c, 0]) as usize;
        self.take(bytes, whole - self.partial.len());
        if self.partial.len() < whole {
            return None;
        }
        let payload = self.partial.split_off(HEADER_BYTES);
        self.partial.clear();
        Some((sequence, Cow::Owned(payload)))
    }

    fn take(&mut self, bytes: &mut &[u8], wanted: usize) {
        let (taken, rest) = bytes.split_at(wanted.min(bytes.len()));
        self.partial.extend_from_slice(taken);
        *bytes = rest;
    }
}
