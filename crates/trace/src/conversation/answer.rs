//! Hot path: what a server answers, message by message: it counts, sums and finds the end, and keeps nothing.
//!
//! It does not ask which capabilities were agreed on, because a conversation may be joined in its middle: an EOF has
//! five bytes, an OK in its place more; a row cannot begin as either does.

use super::packets::Piece;
use crate::rows::Rows;
use crate::statement::Answer;
use wire::mysql::reader::Reader;
use wire::mysql::{ErrPacket, OkPacket, Prepared, Status};

/// What kind of answer a command has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Nothing,
    /// OKs, errors and result sets.
    Results,
    Prepared,
    /// Rows of a cursor, without definitions.
    Rows,
    /// Definitions up to an EOF.
    Definitions,
    /// Whatever one packet.
    Text,
    /// What authentication says, until an OK or an error.
    Login,
}

/// A complete answer.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    pub answer: Answer,
    pub prepared: Option<Prepared>,
    /// Whether a transaction is open now, as the server says.
    pub in_transaction: Option<bool>,
}

/// A cursor is open, and its rows come by fetch.
const CURSOR_EXISTS: Status = Status(0x0040);
/// MariaDB's reports of progress come as errors of this number, and end nothing.
const PROGRESS: u16 = 0xFFFF;
const EOF_BYTES: usize = 5;
const MAX_END: usize = 0xFF_FFFF;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    First,
    /// So many definitions are still to come, then rows.
    Columns(u32),
    /// An EOF, or the first row.
    BeforeRows,
    Rows,
    /// Definitions of a prepared statement, with an EOF behind each kind where the dialect has it.
    PreparedDefinitions(u32),
}

/// One answer, while it comes.
#[derive(Debug, Default)]
pub struct Answering {
    state: State,
    rows: Rows,
    sets: u32,
    affected: u64,
    warnings: u32,
    has_oks: bool,
    prepared: Option<Prepared>,
    /// The last definitions of a prepare had come: an EOF may follow, and belongs to it.
    may_end_in_eof: bool,
}

impl Answering {
    /// A message of the server's; the answer, where it was its last.
    pub fn server(&mut self, expected: Expected, piece: &Piece<'_>) -> Option<Heard> {
        let Some(payload) = piece.whole() else {
            // Only a row is that long: it is counted, and its sum is not known.
            return None;
        };
        let first = *payload.first()?;
        // The EOF behind the definitions of the statement that was prepared before.
        if std::mem::take(&mut self.may_end_in_eof) && is_eof(payload) && piece.sequence > 1 {
            return None;
        }
        if first == 0xFF && expected != Expected::Text {
            return self.error(payload);
        }
        match self.state {
            State::First => self.first(expected, first, payload),
            State::Columns(left) => {
                self.state = if left > 1 { State::Columns(left - 1) } else { State::BeforeRows };
                None
            }
            State::BeforeRows if is_eof(payload) => {
                let ok = OkPacket::parse_eof(payload).ok()?;
                self.state = State::Rows;
                if ok.status.has(CURSOR_EXISTS) { self.end_set(ok) } else { None }
            }
            State::BeforeRows | State::Rows => {
                self.state = State::Rows;
                self.row_or_end(first, payload)
            }
            State::PreparedDefinitions(left) => {
                if is_eof(payload) {
                    return None;
                }
                self.state = State::PreparedDefinitions(left - 1);
                if left > 1 {
                    return None;
                }
                self.may_end_in_eof = true;
                Some(self.ended(None, 0))
            }
        }
    }

    fn first(&mut self, expected: Expected, first: u8, payload: &[u8]) -> Option<Heard> {
        match expected {
            Expected::Nothing | Expected::Text => Some(self.ended(None, 0)),
            Expected::Login => {
                let ok = (first == 0x00).then(|| OkPacket::parse(payload).unwrap_or_default())?;
                Some(self.ended(Some(ok), 0))
            }
            Expected::Rows => {
                (self.state, self.sets) = (State::Rows, 1);
                self.row_or_end(first, payload)
            }
            Expected::Definitions => (first == 0xFE && payload.len() < 9).then(|| self.ended(None, 0)),
            Expected::Prepared => {
                let prepared = Prepared::parse(payload).ok()?;
                self.prepared = Some(prepared);
                self.warnings = u32::from(prepared.warnings);
                let definitions = u32::from(prepared.parameters) + u32::from(prepared.columns);
                if definitions == 0 {
                    return Some(self.ended(None, 0));
                }
                self.state = State::PreparedDefinitions(definitions);
                None
            }
            Expected::Results => self.result(first, payload),
        }
    }

    /// The first message of a result.
    fn result(&mut self, first: u8, payload: &[u8]) -> Option<Heard> {
        match first {
            0x00 | 0xFE => {
                let ok = if is_eof(payload) { OkPacket::parse_eof(payload) } else { OkPacket::parse(payload) };
                let ok = ok.unwrap_or_default();
                (self.has_oks, self.affected) = (true, self.affected + ok.affected);
                self.end(ok)
            }
            // LOCAL INFILE: the file, or the refusal, is the client's to send; an OK or an error follows.
            0xFB => None,
            _ => {
                let mut reader = Reader::new(payload);
                let columns = reader.lenenc().ok().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0)?;
                // MariaDB says here whether definitions follow or are known from the last time.
                let follow = reader.u8() != Ok(0);
                self.sets += 1;
                self.state = if follow { State::Columns(columns) } else { State::BeforeRows };
                None
            }
        }
    }

    fn row_or_end(&mut self, first: u8, payload: &[u8]) -> Option<Heard> {
        if first != 0xFE || payload.len() >= MAX_END {
            self.rows.add(payload);
            return None;
        }
        let ok = if payload.len() <= EOF_BYTES { OkPacket::parse_eof(payload) } else { OkPacket::parse(payload) };
        self.end_set(ok.unwrap_or_default())
    }

    fn end_set(&mut self, ok: OkPacket) -> Option<Heard> {
        self.rows.end_set();
        self.end(ok)
    }

    /// A result is over; the answer, if it was the last.
    fn end(&mut self, ok: OkPacket) -> Option<Heard> {
        self.warnings = u32::from(ok.warnings);
        self.state = State::First;
        if ok.status.has(Status::MORE_RESULTS) { None } else { Some(self.ended(Some(ok), 0)) }
    }

    fn error(&mut self, payload: &[u8]) -> Option<Heard> {
        let number = ErrPacket::parse(payload).map_or(0, |error| error.number);
        // An error without a number is none that a server sends; it ended the answer all the same.
        if number == PROGRESS { None } else { Some(self.ended(None, number.max(1))) }
    }

    fn ended(&mut self, ok: Option<OkPacket>, error: u16) -> Heard {
        let done = std::mem::take(self);
        self.may_end_in_eof = done.may_end_in_eof;
        let answer = Answer {
            error: Some(error),
            rows: Some(done.rows.count()),
            result_sets: Some(done.sets),
            affected: done.has_oks.then_some(done.affected),
            warnings: Some(done.warnings),
            examined: None,
            locked: None,
            sums: (done.sets > 0 && error == 0).then(|| done.rows.sums()),
        };
        let in_transaction = ok.map(|ok| ok.status.has(Status::IN_TRANSACTION));
        Heard { answer, prepared: done.prepared.filter(|_| error == 0), in_transaction }
    }
}

fn is_eof(payload: &[u8]) -> bool {
    payload.len() == EOF_BYTES && payload[0] == 0xFE
}
