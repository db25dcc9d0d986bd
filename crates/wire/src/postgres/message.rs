//! Hot path: messages, the frames of the protocol: a byte that says what it is, a length of four bytes, a body.

use crate::reader::Malformed;

/// The kind and the length.
pub const HEADER_BYTES: usize = 5;
/// The length counts itself.
const LENGTH_BYTES: usize = 4;
/// No message of a server is longer than its largest value, which is 1 GiB.
const MAX_BODY_BYTES: usize = 1 << 30;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    pub kind: u8,
    pub body: &'a [u8],
}

/// What lies at the front of `bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front<'a> {
    Whole {
        message: Message<'a>,
        rest: &'a [u8],
    },
    /// So many bytes are missing, at least.
    Part {
        missing: usize,
    },
}

#[inline]
pub fn split(bytes: &[u8]) -> Result<Front<'_>, Malformed> {
    let Some(([kind, length @ ..], rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Ok(Front::Part { missing: HEADER_BYTES - bytes.len() });
    };
    let length = (u32::from_be_bytes(*length) as usize)
        .checked_sub(LENGTH_BYTES)
        .filter(|length| *length <= MAX_BODY_BYTES)
        .ok_or(Malformed("a message of an impossible length"))?;
    Ok(match rest.split_at_checked(length) {
        Some((body, rest)) => Front::Whole { message: Message { kind: *kind, body }, rest },
        None => Front::Part { missing: length - rest.len() },
    })
}

/// Appends a message whose body `body` writes.
#[inline]
pub fn write(out: &mut Vec<u8>, kind: u8, body: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    counted(out, body);
}

/// Appends a body with its length in front; the first message of a conversation is no more than that.
#[inline]
pub fn counted(out: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    body(out);
    let length = u32::try_from(out.len() - start).expect("a message is under 4 GiB");
    out[start..start + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
}

/// Appends text with the zero byte that ends it. What lies behind a zero byte of its own is not sent: the server could
/// not take it for text, and would take it for more fields.
#[inline]
pub fn text(out: &mut Vec<u8>, text: &[u8]) {
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    out.extend_from_slice(&text[..end]);
    out.push(0);
}
