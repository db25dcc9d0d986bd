//! The OK packet, and the EOF packet that older dialects use in its place.
//!
//! Session state changes (a trailing field that is sent only when asked for) are not read.

use super::reader::{Malformed, Reader};
use super::writer;

/// The server's status flags, as sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status(pub u16);

impl Status {
    pub const IN_TRANSACTION: Self = Status(0x0001);
    pub const AUTOCOMMIT: Self = Status(0x0002);
    pub const MORE_RESULTS: Self = Status(0x0008);

    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OkPacket {
    pub affected: u64,
    pub last_insert_id: u64,
    pub status: Status,
    pub warnings: u16,
}

impl OkPacket {
    /// Reads a payload whose first byte (0x00, or 0xFE where it ends rows) the caller has judged.
    #[inline]
    pub fn parse(payload: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        reader.u8()?;
        Ok(OkPacket {
            affected: reader.lenenc()?,
            last_insert_id: reader.lenenc()?,
            status: Status(reader.u16()?),
            warnings: reader.u16()?,
        })
    }

    /// Reads an EOF packet, which counts no rows and names no id.
    #[inline]
    pub fn parse_eof(payload: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        reader.u8()?;
        let warnings = reader.u16()?;
        Ok(OkPacket { warnings, status: Status(reader.u16()?), ..OkPacket::default() })
    }

    pub fn write(&self, out: &mut Vec<u8>, first_byte: u8) {
        out.push(first_byte);
        writer::lenenc(out, self.affected);
        writer::lenenc(out, self.last_insert_id);
        out.extend_from_slice(&self.status.0.to_le_bytes());
        out.extend_from_slice(&self.warnings.to_le_bytes());
    }

    pub fn write_eof(&self, out: &mut Vec<u8>) {
        out.push(0xFE);
        out.extend_from_slice(&self.warnings.to_le_bytes());
        out.extend_from_slice(&self.status.0.to_le_bytes());
    }
}
