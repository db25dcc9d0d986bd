//! Hot path: a session in MySQL's protocol over one channel. A request is encoded into its outgoing buffer, the answer is
//! parsed where it arrived, and every cell of every row is decoded. Its time runs from the batch of answers that its user was
//! woken by, to the batch that brought its last byte: in a closed load times lie end to end, so that what the client itself
//! spends between two batches is in the next answer's time and never outside of all. Connecting and preparing allocate;
//! executing and reading do not.

mod columns;
pub(crate) mod faults;
mod file;
mod opening;
mod reading;
mod statement;

use crate::executor::near::Part;
use crate::os::clock;
use columns::Columns;
use faults::{lost, protocol, server_fault};
use model::units::Nanos;
pub use opening::{Again, Carriage, Connecting, Opening};
use opening::{Conversation, dial};
use reading::Reading;
use statement::Statement;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use wire::mysql::{Asked, Step, Summary, command};
use workload::kept::Kept;
use workload::session::{Answer, Class, Fact, Fault, Prepared, Request, Sql, Want};
use workload::user::Memory;

/// Setup belongs to no class of the workload: its ledger entries are not wanted.
const SETUP: Class = Class(u16::MAX);

/// Who is told how requests ended. The load's tally for users; nobody for control sessions.
pub trait Ledger {
    fn asked(&self);
    fn answered(&self, class: Class, answer: &Answer, bytes: u64, service: Nanos);
    fn refused(&self, class: Class, fault: &Fault);
    fn unexpected(&self, class: Class);
    fn counted(&self, fact: Fact, amount: i64);
    fn connected(&self, time: Nanos, opened: Opened);
}

/// Why a session was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// It is the first, or its user wanted a new one.
    ByWish,
    AfterBreak,
}

/// The ledger of sessions that are not measured.
impl Ledger for () {
    fn asked(&self) {}
    fn answered(&self, _: Class, _: &Answer, _: u64, _: Nanos) {}
    fn refused(&self, _: Class, _: &Fault) {}
    fn unexpected(&self, _: Class) {}
    fn counted(&self, _: Fact, _: i64) {}
    fn connected(&self, _: Nanos, _: Opened) {}
}

pub struct Session<L: Ledger> {
    conversation: Conversation,
    opening: Rc<Opening>,
    reopening: Option<Redialing>,
    /// The conversation broke: there is nobody to say goodbye to.
    broken: bool,
    /// A goodbye was said, and the server has not hung up yet.
    leaving: bool,
    ledger: L,
    now: Pending,
    kept: Kept,
    /// What the next statement may load; any other request for a file is refused.
    file: Option<Vec<u8>>,
    /// The wall clock less the lab's.
    unix_at_boot: Nanos,
}

type Redialing = Pin<Box<dyn Future<Output = Result<Conversation, Fault>>>>;

/// The request under way.
struct Pending {
    class: Class,
    want: Want,
    /// Rows that are still to come before the first that is kept.
    skip: u64,
    started: Nanos,
    statement: Option<u32>,
    preparing: Option<Statement>,
    /// How often something was received; nothing was sent before the first.
    pieces: u32,
    /// A close has no answer.
    silent: bool,
}

impl<L: Ledger> Session<L> {
    pub async fn open(opening: Rc<Opening>, ledger: L) -> Result<Self, Fault> {
        let conversation = dial(&opening).await?;
        let mut session = Self {
            conversation,
            opening,
            reopening: None,
            broken: false,
            leaving: false,
            ledger,
            now: Pending::idle(),
            kept: Kept::default(),
            file: None,
            unix_at_boot: clock::unix_at_boot(),
        };
        session.ledger.connected(session.conversation.connect_time, Opened::ByWish);
        session.set_up().await?;
        Ok(session)
    }

    async fn set_up(&mut self) -> Result<(), Fault> {
        let opening = Rc::clone(&self.opening);
        for sql in &opening.setup {
            (self as &mut dyn Sql).query(SETUP, sql).await?;
        }
        Ok(())
    }

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
        self.file = Some(file);
    }

    fn send_file(&mut self, file: Vec<u8>, first: u8) {
        let out = self.conversation.channel.outgoing();
        assert!(out.is_empty(), "a file is asked for when the request has left");
        let sequence;
        (*out, sequence) = file::framed(file, first);
        self.conversation.reply.file_sent(sequence);
        self.now.pieces = 0;
    }

    /// Says goodbye, so that the server does not count an aborted client, and waits for it to hang up.
    pub async fn quit(mut self) {
        self.say_goodbye();
        let _ = self.conversation.channel.exchange().await;
    }

    fn say_goodbye(&mut self) {
        let channel = &mut self.conversation.channel;
        channel.outgoing().clear();
        command::quit(channel.outgoing());
        // Servers count a goodbye as a Question.
        self.ledger.asked();
    }

    fn encode(&mut self, request: Request<'_>) {
        // A close may lie there already: it has no answer and travels with the next request.
        let out = self.conversation.channel.outgoing();
        let (asked, sequence) = match request {
            Request::Text(sql) => (Asked::Text, command::query(out, sql.as_bytes())),
            Request::Prepare(sql) => {
                self.now.preparing = Some(Statement { id: 0, columns: Columns::NONE, bound: None });
                (Asked::Prepare, command::prepare(out, sql.as_bytes()))
            }
            Request::Execute(prepared, params) => {
                self.now.statement = Some(prepared.0);
                let statement = self.conversation.statements[prepared.0 as usize]
                    .as_mut()
                    .expect("a statement is executed before it is closed");
                (Asked::Execute, statement.encode(out, params))
            }
            Request::Close(prepared) => {
                let statement =
                    self.conversation.statements[prepared.0 as usize].take().expect("a statement is closed once");
                command::close(out, statement.id);
                self.now.silent = true;
                return;
            }
        };
        self.conversation.reply.begin(asked, sequence);
        if asked != Asked::Prepare {
            self.ledger.asked();
        }
    }

    /// Reads what has arrived; `None` when more must come.
    #[inline]
    fn read(&mut self) -> Option<Result<Answer, Fault>> {
        let types = match self.now.statement {
            Some(n) => self.conversation.statements[n as usize].as_mut().map(|s| &mut s.columns),
            None => None,
        };
        let mut reading = Reading {
            types,
            preparing: self.now.preparing.as_mut(),
            keep: self.now.want.first_kept().map(|_| &mut self.kept),
            each: self.now.want == Want::KeepEach,
            skip: &mut self.now.skip,
            wrong: None,
        };
        let step = self.conversation.reply.feed(self.conversation.channel.incoming(), &mut reading);
        let wrong = reading.wrong;
        let mut asked_for_file = None;
        let (consumed, end) = match step {
            Ok(Step::Incomplete { consumed, .. }) => (consumed, None),
            Ok(Step::Done { consumed, summary }) => {
                self.count_others(summary.results.saturating_sub(1));
                if self.now.want == Want::KeepEach {
                    self.kept.rewind();
                }
                (consumed, Some(Ok(summary)))
            }
            Ok(Step::Failed { consumed, error, summary }) => {
                self.count_others(summary.results);
                (consumed, Some(Err(server_fault(&error.to_owned()))))
            }
            Ok(Step::LocalInfile { consumed, refusal: [.., sequence] }) => {
                asked_for_file = Some(sequence);
                (consumed, None)
            }
            Err(malformed) => (0, Some(Err(protocol(malformed)))),
        };
        self.conversation.channel.consume(consumed);
        if let Some(sequence) = asked_for_file {
            let file = self.file.take().unwrap_or_default();
            self.send_file(file, sequence);
        }
        match (wrong, end) {
            (Some(malformed), _) => Some(Err(protocol(malformed))),
            (None, Some(Ok(summary))) => Some(Ok(self.answer(&summary))),
            (None, Some(Err(fault))) => Some(Err(fault)),
            (None, None) => None,
        }
    }

    /// Each statement of a packet is a question of its own.
    #[inline]
    fn count_others(&self, results: u32) {
        (0..results).for_each(|_| self.ledger.asked());
    }

    #[inline]
    fn answer(&mut self, summary: &Summary) -> Answer {
        let prepared = match (summary.prepared, self.now.preparing.take()) {
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
        let channel = &self.conversation.channel;
        let ended = if self.now.pieces == 1 { channel.moment() } else { channel.moment_of_last_piece() };
        self.ledger.answered(self.now.class, &answer, summary.bytes, Nanos(ended.0 - self.now.started.0));
        answer
    }

    fn failed(&mut self, fault: Fault) -> Fault {
        self.broken = !fault.session_survives();
        self.ledger.refused(self.now.class, &fault);
        fault
    }
}

impl<L: Ledger> Sql for Session<L> {
    #[inline]
    fn start(&mut self, class: Class, request: Request<'_>, want: Want) {
        self.now = Pending {
            class,
            want,
            skip: want.first_kept().unwrap_or(0),
            started: self.conversation.channel.moment(),
            statement: None,
            preparing: None,
            pieces: 0,
            silent: false,
        };
        if want.first_kept().is_some() {
            self.kept.clear(0);
        }
        self.encode(request);
    }

    #[inline]
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        if self.now.silent {
            // The bytes of a close travel with the next request.
            return Poll::Ready(Ok(Answer::default()));
        }
        loop {
            let polled = if self.now.pieces == 0 {
                self.conversation.channel.poll_exchange(cx)
            } else {
                self.conversation.channel.poll_receive(cx)
            };
            match polled {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(_)) => self.now.pieces = self.now.pieces.saturating_add(1),
                Poll::Ready(Err(e)) => return Poll::Ready(Err(self.failed(lost(&e)))),
            }
            match self.read() {
                None => {}
                Some(Ok(answer)) => return Poll::Ready(Ok(answer)),
                Some(Err(fault)) => return Poll::Ready(Err(self.failed(fault))),
            }
        }
    }

    fn kept(&self) -> &Kept {
        &self.kept
    }

    fn take_kept(&mut self, into: &mut Kept) {
        std::mem::swap(&mut self.kept, into);
    }

    fn unix_ms(&self) -> u64 {
        (self.unix_at_boot.0 + self.conversation.channel.moment().0) / 1_000_000
    }

    fn unexpected(&mut self, class: Class) {
        self.ledger.unexpected(class);
    }

    fn count(&mut self, fact: Fact, amount: i64) {
        self.ledger.counted(fact, amount);
    }

    fn start_reconnect(&mut self) {
        if !self.broken {
            self.say_goodbye();
        }
        self.leaving = !self.broken;
    }

    fn poll_reconnect(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        if self.leaving && self.conversation.channel.poll_exchange(cx).is_pending() {
            return Poll::Pending;
        }
        self.leaving = false;
        let opening = &self.opening;
        let reopening = self.reopening.get_or_insert_with(|| {
            let opening = Rc::clone(opening);
            Box::pin(async move { redial(&opening).await })
        });
        let Poll::Ready(outcome) = reopening.as_mut().poll(cx) else { return Poll::Pending };
        self.reopening = None;
        Poll::Ready(outcome.map(|conversation| {
            let opened = if self.broken { Opened::AfterBreak } else { Opened::ByWish };
            self.ledger.connected(conversation.connect_time, opened);
            self.opening.setup.iter().for_each(|_| self.ledger.asked());
            self.conversation = conversation;
            self.broken = false;
        }))
    }
}

/// A new conversation with its setup said.
async fn redial(opening: &Rc<Opening>) -> Result<Conversation, Fault> {
    loop {
        match (Session::open(Rc::clone(opening), ()).await, &opening.again) {
            (Ok(session), _) => return Ok(session.conversation),
            (Err(_), Some(again)) if again().await => {}
            (Err(fault), _) => return Err(fault),
        }
    }
}

impl Pending {
    fn idle() -> Self {
        Self {
            class: Class(0),
            want: Want::Count,
            skip: 0,
            started: Nanos(0),
            statement: None,
            preparing: None,
            pieces: 0,
            silent: false,
        }
    }
}
