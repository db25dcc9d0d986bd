//! Hot path: the parser of a whole reply, fed with whatever bytes have arrived.
//!
//! It reads packets in place, hands rows to a visitor, and keeps its state between calls in a few words, so a session
//! owns one for life and a reply allocates nothing (except messages over 16 MB, which must be joined). It checks what
//! frames the reply: order, counts, sequence numbers; the cells of a row are checked by whoever reads them.

use super::capability::Capabilities;
use super::column::Definition;
use super::err::ErrPacket;
use super::ok::{OkPacket, Status};
use super::packet::{self, HEADER_BYTES, Joiner, MAX_PAYLOAD};
use super::prepare::Prepared;
use super::reader::{Malformed, Reader};
use super::row::{BinaryRow, Row, TextRow};

/// What the reply answers, which decides how its packets are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A text query, or any command that is answered by a plain OK (ping, init db, the resets).
    Text,
    Execute,
    Prepare,
}

/// Receives what a reply holds, in order, borrowed from the receive buffer.
pub trait Visitor {
    /// A result set of `columns` columns begins. Definitions follow unless the server left them out as known.
    fn result_set(&mut self, _columns: usize) {}
    /// The `index`th parameter of a statement just prepared.
    fn parameter(&mut self, _index: usize, _definition: Definition<'_>) {}
    /// The `index`th column of a result set or of a statement just prepared.
    fn column(&mut self, _index: usize, _definition: Definition<'_>) {}
    fn row(&mut self, row: Row<'_>);
    /// A result without rows: of a statement that returns none, or the end of a procedure.
    fn ok(&mut self, _affected: u64) {}
}

/// The visitor that looks at nothing.
impl Visitor for () {
    #[inline]
    fn row(&mut self, _row: Row<'_>) {}
}

/// What a complete reply came to. Counts are sums over all its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Result sets, and OKs that are not the end of one.
    pub results: u32,
    /// Columns of the last result set.
    pub columns: u32,
    pub rows: u64,
    pub affected: u64,
    /// What the last OK said.
    pub last_insert_id: u64,
    pub warnings: u32,
    /// What the last OK or EOF said.
    pub status: Status,
    /// All bytes of the reply, headers included.
    pub bytes: u64,
    pub prepared: Option<Prepared>,
}

/// What one call of `feed` came to. The caller drops `consumed` bytes from the front of its buffer in every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'b> {
    /// At least `missing` more bytes must arrive behind the unconsumed ones, so make room for these.
    Incomplete { consumed: usize, missing: usize },
    /// The reply is complete.
    Done { consumed: usize, summary: Summary },
    /// The server ended the reply with an error. The session is still good, unless the error says that the server ended
    /// it too (killed, timed out): then the next read finds it closed.
    Failed { consumed: usize, summary: Summary, error: ErrPacket<'b> },
    /// The server asks for a local file: send `refusal` (an empty packet), then feed what it answers.
    LocalInfile { consumed: usize, refusal: [u8; HEADER_BYTES] },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    First,
    Parameters { left: u32 },
    ParametersEof,
    Columns { left: u32 },
    ColumnsEof,
    Rows,
}

/// The parser; one per session.
#[derive(Debug)]
pub struct Reply {
    capabilities: Capabilities,
    asked: Asked,
    state: State,
    sequence: u8,
    summary: Summary,
    joiner: Joiner,
}

/// What a message did to the reply.
enum After {
    Goes,
    Ended,
    Error,
    Infile,
}

impl Reply {
    /// `capabilities` are those that login agreed on.
    pub fn new(capabilities: Capabilities) -> Self {
        Reply {
            capabilities,
            asked: Asked::Text,
            state: State::Idle,
            sequence: 0,
            summary: Summary::default(),
            joiner: Joiner::default(),
        }
    }

    /// Expects the reply to a command just sent; `sequence` is what writing the command returned.
    #[inline]
    pub fn begin(&mut self, asked: Asked, sequence: u8) {
        self.asked = asked;
        self.state = State::First;
        self.sequence = sequence;
        self.summary = Summary::default();
    }

    /// After a file was sent in place of the refusal: `sequence` is what writing its closing empty packet returned.
    pub fn file_sent(&mut self, sequence: u8) {
        self.sequence = sequence;
    }

    /// Reads as many whole packets of the reply as `bytes` holds. After `Malformed` the session is lost.
    #[inline]
    pub fn feed<'b>(&mut self, bytes: &'b [u8], visitor: &mut impl Visitor) -> Result<Step<'b>, Malformed> {
        let step = self.read(bytes, visitor);
        if !matches!(step, Ok(Step::Incomplete { .. } | Step::LocalInfile { .. })) {
            self.state = State::Idle;
        }
        step
    }

    #[inline]
    fn read<'b>(&mut self, bytes: &'b [u8], visitor: &mut impl Visitor) -> Result<Step<'b>, Malformed> {
        let mut rest = bytes;
        loop {
            let (packet, after) = match packet::split(rest) {
                Ok(found) => found,
                Err(missing) => {
                    return Ok(Step::Incomplete { consumed: bytes.len() - rest.len(), missing });
                }
            };
            if packet.sequence != self.sequence && !self.is_unasked_error(packet.payload) {
                return Err(Malformed("a packet is out of sequence"));
            }
            self.sequence = packet.sequence.wrapping_add(1);
            self.summary.bytes += (HEADER_BYTES + packet.payload.len()) as u64;
            rest = after;
            let consumed = bytes.len() - rest.len();
            let outcome = if self.joiner.concerns(packet.payload) {
                self.long_message(packet.payload, visitor)?
            } else {
                self.message(packet.payload, visitor)?
            };
            match outcome {
                After::Goes => {}
                After::Ended => {
                    return Ok(Step::Done { consumed, summary: self.summary });
                }
                After::Error => {
                    let error = ErrPacket::parse(packet.payload)?;
                    return Ok(Step::Failed { consumed, summary: self.summary, error });
                }
                After::Infile => {
                    let refusal = packet::header(0, self.sequence);
                    self.sequence = self.sequence.wrapping_add(1);
                    return Ok(Step::LocalInfile { consumed, refusal });
                }
            }
        }
    }

    /// A server that gives up on a session (killed, timed out) says so under a sequence number of its own.
    fn is_unasked_error(&self, payload: &[u8]) -> bool {
        self.state == State::First && payload.first() == Some(&0xFF)
    }

    #[cold]
    fn long_message(&mut self, payload: &[u8], visitor: &mut impl Visitor) -> Result<After, Malformed> {
        let Some(whole) = self.joiner.add(payload)? else {
            return Ok(After::Goes);
        };
        match self.message(&whole, visitor)? {
            After::Goes => Ok(After::Goes),
            After::Ended | After::Error | After::Infile => Err(Malformed("an OK or ERR of more than 16 MB")),
        }
    }

    #[inline]
    fn message(&mut self, payload: &[u8], visitor: &mut impl Visitor) -> Result<After, Malformed> {
        let first = *payload.first().ok_or(Malformed("an empty packet in a reply"))?;
        match self.state {
            State::Rows => match first {
                0xFE if self.ends_rows(payload) => self.end_rows(payload),
                0xFF => Ok(After::Error),
                _ => {
                    self.summary.rows += 1;
                    let columns = self.summary.columns as usize;
                    visitor.row(match self.asked {
                        Asked::Text | Asked::Prepare => Row::Text(TextRow::new(payload, columns)),
                        Asked::Execute => Row::Binary(BinaryRow::new(payload, columns)),
                    });
                    Ok(After::Goes)
                }
            },
            State::Idle => Err(Malformed("bytes that answer no command")),
            _ if first == 0xFF => Ok(After::Error),
            State::First => self.first(first, payload, visitor),
            State::Columns { left } => {
                visitor.column((self.summary.columns - left) as usize, Definition(payload));
                self.await_columns(left - 1)
            }
            State::ColumnsEof => {
                self.expect_eof(payload)?;
                Ok(self.after_columns())
            }
            State::Parameters { left } => {
                let count = self.summary.prepared.map_or(0, |prepared| u32::from(prepared.parameters));
                visitor.parameter((count - left) as usize, Definition(payload));
                self.await_parameters(left - 1)
            }
            State::ParametersEof => {
                self.expect_eof(payload)?;
                self.await_columns(self.summary.columns)
            }
        }
    }

    #[inline]
    fn first(&mut self, first: u8, payload: &[u8], visitor: &mut impl Visitor) -> Result<After, Malformed> {
        match first {
            0x00 if self.asked == Asked::Prepare => self.prepared(Prepared::parse(payload)?),
            0x00 => {
                self.summary.results += 1;
                let ok = OkPacket::parse(payload)?;
                visitor.ok(ok.affected);
                Ok(self.ended(ok))
            }
            0xFB if self.asked == Asked::Text => Ok(After::Infile),
            _ if self.asked == Asked::Prepare => Err(Malformed("a prepare is answered by rows")),
            _ => self.column_count(payload, visitor),
        }
    }

    #[inline]
    fn column_count(&mut self, payload: &[u8], visitor: &mut impl Visitor) -> Result<After, Malformed> {
        let mut reader = Reader::new(payload);
        let columns = u16::try_from(reader.lenenc()?).map_err(|_| Malformed("more than 65535 columns"))?;
        let follow = !self.capabilities.has(Capabilities::CACHE_METADATA) || reader.u8()? != 0;
        if columns == 0 || !reader.is_empty() {
            return Err(Malformed("a column count that is none"));
        }
        self.summary.results += 1;
        self.summary.columns = u32::from(columns);
        visitor.result_set(usize::from(columns));
        self.await_columns(if follow { u32::from(columns) } else { 0 })
    }

    fn prepared(&mut self, prepared: Prepared) -> Result<After, Malformed> {
        self.summary.columns = u32::from(prepared.columns);
        self.summary.warnings = u32::from(prepared.warnings);
        self.summary.prepared = Some(prepared);
        if prepared.parameters == 0 {
            return self.await_columns(self.summary.columns);
        }
        self.await_parameters(u32::from(prepared.parameters))
    }

    fn await_parameters(&mut self, left: u32) -> Result<After, Malformed> {
        self.state = match left {
            0 if self.capabilities.has(Capabilities::DEPRECATE_EOF) => {
                return self.await_columns(self.summary.columns);
            }
            0 => State::ParametersEof,
            left => State::Parameters { left },
        };
        Ok(After::Goes)
    }

    #[inline]
    fn await_columns(&mut self, left: u32) -> Result<After, Malformed> {
        let none_prepared = self.asked == Asked::Prepare && self.summary.columns == 0;
        self.state = match left {
            0 if none_prepared || self.capabilities.has(Capabilities::DEPRECATE_EOF) => {
                return Ok(self.after_columns());
            }
            0 => State::ColumnsEof,
            left => State::Columns { left },
        };
        Ok(After::Goes)
    }

    #[inline]
    fn after_columns(&mut self) -> After {
        if self.asked == Asked::Prepare {
            return After::Ended;
        }
        self.state = State::Rows;
        After::Goes
    }

    /// A row may open with 0xFE too (a first cell over 16 MB), but is then longer than any end of rows.
    #[inline]
    fn ends_rows(&self, payload: &[u8]) -> bool {
        let longest = if self.capabilities.has(Capabilities::DEPRECATE_EOF) { MAX_PAYLOAD - 1 } else { EOF_BYTES };
        payload.len() <= longest
    }

    #[inline]
    fn end_rows(&mut self, payload: &[u8]) -> Result<After, Malformed> {
        let end = if self.capabilities.has(Capabilities::DEPRECATE_EOF) {
            OkPacket::parse(payload)?
        } else {
            OkPacket::parse_eof(payload)?
        };
        Ok(self.ended(end))
    }

    fn expect_eof(&self, payload: &[u8]) -> Result<(), Malformed> {
        let is_eof = payload.first() == Some(&0xFE) && payload.len() == EOF_BYTES;
        if is_eof { Ok(()) } else { Err(Malformed("an EOF packet is missing after definitions")) }
    }

    #[inline]
    fn ended(&mut self, end: OkPacket) -> After {
        let summary = &mut self.summary;
        summary.affected = summary.affected.saturating_add(end.affected);
        summary.last_insert_id = end.last_insert_id;
        summary.warnings = summary.warnings.saturating_add(u32::from(end.warnings));
        summary.status = end.status;
        if end.status.has(Status::MORE_RESULTS) {
            self.state = State::First;
            return After::Goes;
        }
        After::Ended
    }
}

/// An EOF packet: its mark, warnings, status.
const EOF_BYTES: usize = 5;
