//! Hot path: what can be a key. Whole numbers are written as digits straight into the request: most keys are numbers,
//! and a table with an integer key reads them so.

use crate::decimal;

pub trait Key {
    fn write(&self, out: &mut Vec<u8>);
}

impl Key for u64 {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        decimal::write(out, *self);
    }
}

/// Neither blanks nor control characters, 250 bytes at most; the server says so when it is otherwise.
impl Key for &[u8] {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
}

/// A whole number among keys of one's own, which begin alike on a server that has others' too.
#[derive(Clone, Copy)]
pub struct Below<'a>(pub &'a [u8], pub u64);

impl Key for Below<'_> {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.0);
        decimal::write(out, self.1);
    }
}

/// Reads a key that is a whole number.
#[inline]
pub fn natural(key: &[u8]) -> Result<u64, super::Malformed> {
    decimal::read(key)
}
