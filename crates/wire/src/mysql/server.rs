//! The other side of the conversation, as far as a sham server needs it: read a command, write a canned answer.
//!
//! It answers in the dialect of the client's capabilities and with the same bytes as a real server, so that the client
//! cannot tell. Not here: checking passwords, parsing SQL.

use super::capability::Capabilities;
use super::column::{Column, ColumnType};
use super::command;
use super::err::ErrPacket;
use super::handshake::Greeting;
use super::ok::OkPacket;
use super::packet;
use super::prepare::Prepared;
use super::reader::{Malformed, Reader};
use super::row::{Cell, ROW_BITMAP_OFFSET, row_bitmap_bytes};
use super::writer;

/// What a client asked, borrowed from its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    Quit,
    Ping,
    ResetConnection,
    InitDb(&'a [u8]),
    Query(&'a [u8]),
    Prepare(&'a [u8]),
    /// `rest` follows the iteration count: bitmap, types, values.
    Execute {
        statement: u32,
        rest: &'a [u8],
    },
    Close(u32),
    Reset(u32),
    Unknown(u8),
}

impl<'a> Command<'a> {
    /// Reads the payload of a packet with sequence number zero.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(payload);
        Ok(match reader.u8()? {
            command::QUIT => Command::Quit,
            command::PING => Command::Ping,
            command::RESET_CONNECTION => Command::ResetConnection,
            command::INIT_DB => Command::InitDb(reader.rest()),
            command::QUERY => Command::Query(reader.rest()),
            command::STMT_PREPARE => Command::Prepare(reader.rest()),
            command::STMT_EXECUTE => {
                let statement = reader.u32()?;
                reader.bytes(5)?;
                Command::Execute { statement, rest: reader.rest() }
            }
            command::STMT_CLOSE => Command::Close(reader.u32()?),
            command::STMT_RESET => Command::Reset(reader.u32()?),
            code => Command::Unknown(code),
        })
    }
}

/// Writes the packets of one answer, numbering them as it goes.
pub struct Answer<'o> {
    out: &'o mut Vec<u8>,
    capabilities: Capabilities,
    sequence: u8,
}

impl<'o> Answer<'o> {
    /// `sequence` is the number after the client's last packet: 1 for commands, 2 for the response to a greeting.
    pub fn new(out: &'o mut Vec<u8>, capabilities: Capabilities, sequence: u8) -> Self {
        Answer { out, capabilities, sequence }
    }

    pub fn greeting(&mut self, greeting: &Greeting<'_>) {
        self.packet(|out| greeting.write(out));
    }

    pub fn ok(&mut self, ok: &OkPacket) {
        self.packet(|out| ok.write(out, 0x00));
    }

    pub fn err(&mut self, err: &ErrPacket<'_>) {
        self.packet(|out| err.write(out));
    }

    /// The reply to a prepare.
    pub fn prepared(&mut self, statement: u32, parameters: &[Column<'_>], columns: &[Column<'_>]) {
        let count = |columns: &[Column<'_>]| u16::try_from(columns.len()).expect("at most 65535 columns");
        let (parameter_count, column_count) = (count(parameters), count(columns));
        let head = Prepared { statement, columns: column_count, parameters: parameter_count, warnings: 0 };
        self.packet(|out| head.write(out));
        for definitions in [parameters, columns] {
            definitions.iter().for_each(|column| self.packet(|out| column.write(out)));
            if !definitions.is_empty() {
                self.eof_after_definitions(&OkPacket::default());
            }
        }
    }

    /// A result set of the text protocol, each row a cell per column.
    pub fn text_rows(&mut self, columns: &[Column<'_>], rows: &[&[Option<&[u8]>]], end: &OkPacket) {
        self.columns(columns, true, end);
        for row in rows {
            assert_eq!(row.len(), columns.len(), "a cell per column");
            self.packet(|out| {
                for cell in *row {
                    match cell {
                        None => out.push(0xFB),
                        Some(bytes) => writer::lenenc_bytes(out, bytes),
                    }
                }
            });
        }
        self.end_rows(end);
    }

    /// A result set of the binary protocol. `definitions` false leaves out the column definitions, as a MariaDB server
    /// does from the second execute on; it has no effect on clients that did not ask for that.
    pub fn binary_rows(&mut self, columns: &[Column<'_>], definitions: bool, rows: &[&[Cell<'_>]], end: &OkPacket) {
        self.columns(columns, definitions, end);
        for row in rows {
            assert_eq!(row.len(), columns.len(), "a cell per column");
            self.packet(|out| binary_row(out, columns, row));
        }
        self.end_rows(end);
    }

    fn columns(&mut self, columns: &[Column<'_>], definitions: bool, end: &OkPacket) {
        let cached = self.capabilities.has(Capabilities::CACHE_METADATA);
        self.packet(|out| {
            writer::lenenc(out, columns.len() as u64);
            if cached {
                out.push(u8::from(definitions));
            }
        });
        if definitions || !cached {
            columns.iter().for_each(|column| self.packet(|out| column.write(out)));
        }
        self.eof_after_definitions(end);
    }

    fn eof_after_definitions(&mut self, end: &OkPacket) {
        if !self.capabilities.has(Capabilities::DEPRECATE_EOF) {
            self.packet(|out| end.write_eof(out));
        }
    }

    fn end_rows(&mut self, end: &OkPacket) {
        let deprecated = self.capabilities.has(Capabilities::DEPRECATE_EOF);
        self.packet(|out| if deprecated { end.write(out, 0xFE) } else { end.write_eof(out) });
    }

    fn packet(&mut self, body: impl FnOnce(&mut Vec<u8>)) {
        self.sequence = packet::write(self.out, self.sequence, body);
    }
}

fn binary_row(out: &mut Vec<u8>, columns: &[Column<'_>], row: &[Cell<'_>]) {
    out.push(0);
    let bitmap = out.len();
    out.resize(bitmap + row_bitmap_bytes(row.len()), 0);
    for (index, (cell, column)) in row.iter().zip(columns).enumerate() {
        let bit = index + ROW_BITMAP_OFFSET;
        match cell {
            Cell::Null => out[bitmap + bit / 8] |= 1 << (bit % 8),
            Cell::I64(value) => integer(out, column.code, *value),
            Cell::U64(value) => integer(out, column.code, value.cast_signed()),
            Cell::F32(value) => out.extend_from_slice(&value.to_le_bytes()),
            Cell::F64(value) => out.extend_from_slice(&value.to_le_bytes()),
            Cell::Bytes(bytes) => writer::lenenc_bytes(out, bytes),
            Cell::DateTime(value) => value.write(out),
            Cell::Time(value) => value.write(out),
        }
    }
}

/// Cut to the width that the column's type has on the wire.
fn integer(out: &mut Vec<u8>, code: u8, value: i64) {
    let width = match code {
        ColumnType::TINY => 1,
        ColumnType::SHORT | ColumnType::YEAR => 2,
        ColumnType::LONG | ColumnType::INT24 => 4,
        _ => 8,
    };
    out.extend_from_slice(&value.to_le_bytes()[..width]);
}
