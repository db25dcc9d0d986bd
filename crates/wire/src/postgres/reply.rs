//! Hot path: the parser of a whole reply, fed with whatever bytes have arrived.
//!
//! A reply is everything up to the ReadyForQuery: results of several statements, the answer to a close that travelled
//! in front, notices in between. It reads messages in place and keeps its state in a few words. An error is told when
//! the server is ready again, because only then may it be asked the next thing.

use super::error::{Refusal, ServerError};
use super::message::{self, Front, Message};
use super::row::Row;
use super::tag;
use crate::reader::{Malformed, Reader};

/// Receives what a reply holds, in order, borrowed from the receive buffer.
pub trait Visitor {
    /// A result set of `columns` columns begins, or a statement that has them was prepared.
    fn result_set(&mut self, _columns: usize) {}
    fn row(&mut self, row: Row<'_>);
}

/// The visitor that looks at nothing.
impl Visitor for () {
    #[inline]
    fn row(&mut self, _row: Row<'_>) {}
}

/// What a complete reply came to. Counts are sums over all its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Statements that were carried out.
    pub results: u32,
    /// Columns of the last result set.
    pub columns: u32,
    pub rows: u64,
    pub affected: u64,
    pub notices: u32,
    /// All bytes of the reply, headers included.
    pub bytes: u64,
    /// Parameters of a statement just prepared.
    pub parameters: u32,
    /// A transaction is open.
    pub within: bool,
}

/// What one call of `feed` came to. The caller drops `consumed` bytes from the front of its buffer in every case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// At least `missing` more bytes must arrive behind the unconsumed ones.
    Incomplete {
        consumed: usize,
        missing: usize,
    },
    Done {
        consumed: usize,
        summary: Summary,
    },
    Failed {
        consumed: usize,
        summary: Summary,
        error: ServerError,
    },
    /// The server waits for a file: send it by `ask::copy`, or `ask::refuse_copy`, then feed what it answers.
    CopyIn {
        consumed: usize,
    },
}

/// The parser; one per session.
#[derive(Debug, Default)]
pub struct Reply {
    summary: Summary,
    error: Option<Box<ServerError>>,
}

/// What a message did to the reply.
#[derive(PartialEq, Eq)]
enum After {
    Goes,
    Ended,
    CopyIn,
}

impl Reply {
    /// Expects the reply to what was just said.
    #[inline]
    pub fn begin(&mut self) {
        self.summary = Summary::default();
        self.error = None;
    }

    /// Reads as many whole messages of the reply as `bytes` holds. After `Malformed` the session is lost.
    #[inline]
    pub fn feed(&mut self, bytes: &[u8], visitor: &mut impl Visitor) -> Result<Step, Malformed> {
        let mut rest = bytes;
        loop {
            let (message, after) = match message::split(rest)? {
                Front::Whole { message, rest } => (message, rest),
                Front::Part { missing } => {
                    return Ok(Step::Incomplete { consumed: bytes.len() - rest.len(), missing });
                }
            };
            self.summary.bytes += (rest.len() - after.len()) as u64;
            rest = after;
            let consumed = bytes.len() - rest.len();
            match self.message(message, visitor)? {
                After::Goes => {}
                After::CopyIn => return Ok(Step::CopyIn { consumed }),
                After::Ended => {
                    let summary = self.summary;
                    return Ok(match self.error.take() {
                        None => Step::Done { consumed, summary },
                        Some(error) => Step::Failed { consumed, summary, error: *error },
                    });
                }
            }
        }
    }

    #[inline]
    fn message(&mut self, message: Message<'_>, visitor: &mut impl Visitor) -> Result<After, Malformed> {
        match message.kind {
            b'D' => {
                self.summary.rows += 1;
                visitor.row(Row::parse(message.body)?);
            }
            // Bound; closed; parsed; nothing to describe; more rows; parameters of the session; copied data and its
            // end.
            b'2' | b'3' | b'1' | b's' | b'S' | b'd' | b'c' => {}
            b'C' => {
                self.summary.results += 1;
                let affected = tag::affected(Reader::new(message.body).nul_bytes()?);
                self.summary.affected =
                    self.summary.affected.checked_add(affected).ok_or(Malformed("more rows affected than can be"))?;
            }
            b'Z' => {
                self.summary.within = Reader::new(message.body).u8()? != b'I';
                return Ok(After::Ended);
            }
            b'T' => {
                self.summary.columns = u32::from(Reader::new(message.body).big_u16()?);
                visitor.result_set(self.summary.columns as usize);
            }
            b'n' => {
                self.summary.columns = 0;
                visitor.result_set(0);
            }
            b't' => self.summary.parameters = u32::from(Reader::new(message.body).big_u16()?),
            // An empty query is a statement that does nothing.
            b'I' => self.summary.results += 1,
            b'N' => self.summary.notices += 1,
            // Notifications, and the beginning of a COPY to us, whose data is dropped.
            b'A' | b'H' => {}
            b'G' => return Ok(After::CopyIn),
            b'E' => return self.refused(message.body),
            _ => return Err(Malformed("a message that answers nothing")),
        }
        Ok(After::Goes)
    }

    #[cold]
    fn refused(&mut self, body: &[u8]) -> Result<After, Malformed> {
        let refusal = Refusal::parse(body)?;
        let ends = refusal.ends_the_session();
        self.error.get_or_insert_with(|| Box::new(refusal.to_owned()));
        Ok(if ends { After::Ended } else { After::Goes })
    }
}
