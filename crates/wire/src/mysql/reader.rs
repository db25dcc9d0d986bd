//! Hot path: the lengths that only this protocol has, read by the cursor of all.

pub use crate::reader::{Malformed, Reader};

use crate::reader::SHORT;

impl<'a> Reader<'a> {
    /// A length-encoded integer; `None` is the NULL mark of text rows.
    #[inline]
    pub fn lenenc_or_null(&mut self) -> Result<Option<u64>, Malformed> {
        match self.u8()? {
            small @ 0..=0xFA => Ok(Some(u64::from(small))),
            0xFB => Ok(None),
            0xFC => self.u16().map(|n| Some(u64::from(n))),
            0xFD => self.array().map(|[a, b, c]: [u8; 3]| Some(u64::from(u32::from_le_bytes([a, b, c, 0])))),
            0xFE => self.u64().map(Some),
            0xFF => Err(Malformed("0xFF opens no length")),
        }
    }

    #[inline]
    pub fn lenenc(&mut self) -> Result<u64, Malformed> {
        self.lenenc_or_null()?.ok_or(Malformed("NULL where a length must be"))
    }

    #[inline]
    pub fn lenenc_bytes_or_null(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        match self.lenenc_or_null()? {
            None => Ok(None),
            Some(length) => self.bytes(usize::try_from(length).map_err(|_| SHORT)?).map(Some),
        }
    }

    #[inline]
    pub fn lenenc_bytes(&mut self) -> Result<&'a [u8], Malformed> {
        self.lenenc_bytes_or_null()?.ok_or(Malformed("NULL where a string must be"))
    }
}
