//! The ERR packet: number, SQLSTATE, message.
//!
//! It is read in place (`ErrPacket`), because a workload that meets deadlocks needs only the number; `ServerError` is
//! the owned form that travels up as an error. Servers that refuse a connection before the greeting leave SQLSTATE out.

use std::fmt;

use super::reader::{Malformed, Reader};

/// What the protocol says when no better state is known.
const GENERAL_STATE: [u8; 5] = *b"HY000";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrPacket<'a> {
    pub number: u16,
    pub sqlstate: [u8; 5],
    pub message: &'a [u8],
}

impl<'a> ErrPacket<'a> {
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        if reader.u8()? != 0xFF {
            return Err(Malformed("an ERR packet opens with 0xFF"));
        }
        let number = reader.u16()?;
        let mut sqlstate = GENERAL_STATE;
        if reader.rest().first() == Some(&b'#') {
            reader.u8()?;
            sqlstate = reader.array()?;
        }
        Ok(ErrPacket { number, sqlstate, message: reader.rest() })
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(0xFF);
        out.extend_from_slice(&self.number.to_le_bytes());
        out.push(b'#');
        out.extend_from_slice(&self.sqlstate);
        out.extend_from_slice(self.message);
    }

    pub fn to_owned(&self) -> ServerError {
        ServerError {
            number: self.number,
            sqlstate: self.sqlstate,
            message: String::from_utf8_lossy(self.message).into_owned(),
        }
    }
}

/// A refusal by the server, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    pub number: u16,
    pub sqlstate: [u8; 5],
    pub message: String,
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {} ({}): {}", self.number, String::from_utf8_lossy(&self.sqlstate), self.message)
    }
}

impl std::error::Error for ServerError {}
