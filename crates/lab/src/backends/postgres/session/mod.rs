//! Hot path: a session in PostgreSQL's protocol over one channel: as MySQL's, with the same ledger, the same times, and
//! the same promise that executing and reading allocate nothing. What differs: placeholders are `$n`, for which whoever
//! prepares may say `?`, values arrive as text, and an error carries an SQLSTATE and no number.

pub mod control;
mod faults;
mod opening;
mod pipeline;

use crate::backends::channel::Channel;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::faults::protocol;
use crate::backends::opening::{Opening, connecting, opened};
use crate::backends::sql::{self, Conversing};
use crate::executor::block_on;
use crate::load::ledger::Ledger;
use faults::server_fault;
use lua::placeholders::numbered;
use model::protocol::Protocol;
use model::units::Nanos;
use opening::{Conversation, dial};
use std::rc::Rc;
use std::time::Duration;
use wire::mysql::Malformed;
use wire::postgres::ask::{self, Param as WireParam};
use wire::postgres::{Row, Step, Summary, Visitor};
use workload::rows::{Cell, KeptRows};
use workload::session::{Answer, Fault, Param, Pipeline, Prepared, Request};

pub type Session<L> = sql::Session<Conversation, L>;

/// What is being done by the request under way.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Doing {
    #[default]
    Query,
    Prepare,
    /// Has no answer of its own.
    Close,
}

/// Reads every cell of an answer, and keeps those that were asked for.
struct Reading<'s> {
    keep: Option<&'s mut KeptRows>,
    /// Rows before the first that is kept.
    skip: &'s mut u64,
    columns: u16,
    wrong: Option<Malformed>,
}

impl Visitor for Reading<'_> {
    fn result_set(&mut self, columns: usize) {
        self.columns = columns as u16;
        if let Some(kept) = &mut self.keep {
            kept.clear(columns);
        }
    }

    #[inline]
    fn row(&mut self, row: Row<'_>) {
        if self.keep.as_ref().is_some_and(|kept| kept.columns() != row.columns()) {
            self.wrong = Some(Malformed("a row has another number of columns than its statement"));
            return;
        }
        let mut keep = self.keep.as_deref_mut().filter(|_| *self.skip == 0);
        *self.skip = self.skip.saturating_sub(1);
        for cell in row.cells() {
            match (cell, &mut keep) {
                (Ok(cell), Some(kept)) => kept.push(cell.map_or(Cell::Null, Cell::Bytes)),
                (Ok(_), None) => {}
                (Err(malformed), _) => self.wrong = Some(malformed),
            }
        }
    }
}

impl<L: Ledger> Session<L> {
    /// Opens one over a blocking socket, for somebody who asks one thing at a time and waits at most so long for each
    /// answer.
    pub fn blocking(endpoint: &SqlEndpoint, patience: Duration, ledger: L) -> Result<Self, Fault> {
        let connect = connecting(&endpoint.address, patience);
        let opening = Rc::new(Opening { endpoint: endpoint.clone(), connect, setup: Vec::new(), again: None });
        let session = opened(&endpoint.address, patience, || block_on(Self::open(opening, ledger)))?;
        session.conversation.channel.waits_at_most(patience);
        Ok(session)
    }

    /// What the next COPY is answered with.
    pub fn bring(&mut self, file: Vec<u8>) {
        self.conversation.file = Some(file);
    }

    /// The server's version as it told it.
    pub fn version(&self) -> &str {
        &self.conversation.version
    }

    /// By which way the server let us in.
    pub fn method(&self) -> &'static str {
        self.conversation.method.name()
    }

    /// TLS version and cipher, where there is TLS.
    pub fn cipher(&self) -> Option<(String, String)> {
        self.conversation.channel.cipher()
    }

    #[inline]
    fn answer(&mut self, summary: &Summary) -> Answer {
        self.count_others(summary.results.saturating_sub(1));
        let prepared = (self.now.asked == Doing::Prepare).then(|| {
            let statements = &mut self.conversation.statements;
            statements.push(Some(std::mem::take(&mut self.conversation.describing)));
            Prepared(statements.len() as u32 - 1)
        });
        let answer = Answer {
            rows: summary.rows,
            affected: summary.affected,
            last_insert_id: 0,
            warnings: summary.notices.min(u32::from(u16::MAX)) as u16,
            prepared,
        };
        self.answered(&answer, summary.bytes);
        answer
    }
}

impl Conversing for Conversation {
    type Asked = Doing;
    const DIALECT: Protocol = Protocol::PostgreSql;

    fn dial(opening: &Opening) -> impl Future<Output = Result<Self, Fault>> {
        dial(opening)
    }
    #[inline]
    fn channel(&self) -> &Channel {
        &self.channel
    }
    #[inline]
    fn channel_mut(&mut self) -> &mut Channel {
        &mut self.channel
    }
    fn connect_time(&self) -> Nanos {
        self.connect_time
    }

    fn encode<L: Ledger>(session: &mut Session<L>, request: Request<'_>) {
        // A close may lie there already: it is answered together with the next request.
        let Conversation { channel, statements, .. } = &mut session.conversation;
        let out = channel.outgoing();
        session.now.asked = match request {
            Request::Text(sql) => {
                ask::query(out, sql.as_bytes());
                Doing::Query
            }
            Request::Prepare(sql) => {
                ask::prepare(out, statements.len() as u32, numbered(sql).as_bytes());
                Doing::Prepare
            }
            Request::Execute(prepared, params) => {
                let columns = statements[prepared.0 as usize].expect("a statement is executed before it is closed");
                if session.now.want.first_kept().is_some() {
                    session.kept.clear(usize::from(columns));
                }
                ask::execute(out, prepared.0, params.iter().map(convert));
                Doing::Query
            }
            Request::Close(prepared) => {
                statements[prepared.0 as usize].take().expect("a statement is closed once");
                ask::close(out, prepared.0);
                Doing::Close
            }
        };
        match session.now.asked {
            Doing::Query => session.ledger.asked(),
            Doing::Prepare | Doing::Close => {}
        }
        session.conversation.reply.begin();
    }

    #[inline]
    fn read<L: Ledger>(session: &mut Session<L>) -> Option<Result<Answer, Fault>> {
        let keep =
            (session.now.want.first_kept().is_some() && session.now.asked == Doing::Query).then_some(&mut session.kept);
        let mut reading = Reading { keep, skip: &mut session.now.skip, columns: 0, wrong: None };
        let Conversation { channel, reply, .. } = &mut session.conversation;
        let step = reply.feed(channel.incoming(), &mut reading);
        let Reading { wrong, columns, .. } = reading;
        if session.now.asked == Doing::Prepare && columns > 0 {
            session.conversation.describing = columns;
        }
        let channel = &mut session.conversation.channel;
        let (consumed, end) = match step {
            Ok(Step::Incomplete { consumed, .. }) => (consumed, None),
            Ok(Step::Done { consumed, summary }) => (consumed, Some(Ok(summary))),
            Ok(Step::Failed { consumed, summary, error }) => {
                session.reopening.broken = error.ends_the_session;
                session.count_others(summary.results);
                (consumed, Some(Err(server_fault(error))))
            }
            Ok(Step::CopyIn { consumed }) => {
                match session.conversation.file.take() {
                    Some(file) => ask::copy(channel.outgoing(), &file),
                    None => ask::refuse_copy(channel.outgoing()),
                }
                session.now.pieces = 0;
                (consumed, None)
            }
            Err(malformed) => (0, Some(Err(protocol(malformed)))),
        };
        session.conversation.channel.consume(consumed);
        match (wrong, end) {
            (Some(malformed), _) => Some(Err(protocol(malformed))),
            (None, Some(Ok(summary))) => Some(Ok(session.answer(&summary))),
            (None, Some(Err(fault))) => Some(Err(fault)),
            (None, None) => None,
        }
    }

    #[inline]
    fn is_silent(asked: &Doing) -> bool {
        *asked == Doing::Close
    }
    fn failed(&mut self, asked: &Doing) {
        if *asked == Doing::Prepare {
            // Its name is taken or not: nobody says it again.
            self.statements.push(None);
        }
    }
    fn say_goodbye<L: Ledger>(&mut self, _: &L) {
        ask::terminate(self.channel.outgoing());
    }
    fn pipeline<L: Ledger>(session: &mut Session<L>) -> Option<&mut (dyn Pipeline + '_)> {
        Some(session)
    }
}

#[inline]
fn convert<'a>(param: &Param<'a>) -> WireParam<'a> {
    match param {
        Param::Null => WireParam::Null,
        Param::Int(n) => WireParam::Int(*n),
        Param::Real(x) => WireParam::Real(*x),
        Param::Decimal(b) | Param::Bytes(b) => WireParam::Bytes(b),
    }
}
