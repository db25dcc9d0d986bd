//! ErrorResponse: tagged fields, of which severity, SQLSTATE and message are always there.
//!
//! `Refusal` is read in place; `ServerError` is the owned form that travels up. Its text is laid out as the standard
//! client library's, because scripts and people look for that.

use crate::reader::{Malformed, Reader};
use std::fmt;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// Never translated; servers before 9.6 leave it out, and then it is the translated one.
    pub severity: &'a [u8],
    pub sqlstate: [u8; 5],
    pub message: &'a [u8],
    pub detail: &'a [u8],
    pub hint: &'a [u8],
    /// The character of the statement that is meant, as digits; the first is 1.
    pub position: &'a [u8],
}

impl<'a> Refusal<'a> {
    pub fn parse(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Reader::new(body);
        let mut refusal = Self::default();
        let mut translated: &[u8] = b"";
        loop {
            let tag = fields.u8()?;
            if tag == 0 {
                break;
            }
            let text = fields.nul_bytes()?;
            match tag {
                b'S' => translated = text,
                b'V' => refusal.severity = text,
                b'C' => {
                    refusal.sqlstate = text.try_into().map_err(|_| Malformed("an SQLSTATE has five characters"))?;
                }
                b'M' => refusal.message = text,
                b'D' => refusal.detail = text,
                b'H' => refusal.hint = text,
                b'P' => refusal.position = text,
                _ => {}
            }
        }
        if refusal.severity.is_empty() {
            refusal.severity = translated;
        }
        let told = !refusal.severity.is_empty() && refusal.sqlstate != [0; 5];
        if told { Ok(refusal) } else { Err(Malformed("an error lacks its severity or its SQLSTATE")) }
    }

    /// The server hangs up behind it.
    pub fn ends_the_session(&self) -> bool {
        matches!(self.severity, b"FATAL" | b"PANIC")
    }

    pub fn to_owned(&self) -> ServerError {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut message = format!("{}:  {}", text(self.severity), text(self.message));
        if !self.position.is_empty() {
            message += &format!(" at character {}", text(self.position));
        }
        for (name, more) in [("DETAIL", self.detail), ("HINT", self.hint)] {
            if !more.is_empty() {
                message += &format!("\n{name}:  {}", text(more));
            }
        }
        ServerError { sqlstate: self.sqlstate, message, ends_the_session: self.ends_the_session() }
    }
}

/// A refusal by the server, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    pub sqlstate: [u8; 5],
    pub message: String,
    pub ends_the_session: bool,
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {}: {}", String::from_utf8_lossy(&self.sqlstate), self.message)
    }
}

impl std::error::Error for ServerError {}
