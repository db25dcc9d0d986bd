//! Hot path: a session in PostgreSQL's protocol over one channel: as MySQL's, with the same ledger, the same times, and the same
//! promise that executing and reading allocate nothing. What differs: placeholders are `$n`, values arrive as text, and an
//! error carries an SQLSTATE and no number.

pub mod control;
mod faults;
mod opening;

use crate::backends::endpoint::Door;
use crate::backends::mysql::control::{connecting, opened};
use crate::backends::mysql::session::{Ledger, Opened, Opening};
use crate::executor::block_on;
use crate::os::clock;
use faults::{lost, protocol, server_fault};
use model::units::Nanos;
use opening::{Conversation, dial};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use wire::mysql::Malformed;
use wire::postgres::ask::{self, Param as WireParam};
use wire::postgres::{Row, Step, Summary, Visitor};
use workload::kept::{Cell, Kept};
use workload::session::{Answer, Class, Fact, Fault, Param, Prepared, Request, Sql, Want};

/// Setup belongs to no class of the workload: its ledger entries are not wanted.
const SETUP: Class = Class(u16::MAX);

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
    doing: Doing,
    /// How often something was received; nothing was sent before the first.
    pieces: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Query,
    Prepare,
    /// Has no answer of its own.
    Close,
}

/// Reads every cell of an answer, and keeps those that were asked for.
struct Reading<'s> {
    keep: Option<&'s mut Kept>,
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
    pub async fn open(opening: Rc<Opening>, ledger: L) -> Result<Self, Fault> {
        let conversation = dial(&opening).await?;
        let now =
            Pending { class: SETUP, want: Want::Count, skip: 0, started: Nanos(0), doing: Doing::Query, pieces: 0 };
        let mut session = Self {
            conversation,
            opening,
            reopening: None,
            broken: false,
            leaving: false,
            ledger,
            now,
            kept: Kept::default(),
            unix_at_boot: clock::unix_at_boot(),
        };
        session.ledger.connected(session.conversation.connect_time, Opened::ByWish);
        let opening = Rc::clone(&session.opening);
        for sql in &opening.setup {
            (&mut session as &mut dyn Sql).query(SETUP, sql).await?;
        }
        Ok(session)
    }

    /// Opens one over a blocking socket, for somebody who asks one thing at a time and waits at most so long for each answer.
    pub fn blocking(door: &Door, patience: Duration, ledger: L) -> Result<Self, Fault> {
        let connect = connecting(&door.address, patience);
        let opening = Rc::new(Opening { door: door.clone(), connect, setup: Vec::new(), again: None });
        let session = opened(&door.address, patience, || block_on(Self::open(opening, ledger)))?;
        session.conversation.channel.waits_at_most(patience);
        Ok(session)
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

    /// Says goodbye and waits for the server to hang up.
    pub async fn quit(mut self) {
        self.say_goodbye();
        let _ = self.conversation.channel.exchange().await;
    }

    fn say_goodbye(&mut self) {
        let channel = &mut self.conversation.channel;
        channel.outgoing().clear();
        ask::terminate(channel.outgoing());
    }

    fn encode(&mut self, request: Request<'_>) {
        // A close may lie there already: it is answered together with the next request.
        let Conversation { channel, statements, .. } = &mut self.conversation;
        let out = channel.outgoing();
        self.now.doing = match request {
            Request::Text(sql) => {
                ask::query(out, sql.as_bytes());
                Doing::Query
            }
            Request::Prepare(sql) => {
                ask::prepare(out, statements.len() as u32, sql.as_bytes());
                Doing::Prepare
            }
            Request::Execute(prepared, params) => {
                let columns = statements[prepared.0 as usize].expect("a statement is executed before it is closed");
                if self.now.want.first_kept().is_some() {
                    self.kept.clear(usize::from(columns));
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
        match self.now.doing {
            Doing::Query => self.ledger.asked(),
            Doing::Prepare | Doing::Close => {}
        }
        self.conversation.reply.begin();
    }

    /// Reads what has arrived; `None` when more must come.
    #[inline]
    fn read(&mut self) -> Option<Result<Answer, Fault>> {
        let keep = (self.now.want.first_kept().is_some() && self.now.doing == Doing::Query).then_some(&mut self.kept);
        let mut reading = Reading { keep, skip: &mut self.now.skip, columns: 0, wrong: None };
        let Conversation { channel, reply, .. } = &mut self.conversation;
        let step = reply.feed(channel.incoming(), &mut reading);
        let Reading { wrong, columns, .. } = reading;
        if self.now.doing == Doing::Prepare && columns > 0 {
            self.conversation.describing = columns;
        }
        let channel = &mut self.conversation.channel;
        let (consumed, end) = match step {
            Ok(Step::Incomplete { consumed, .. }) => (consumed, None),
            Ok(Step::Done { consumed, summary }) => (consumed, Some(Ok(summary))),
            Ok(Step::Failed { consumed, summary, error }) => {
                self.broken = error.ends_the_session;
                self.count_others(summary.results);
                (consumed, Some(Err(server_fault(error))))
            }
            Ok(Step::CopyIn { consumed }) => {
                ask::refuse_copy(channel.outgoing());
                self.now.pieces = 0;
                (consumed, None)
            }
            Err(malformed) => (0, Some(Err(protocol(malformed)))),
        };
        self.conversation.channel.consume(consumed);
        match (wrong, end) {
            (Some(malformed), _) => Some(Err(protocol(malformed))),
            (None, Some(Ok(summary))) => Some(Ok(self.answer(&summary))),
            (None, Some(Err(fault))) => Some(Err(fault)),
            (None, None) => None,
        }
    }

    /// Each statement of a text is a question of its own.
    fn count_others(&self, results: u32) {
        (0..results).for_each(|_| self.ledger.asked());
    }

    #[inline]
    fn answer(&mut self, summary: &Summary) -> Answer {
        self.count_others(summary.results.saturating_sub(1));
        let prepared = (self.now.doing == Doing::Prepare).then(|| {
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
        let channel = &self.conversation.channel;
        let ended = if self.now.pieces == 1 { channel.moment() } else { channel.moment_of_last_piece() };
        self.ledger.answered(self.now.class, &answer, summary.bytes, Nanos(ended.0 - self.now.started.0));
        answer
    }

    fn failed(&mut self, fault: Fault) -> Fault {
        self.broken |= !fault.session_survives();
        if self.now.doing == Doing::Prepare {
            // Its name is taken or not: nobody says it again.
            self.conversation.statements.push(None);
        }
        self.ledger.refused(self.now.class, &fault);
        fault
    }
}

impl<L: Ledger> Sql for Session<L> {
    #[inline]
    fn start(&mut self, class: Class, request: Request<'_>, want: Want) {
        let started = self.conversation.channel.moment();
        let skip = want.first_kept().unwrap_or(0);
        self.now = Pending { class, want, skip, started, doing: Doing::Query, pieces: 0 };
        if want.first_kept().is_some() {
            self.kept.clear(0);
        }
        self.encode(request);
    }

    #[inline]
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        if self.now.doing == Doing::Close {
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

#[inline]
fn convert<'a>(param: &Param<'a>) -> WireParam<'a> {
    match param {
        Param::Null => WireParam::Null,
        Param::Int(n) => WireParam::Int(*n),
        Param::Real(x) => WireParam::Real(*x),
        Param::Bytes(b) => WireParam::Bytes(b),
    }
}
