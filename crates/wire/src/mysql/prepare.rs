//! The first packet of the reply to a prepare: the statement's number and how many definitions follow.
//!
//! The definitions themselves come through `reply`, which hands them to the visitor.

use super::reader::{Malformed, Reader};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// The server's number for the statement, valid in this session only.
    pub statement: u32,
    pub columns: u16,
    pub parameters: u16,
    pub warnings: u16,
}

impl Prepared {
    pub fn parse(payload: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        if reader.u8()? != 0 {
            return Err(Malformed("a prepare reply opens with zero"));
        }
        let (statement, columns, parameters) = (reader.u32()?, reader.u16()?, reader.u16()?);
        reader.u8()?;
        Ok(Prepared { statement, columns, parameters, warnings: reader.u16()? })
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(0);
        out.extend_from_slice(&self.statement.to_le_bytes());
        out.extend_from_slice(&self.columns.to_le_bytes());
        out.extend_from_slice(&self.parameters.to_le_bytes());
        out.push(0);
        out.extend_from_slice(&self.warnings.to_le_bytes());
    }
}
