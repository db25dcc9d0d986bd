//! Hot path: a session in MySQL's protocol over one channel. A request is encoded into its outgoing buffer, the answer
//! is parsed where it arrived, and every cell of every row is decoded. Its time runs from the batch of answers that its
//! user was woken by, to the batch that brought its last byte: in a closed load times lie end to end, so that what the
//! client itself spends between two batches is in the next answer's time and never outside of all. Connecting and
//! preparing allocate; executing and reading do not.

mod columns;
mod faults;
mod file;
mod opening;
mod reading;
pub mod replaying;
mod statement;

use crate::backends::channel::Channel;
use crate::backends::faults::protocol;
use crate::backends::opening::Opening;
use crate::backends::sql::{self, Conversing};
use crate::executor::near::Part;
use crate::load::ledger::Ledger;
use columns::Columns;
use faults::server_fault;
use model::protocol::Protocol;
use model::units::Nanos;
pub use opening::Carriage;
use opening::{Conversation, dial};
use reading::Reading;
use statement::Statement;
use std::time::Duration;
use wire::mysql::{Asked, Step, Summary, command};
use workload::session::{Answer, Fault, Prepared, Request, Want};
use workload::user::Memory;

pub type Session<L> = sql::Session<Conversation, L>;

/// What this protocol remembers of the request under way.
#[derive(Default)]
pub struct Asking {
    statement: Option<u32>,
    preparing: Option<Statement>,
    /// A close has no answer.
    silent: bool,
}

impl<L: Ledger> Session<L> {
    /// The server's version as it greeted.
    pub fn version(&self) -> &str {
        &self.conversation.version
    }

    /// How this conversation is carried, as it was agreed.
    pub fn carriage(&self) -> Carriage {
        self.conversation.carriage()
    }

    /// How long each exchange on a blocking line may take from now on.
    pub fn waits_at_most(&self, patience: Duration) {
        self.conversation.channel.waits_at_most(patience);
    }

    /// Gives what the next statement asks for as its local file. Nothing on disk is ever read for a server.
    pub fn offer(&mut self, file: Vec<u8>) {
        self.conversation.file = Some(file);
    }

    fn send_file(&mut self, file: Vec<u8>, first: u8) {
        let out = self.conversation.channel.outgoing();
        assert!(out.is_empty(), "a file is asked for when the request has left");
        let sequence;
        (*out, sequence) = file::framed(file, first);
        self.conversation.reply.file_sent(sequence);
        self.now.pieces = 0;
    }

    #[inline]
    fn answer(&mut self, summary: &Summary) -> Answer {
        let prepared = match (summary.prepared, self.now.asked.preparing.take()) {
            (Some(prepared), Some(statement)) => {
                let statements = &mut self.conversation.statements;
                statements.push(Some(Statement { id: prepared.statement, ..statement }));
                self.conversation.channel.touches(Part::Statements, Memory::of(&statements[..]));
                Some(Prepared(statements.len() as u32 - 1))
            }
            (Some(_), None) | (None, Some(_)) | (None, None) => None,
        };
        let answer = Answer {
            rows: summary.rows,
            affected: summary.affected,
            last_insert_id: summary.last_insert_id,
            warnings: summary.warnings.min(u32::from(u16::MAX)) as u16,
            prepared,
        };
        self.answered(&answer, summary.bytes);
        answer
    }
}

impl Conversing for Conversation {
    type Asked = Asking;
    const DIALECT: Protocol = Protocol::MySql;

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
        // A close may lie there already: it has no answer and travels with the next request.
        let out = session.conversation.channel.outgoing();
        let (asked, sequence) = match request {
            Request::Text(sql) => (Asked::Text, command::query(out, sql.as_bytes())),
            Request::Prepare(sql) => {
                session.now.asked.preparing = Some(Statement { id: 0, columns: Columns::NONE, bound: None });
                (Asked::Prepare, command::prepare(out, sql.as_bytes()))
            }
            Request::Execute(prepared, params) => {
                session.now.asked.statement = Some(prepared.0);
                let statement = session.conversation.statements[prepared.0 as usize]
                    .as_mut()
                    .expect("a statement is executed before it is closed");
                (Asked::Execute, statement.encode(out, params))
            }
            Request::Close(prepared) => {
                let statement =
                    session.conversation.statements[prepared.0 as usize].take().expect("a statement is closed once");
                command::close(out, statement.id);
                session.now.asked.silent = true;
                return;
            }
        };
        session.conversation.reply.begin(asked, sequence);
        if asked != Asked::Prepare {
            session.ledger.asked();
        }
    }

    #[inline]
    fn read<L: Ledger>(session: &mut Session<L>) -> Option<Result<Answer, Fault>> {
        let types = match session.now.asked.statement {
            Some(n) => session.conversation.statements[n as usize].as_mut().map(|s| &mut s.columns),
            None => None,
        };
        let mut reading = Reading {
            types,
            preparing: session.now.asked.preparing.as_mut(),
            keep: session.now.want.first_kept().map(|_| &mut session.kept),
            each: session.now.want == Want::KeepEach,
            skip: &mut session.now.skip,
            wrong: None,
        };
        let step = session.conversation.reply.feed(session.conversation.channel.incoming(), &mut reading);
        let wrong = reading.wrong;
        let mut asked_for_file = None;
        let (consumed, end) = match step {
            Ok(Step::Incomplete { consumed, .. }) => (consumed, None),
            Ok(Step::Done { consumed, summary }) => {
                session.count_others(summary.results.saturating_sub(1));
                if session.now.want == Want::KeepEach {
                    session.kept.rewind();
                }
                (consumed, Some(Ok(summary)))
            }
            Ok(Step::Failed { consumed, error, summary }) => {
                session.count_others(summary.results);
                (consumed, Some(Err(server_fault(&error.to_owned()))))
            }
            Ok(Step::LocalInfile { consumed, refusal: [.., sequence] }) => {
                asked_for_file = Some(sequence);
                (consumed, None)
            }
            Err(malformed) => (0, Some(Err(protocol(malformed)))),
        };
        session.conversation.channel.consume(consumed);
        if let Some(sequence) = asked_for_file {
            let file = session.conversation.file.take().unwrap_or_default();
            session.send_file(file, sequence);
        }
        match (wrong, end) {
            (Some(malformed), _) => Some(Err(protocol(malformed))),
            (None, Some(Ok(summary))) => Some(Ok(session.answer(&summary))),
            (None, Some(Err(fault))) => Some(Err(fault)),
            (None, None) => None,
        }
    }

    #[inline]
    fn is_silent(asked: &Asking) -> bool {
        asked.silent
    }
    fn failed(&mut self, _: &Asking) {}
    fn say_goodbye<L: Ledger>(&mut self, ledger: &L) {
        command::quit(self.channel.outgoing());
        // Servers count a goodbye as a Question.
        ledger.asked();
    }
}
