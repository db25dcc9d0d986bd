//! What a client says after its login: each command of the protocol, as far as a trace tells it.

use super::answer::Expected;
use crate::sql::token::{Dialect, Kind, tokens};
use crate::statement::Text;
use std::sync::Arc;
use wire::mysql::reader::{Malformed, Reader};

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// The login itself, whose answer is the server's OK.
    Connect {
        collation: u16,
    },
    Query(Text),
    Prepare(Text),
    /// The payload behind the command's byte: what it means is known when what was prepared is.
    Execute(Vec<u8>),
    Bulk(Vec<u8>),
    LongData {
        statement: u32,
        parameter: u16,
        data: Vec<u8>,
    },
    Fetch {
        statement: u32,
        rows: u32,
    },
    Close(u32),
    Reset(u32),
    ChangeUser {
        user: String,
        database: String,
        collation: u16,
    },
    InitDb(String),
    ResetConnection,
    SetOption(u16),
    Ping,
    Quit,
    /// By the field's name of it.
    Other(&'static str),
    TooLong,
    Replication,
}

impl Command {
    /// One that breaks the protocol is told as such: the server will say what it thinks of it.
    pub fn parse(payload: &[u8]) -> Self {
        Self::read(payload).unwrap_or(Self::Other("a malformed command"))
    }

    fn read(payload: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        Ok(match reader.u8()? {
            0x01 => Self::Quit,
            0x02 => Self::InitDb(text(reader.rest())),
            0x03 => Self::Query(Arc::from(without_attributes(reader.rest()))),
            0x04 => Self::Other("Field List"),
            0x05 => Self::Other("Create DB"),
            0x06 => Self::Other("Drop DB"),
            0x07 => Self::Other("Refresh"),
            0x08 => Self::Other("Shutdown"),
            0x09 => Self::Other("Statistics"),
            0x0A => Self::Other("Processlist"),
            0x0C => Self::Other("Kill"),
            0x0D => Self::Other("Debug"),
            0x0E => Self::Ping,
            0x11 => change_user(&mut reader)?,
            0x12 | 0x13 | 0x14 | 0x15 | 0x1E => Self::Replication,
            0x16 => Self::Prepare(Arc::from(reader.rest())),
            0x17 => Self::Execute(reader.rest().to_vec()),
            0x18 => {
                let (statement, parameter) = (reader.u32()?, reader.u16()?);
                Self::LongData { statement, parameter, data: reader.rest().to_vec() }
            }
            0x19 => Self::Close(reader.u32()?),
            0x1A => Self::Reset(reader.u32()?),
            0x1B => Self::SetOption(reader.u16()?),
            0x1C => Self::Fetch { statement: reader.u32()?, rows: reader.u32()? },
            0x1F => Self::ResetConnection,
            0xFA => Self::Bulk(reader.rest().to_vec()),
            _ => Self::Other("an unknown command"),
        })
    }

    pub fn expected(&self) -> Expected {
        match self {
            Self::LongData { .. } | Self::Close(_) | Self::Quit => Expected::Nothing,
            Self::Prepare(_) => Expected::Prepared,
            Self::Fetch { .. } => Expected::Rows,
            Self::ChangeUser { .. } | Self::Connect { .. } => Expected::Login,
            Self::Other("Field List") => Expected::Definitions,
            Self::Other("Statistics") => Expected::Text,
            Self::Query(_)
            | Self::Execute(_)
            | Self::Bulk(_)
            | Self::Reset(_)
            | Self::InitDb(_)
            | Self::ResetConnection
            | Self::SetOption(_)
            | Self::Ping
            | Self::Other(_)
            | Self::TooLong
            | Self::Replication => Expected::Results,
        }
    }

    /// Whether bytes, which begin somewhere in a stream, can be one whole command: where a conversation is joined.
    pub fn is_at(bytes: &[u8]) -> bool {
        let Some(([a, b, c, sequence], rest)) = bytes.split_first_chunk::<4>() else { return false };
        let long = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
        let is_one = long > 0 && rest.len() >= long && *sequence == 0;
        is_one && !matches!(Self::parse(&rest[..long]), Self::Other("an unknown command" | "a malformed command"))
    }
}

/// MySQL's query attributes stand before the text where both sides said so: a count of them and of their sets, which no
/// text begins with. None of them is kept.
fn without_attributes(text: &[u8]) -> &[u8] {
    match text {
        [0, 1, rest @ ..] => rest,
        _ => text,
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_string()
}

fn change_user(reader: &mut Reader<'_>) -> Result<Command, Malformed> {
    let user = text(reader.nul_bytes()?);
    let long = reader.u8()?;
    reader.bytes(usize::from(long))?;
    let database = text(reader.nul_bytes()?);
    let collation = if reader.is_empty() { 0 } else { reader.u16()? };
    Ok(Command::ChangeUser { user, database, collation })
}

/// The database that a text changes to: the last `USE` in it.
pub fn used(sql: &[u8]) -> Option<String> {
    // Asked of every query: most do not begin so, and have no `;`.
    let first = sql.iter().position(|byte| !byte.is_ascii_whitespace())?;
    if !sql[first].eq_ignore_ascii_case(&b'u') && !sql[first..].starts_with(b"/") && !sql.contains(&b';') {
        return None;
    }
    let all: Vec<_> = tokens(sql, Dialect::default()).collect();
    let mut uses =
        all.split(|token| token.is_symbol(";")).filter(|one| one.first().is_some_and(|token| token.is("USE")));
    let name = uses.next_back()?.get(1)?;
    let plain = String::from_utf8_lossy(name.text);
    Some(match name.kind {
        Kind::Quoted => plain.trim_matches('`').replace("``", "`"),
        Kind::Word => plain.into_owned(),
        Kind::Text | Kind::Number | Kind::Bits | Kind::Parameter | Kind::Hint | Kind::Variable | Kind::Symbol => {
            return None;
        }
    })
}
