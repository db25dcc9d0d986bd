//! The server's wish to authenticate by another plugin than the greeting named, with a challenge of its own.

use super::super::handshake::SCRAMBLE_BYTES;
use super::super::reader::{Malformed, Reader};
use super::super::writer;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switch<'a> {
    pub plugin: &'a [u8],
    pub scramble: [u8; SCRAMBLE_BYTES],
}

impl<'a> Switch<'a> {
    /// Plugins that assay does not know may bring a challenge of another length; it is read as far as it goes.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        if reader.u8()? != 0xFE {
            return Err(Malformed("a switch of plugins opens with 0xFE"));
        }
        let plugin = reader.nul_bytes()?;
        let challenge = reader.rest();
        let mut scramble = [0; SCRAMBLE_BYTES];
        let length = challenge.len().min(SCRAMBLE_BYTES);
        scramble[..length].copy_from_slice(&challenge[..length]);
        Ok(Switch { plugin, scramble })
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(0xFE);
        writer::nul_bytes(out, self.plugin);
        out.extend_from_slice(&self.scramble);
        out.push(0);
    }
}
