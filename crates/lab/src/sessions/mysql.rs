//! Hot path: a session in MySQL's protocol over one line. A request is encoded into the line's outgoing buffer, the answer is
//! parsed where it arrived, every cell of every row is decoded, and its time is taken from just before the send to just
//! after the last byte. Connecting and preparing allocate; executing and reading do not.

use super::address::{Address, Door};
use crate::clock;
use crate::load::executor::Line;
use model::units::Nanos;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use wire::mysql::execute::{self, Types};
use wire::mysql::{
    Account, Asked, Capabilities, Cell as WireCell, ColumnType, Definition, Login, LoginStep, Malformed,
    Param as WireParam, Reply, Row, Step, Summary, Transport, Visitor, command,
};
use workload::kept::{Cell, Kept};
use workload::session::{Answer, Class, Fault, Param, Prepared, Request, Sql, Want};

/// Parameters converted on the stack; statements with more pay for an allocation.
const STACK_PARAMS: usize = 32;

/// Setup belongs to no class of the workload: its ledger entries are not wanted.
const SETUP: Class = Class(u16::MAX);

/// utf8mb4_general_ci, which every server knows; what a workload wants is set by its SET NAMES.
const LOGIN_COLLATION: u8 = 45;

/// Who is told how requests ended. The load's tally for users; nobody for control sessions.
pub trait Ledger {
    fn asked(&self);
    fn answered(&self, class: Class, answer: &Answer, bytes: u64, service: Nanos);
    fn refused(&self, class: Class, fault: &Fault);
    fn unexpected(&self, class: Class);
    fn reconnected(&self);
}

/// The ledger of sessions that are not measured.
impl Ledger for () {
    fn asked(&self) {}
    fn answered(&self, _: Class, _: &Answer, _: u64, _: Nanos) {}
    fn refused(&self, _: Class, _: &Fault) {}
    fn unexpected(&self, _: Class) {}
    fn reconnected(&self) {}
}

struct Statement {
    id: u32,
    columns: Vec<ColumnType>,
    /// Parameter types were sent, and these were NULL or not; other types need sending again.
    bound: Option<Vec<u8>>,
}

/// How to come to a fresh line, who to be on it, and what to say first. Kept by a session so that it can come back.
pub struct Opening {
    pub door: Door,
    pub connect: Box<dyn Fn() -> Connecting>,
    /// Statements that every new conversation begins with, as SET NAMES.
    pub setup: Vec<String>,
}

pub type Connecting = Pin<Box<dyn Future<Output = std::io::Result<Line>>>>;

pub struct Session<L: Ledger> {
    conversation: Conversation,
    opening: Rc<Opening>,
    reopening: Option<Redialing>,
    ledger: L,
    now: Pending,
    kept: Kept,
}

type Redialing = Pin<Box<dyn Future<Output = Result<Conversation, Fault>>>>;

/// What is new after every connect.
struct Conversation {
    line: Line,
    reply: Reply,
    statements: Vec<Option<Statement>>,
    version: String,
}

/// The request under way.
struct Pending {
    class: Class,
    want: Want,
    started: Nanos,
    statement: Option<u32>,
    preparing: Option<Statement>,
    sent: bool,
    /// A close has no answer.
    silent: bool,
}

/// Connects, logs in and says what every conversation begins with.
async fn dial(opening: &Opening) -> Result<Conversation, Fault> {
    let mut line = (opening.connect)().await.map_err(|e| lost(&e))?;
    let door = &opening.door;
    let account = Account {
        user: &door.user,
        password: door.password.as_bytes(),
        database: door.schema.as_deref(),
        attributes: &[("program_name", "assay")],
        collation: LOGIN_COLLATION,
        capabilities: Capabilities::WANTED,
    };
    let transport = match door.address {
        Address::Unix(_) => Transport::UnixSocket,
        Address::Tcp { .. } => Transport::Tcp,
    };
    let mut login = Login::new(account, transport, random()?);
    let mut answer = Vec::new();
    loop {
        answer.clear();
        let step = login.feed(line.incoming(), &mut answer).map_err(|e| Fault::Protocol(e.to_string()))?;
        let (consumed, end) = match step {
            LoginStep::Incomplete { consumed, .. } => (consumed, None),
            LoginStep::Done { consumed, session } => (consumed, Some(session)),
            LoginStep::Denied { error, .. } => return Err(server_fault(&error.to_owned())),
        };
        line.consume(consumed);
        if let Some(session) = end {
            let reply = Reply::new(session.capabilities);
            return Ok(Conversation { line, reply, statements: Vec::new(), version: session.version });
        }
        let heard = if answer.is_empty() {
            line.receive().await
        } else {
            line.outgoing().extend_from_slice(&answer);
            line.exchange().await
        };
        heard.map_err(|e| lost(&e))?;
    }
}

/// Unpredictable bytes for the seal of a password that travels over TCP.
fn random() -> Result<[u8; 20], Fault> {
    let mut bytes = [0; 20];
    let got = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    if got == Ok(bytes.len()) { Ok(bytes) } else { Err(Fault::Lost("the kernel gives no random bytes".into())) }
}

impl<L: Ledger> Session<L> {
    pub async fn open(opening: Rc<Opening>, ledger: L) -> Result<Self, Fault> {
        let conversation = dial(&opening).await?;
        let mut session =
            Self { conversation, opening, reopening: None, ledger, now: Pending::idle(), kept: Kept::default() };
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

    /// Says goodbye, so that the server does not count an aborted client, and waits for it to hang up.
    pub async fn quit(mut self) {
        let line = &mut self.conversation.line;
        line.outgoing().clear();
        command::quit(line.outgoing());
        // Servers count a goodbye as a Question.
        self.ledger.asked();
        let _ = line.exchange().await;
    }

    fn encode(&mut self, request: Request<'_>) {
        // A close may lie there already: it has no answer and travels with the next request.
        let out = self.conversation.line.outgoing();
        let (asked, sequence) = match request {
            Request::Text(sql) => (Asked::Text, command::query(out, sql.as_bytes())),
            Request::Prepare(sql) => {
                self.now.preparing = Some(Statement { id: 0, columns: Vec::new(), bound: None });
                (Asked::Prepare, command::prepare(out, sql.as_bytes()))
            }
            Request::Execute(prepared, params) => {
                self.now.statement = Some(prepared.0);
                let statement = self.conversation.statements[prepared.0 as usize]
                    .as_mut()
                    .expect("a statement is executed before it is closed");
                (Asked::Execute, encode_execute(out, statement, params))
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
            keep: (self.now.want == Want::Keep).then_some(&mut self.kept),
            wrong: None,
        };
        let step = self.conversation.reply.feed(self.conversation.line.incoming(), &mut reading);
        let wrong = reading.wrong;
        let (consumed, end) = match step {
            Ok(Step::Incomplete { consumed, .. }) => (consumed, None),
            Ok(Step::Done { consumed, summary }) => (consumed, Some(Ok(summary))),
            Ok(Step::Failed { consumed, error, .. }) => (consumed, Some(Err(server_fault(&error.to_owned())))),
            Ok(Step::LocalInfile { .. }) => {
                (0, Some(Err(Fault::Protocol("the server asks for a local file, which is refused".into()))))
            }
            Err(malformed) => (0, Some(Err(protocol(malformed)))),
        };
        self.conversation.line.consume(consumed);
        match (wrong, end) {
            (Some(malformed), _) => Some(Err(protocol(malformed))),
            (None, Some(Ok(summary))) => Some(Ok(self.answer(&summary))),
            (None, Some(Err(fault))) => Some(Err(fault)),
            (None, None) => None,
        }
    }

    #[inline]
    fn answer(&mut self, summary: &Summary) -> Answer {
        let prepared = match (summary.prepared, self.now.preparing.take()) {
            (Some(prepared), Some(statement)) => {
                self.conversation.statements.push(Some(Statement { id: prepared.statement, ..statement }));
                Some(Prepared(self.conversation.statements.len() as u32 - 1))
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
        self.ledger.answered(self.now.class, &answer, summary.bytes, Nanos(clock::now().0 - self.now.started.0));
        answer
    }

    fn failed(&mut self, fault: Fault) -> Fault {
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
            started: clock::now(),
            statement: None,
            preparing: None,
            sent: false,
            silent: false,
        };
        if want == Want::Keep {
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
            let polled = if self.now.sent {
                self.conversation.line.poll_receive(cx)
            } else {
                self.conversation.line.poll_exchange(cx)
            };
            match polled {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(_)) => self.now.sent = true,
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

    fn unexpected(&mut self, class: Class) {
        self.ledger.unexpected(class);
    }

    fn start_reconnect(&mut self) {
        let opening = Rc::clone(&self.opening);
        self.reopening = Some(Box::pin(async move { redial(&opening).await }));
    }

    fn poll_reconnect(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        let reopening = self.reopening.as_mut().expect("a reconnect is polled after it was started");
        let Poll::Ready(outcome) = reopening.as_mut().poll(cx) else { return Poll::Pending };
        self.reopening = None;
        Poll::Ready(outcome.map(|conversation| {
            self.conversation = conversation;
            self.ledger.reconnected();
            self.opening.setup.iter().for_each(|_| self.ledger.asked());
        }))
    }
}

/// A new conversation with its setup said.
async fn redial(opening: &Rc<Opening>) -> Result<Conversation, Fault> {
    Session::open(Rc::clone(opening), ()).await.map(|session| session.conversation)
}

impl Pending {
    fn idle() -> Self {
        Self {
            class: Class(0),
            want: Want::Count,
            started: Nanos(0),
            statement: None,
            preparing: None,
            sent: false,
            silent: false,
        }
    }
}

/// Decodes every cell of an answer as it is read.
struct Reading<'s> {
    /// Types of the columns of an executed statement.
    types: Option<&'s mut Vec<ColumnType>>,
    preparing: Option<&'s mut Statement>,
    keep: Option<&'s mut Kept>,
    wrong: Option<Malformed>,
}

impl Visitor for Reading<'_> {
    fn result_set(&mut self, columns: usize) {
        if let Some(kept) = &mut self.keep {
            kept.clear(columns);
        }
    }

    fn column(&mut self, index: usize, definition: Definition<'_>) {
        let types = match (&mut self.preparing, &mut self.types) {
            (Some(statement), _) => &mut statement.columns,
            (None, Some(types)) => types,
            (None, None) => return,
        };
        match definition.column_type() {
            Ok(t) if index < types.len() => types[index] = t,
            Ok(t) => types.push(t),
            Err(malformed) => self.wrong = Some(malformed),
        }
    }

    #[inline]
    fn row(&mut self, row: Row<'_>) {
        if let Err(malformed) = self.decode(row) {
            self.wrong.get_or_insert(malformed);
        }
    }
}

impl Reading<'_> {
    #[inline]
    fn decode(&mut self, row: Row<'_>) -> Result<(), Malformed> {
        match row {
            Row::Text(text) => {
                for cell in text.cells() {
                    let cell = cell?;
                    if let Some(kept) = &mut self.keep {
                        kept.push(cell.map_or(Cell::Null, Cell::Bytes));
                    }
                }
            }
            Row::Binary(binary) => {
                let types = self.types.as_deref().map_or(&[][..], Vec::as_slice);
                for cell in binary.cells(types)? {
                    let cell = cell?;
                    if let Some(kept) = &mut self.keep {
                        keep(kept, cell);
                    }
                }
            }
        }
        Ok(())
    }
}

fn keep(kept: &mut Kept, cell: WireCell<'_>) {
    match cell {
        WireCell::Null => kept.push(Cell::Null),
        WireCell::I64(n) => kept.push(Cell::Int(n)),
        WireCell::U64(n) => kept.push(Cell::UInt(n)),
        WireCell::F32(x) => kept.push(Cell::Real(f64::from(x))),
        WireCell::F64(x) => kept.push(Cell::Real(x)),
        WireCell::Bytes(b) => kept.push(Cell::Bytes(b)),
        WireCell::DateTime(t) => kept.push(Cell::Bytes(t.to_string().as_bytes())),
        WireCell::Time(t) => kept.push(Cell::Bytes(t.to_string().as_bytes())),
    }
}

/// The class of a parameter's type: two executes with equal classes need no types in between.
fn class_of(param: &Param<'_>) -> u8 {
    match param {
        Param::Null => 0,
        Param::Int(_) => 1,
        Param::Real(_) => 2,
        Param::Bytes(_) => 3,
    }
}

#[inline]
fn encode_execute(out: &mut Vec<u8>, statement: &mut Statement, params: &[Param<'_>]) -> u8 {
    let same = statement.bound.as_ref().is_some_and(|b| b.iter().copied().eq(params.iter().map(class_of)));
    let types = if same { Types::Bound } else { Types::Sent };
    if !same {
        statement.bound = Some(params.iter().map(class_of).collect());
    }
    if params.len() <= STACK_PARAMS {
        let mut converted = [WireParam::Null; STACK_PARAMS];
        for (to, from) in converted.iter_mut().zip(params) {
            *to = convert(from);
        }
        execute::execute(out, statement.id, &converted[..params.len()], types)
    } else {
        execute::execute(out, statement.id, &params.iter().map(convert).collect::<Vec<_>>(), types)
    }
}

#[inline]
fn convert<'a>(param: &Param<'a>) -> WireParam<'a> {
    match param {
        Param::Null => WireParam::Null,
        Param::Int(n) => WireParam::I64(*n),
        Param::Real(x) => WireParam::F64(*x),
        Param::Bytes(b) => WireParam::Bytes(b),
    }
}

#[cold]
fn server_fault(error: &wire::mysql::ServerError) -> Fault {
    Fault::Server { code: error.number, state: error.sqlstate, message: error.message.clone() }
}

#[cold]
fn protocol(malformed: Malformed) -> Fault {
    Fault::Protocol(malformed.to_string())
}

#[cold]
fn lost(error: &std::io::Error) -> Fault {
    match error.kind() {
        std::io::ErrorKind::TimedOut => Fault::TimedOut,
        std::io::ErrorKind::UnexpectedEof => Fault::Lost("the server closed the connection".into()),
        _ => Fault::Lost(error.to_string()),
    }
}
