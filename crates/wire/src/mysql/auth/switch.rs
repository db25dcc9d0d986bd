//! The server's wish to authenticate by another plugin than the greeting named, with a challenge of its own.

use super::super::reader::{Malformed, Reader};
use super::super::writer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch<'a> {
    pub plugin: &'a [u8],
    /// As it came, with a closing zero byte or without; a plugin knows how much of it is its own.
    pub challenge: &'a [u8],
}

impl<'a> Switch<'a> {
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        if reader.u8()? != 0xFE {
            return Err(Malformed("a switch of plugins opens with 0xFE"));
        }
        let plugin = reader.nul_bytes()?;
        Ok(Switch { plugin, challenge: reader.rest() })
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(0xFE);
        writer::nul_bytes(out, self.plugin);
        out.extend_from_slice(self.challenge);
    }
}
