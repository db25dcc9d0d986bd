//! Hot path: messages, the frames of the protocol: a byte that says what it is, a length of four bytes, a body. And the
//! cursor through which every byte of a body is read, so that no other file indexes into what came from a network.

use crate::mysql::Malformed;

/// The kind and the length.
pub const HEADER_BYTES: usize = 5;
/// The length counts itself.
const LENGTH_BYTES: usize = 4;
/// No message of a server is longer than its largest value, which is 1 GiB.
const MAX_BODY_BYTES: usize = 1 << 30;

const SHORT: Malformed = Malformed("it ends before its last field");

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

/// What is left of one body.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub fn new(body: &'a [u8]) -> Self {
        Self { rest: body }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, tail) = self.rest.split_first_chunk::<N>().ok_or(SHORT)?;
        self.rest = tail;
        Ok(*head)
    }

    #[inline]
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]: [u8; 1]| byte)
    }

    #[inline]
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    #[inline]
    pub fn i32(&mut self) -> Result<i32, Malformed> {
        self.array().map(i32::from_be_bytes)
    }

    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (head, tail) = self.rest.split_at_checked(count).ok_or(SHORT)?;
        self.rest = tail;
        Ok(head)
    }

    /// Up to the next zero byte, which is swallowed.
    pub fn text(&mut self) -> Result<&'a [u8], Malformed> {
        let end = self.rest.iter().position(|byte| *byte == 0).ok_or(Malformed("a string lacks its zero byte"))?;
        let text = self.bytes(end)?;
        self.u8()?;
        Ok(text)
    }
}
