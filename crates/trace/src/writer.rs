//! The writer of a trace's statements: gathers items into blocks and appends each block whole. It owns no file and no
//! clock: whoever has them calls `flush` when what is gathered has waited long enough to be lost.

use crate::block::{self, MAX_BYTES, TARGET};
use crate::codec::Encoder;
use crate::head::{Closing, VERSION};
use crate::statement::{Ask, Item, Lost, SessionId, Statement};
use crate::value::Value;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;

pub struct Writer<W> {
    to: W,
    encoder: Encoder,
    packer: zstd::bulk::Compressor<'static>,
    closing: Closing,
    sessions: BTreeSet<SessionId>,
}

impl<W: Write> Writer<W> {
    /// Begins a file: writes its head.
    pub fn new(mut to: W) -> io::Result<Self> {
        to.write_all(&block::file_head(VERSION))?;
        let (encoder, closing) = (Encoder::default(), Closing::default());
        Ok(Self { to, encoder, packer: block::packer()?, closing, sessions: BTreeSet::new() })
    }

    /// Appends a statement, in the order in which they ended. One that is larger than `MAX_BYTES` is told as lost.
    pub fn statement(&mut self, statement: Statement) -> io::Result<()> {
        if size(&statement) > MAX_BYTES {
            let why = format!("a statement of more than {} MiB, which a trace does not hold", MAX_BYTES >> 20);
            let (at, session) = (statement.start, Some(statement.session));
            return self.lost(Lost { at, session, statements: Some(1), why: Arc::from(why) });
        }
        let closing = &mut self.closing;
        closing.first = if closing.statements == 0 { statement.start } else { closing.first.min(statement.start) };
        closing.last = closing.last.max(statement.end());
        closing.statements += 1;
        self.sessions.insert(statement.session);
        self.append(&Item::Statement(statement))
    }

    pub fn lost(&mut self, lost: Lost) -> io::Result<()> {
        match lost.statements {
            Some(statements) => self.closing.lost += statements,
            None => self.closing.gaps += 1,
        }
        self.append(&Item::Lost(lost))
    }

    fn append(&mut self, item: &Item) -> io::Result<()> {
        self.encoder.item(item);
        if self.encoder.body.len() >= TARGET { self.flush() } else { Ok(()) }
    }

    /// Writes the block so far, if it holds anything.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.encoder.items == 0 {
            return Ok(());
        }
        let block = block::pack(&mut self.packer, &self.encoder.body, self.encoder.items)?;
        self.encoder.clear();
        self.to.write_all(&block)?;
        self.to.flush()
    }

    /// What was written so far, with no notes yet.
    pub fn so_far(&self) -> Closing {
        Closing { sessions: self.sessions.len() as u64, ..self.closing.clone() }
    }

    /// Flushes, and gives the file back with what it holds.
    pub fn finish(mut self) -> io::Result<(W, Closing)> {
        self.flush()?;
        let closing = self.so_far();
        Ok((self.to, closing))
    }
}

/// Bytes of its text and its values.
fn size(statement: &Statement) -> usize {
    let values = match &statement.ask {
        Ask::Execute(execute) => {
            let bytes = |value: &Value| if let Value::Bytes(bytes) = value { bytes.len() } else { 0 };
            execute.rows.iter().flatten().map(|bound| bytes(&bound.value) + 32).sum()
        }
        Ask::Connect { .. }
        | Ask::Query(_)
        | Ask::Prepare { .. }
        | Ask::Fetch { .. }
        | Ask::Reset { .. }
        | Ask::Close { .. }
        | Ask::ChangeUser { .. }
        | Ask::InitDb(_)
        | Ask::ResetConnection
        | Ask::SetOption(_)
        | Ask::Ping
        | Ask::Quit
        | Ask::Other(_) => 0,
    };
    statement.text().map_or(0, |text| text.len()) + values
}
