//! Hot path: the one cursor through which every byte of a packet or a message is read, whatever the protocol.
//!
//! All bounds checks live here, so no other file indexes into bytes that came from a network. Running out of bytes
//! inside a packet is `Malformed`: whether a packet is complete was decided before, from its header.

use std::fmt;

/// Bytes that no server may send; the text says which rule they break. The session that saw them is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed packet: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

pub(crate) const SHORT: Malformed = Malformed("it ends before its last field");

/// What is left of one packet's payload.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
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
        self.array().map(u16::from_le_bytes)
    }

    #[inline]
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    #[inline]
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (head, tail) = self.rest.split_at_checked(count).ok_or(SHORT)?;
        self.rest = tail;
        Ok(head)
    }

    /// Up to the next zero byte, which is swallowed.
    pub fn nul_bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let end = self.rest.iter().position(|byte| *byte == 0).ok_or(Malformed("a string lacks its zero byte"))?;
        let text = self.bytes(end)?;
        self.u8()?;
        Ok(text)
    }

    /// As PostgreSQL writes them: the highest byte first.
    #[inline]
    pub fn big_u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    #[inline]
    pub fn big_i32(&mut self) -> Result<i32, Malformed> {
        self.array().map(i32::from_be_bytes)
    }
}
