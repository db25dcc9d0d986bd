//! Hot path: what a user can say to a database, without saying how the bytes travel. A workload is written against
//! this trait in straight lines; the lab implements it over its executor. The trait is polled rather than `async` so
//! that it can be a trait object (one user is one boxed future, allocated once), and the sugar below it is what
//! workloads use.

pub mod documents;
pub mod key_value;

use crate::rows::KeptRows;
use model::errors;
use model::protocol::Protocol;
use model::units::Nanos;
use std::future::poll_fn;
use std::task::{Context, Poll};

/// A class of statements that are counted and timed together: an index into the workload's `statements()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class(pub u16);

/// Something that users count beside their statements: an index into the workload's `facts()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact(pub u16);

/// A statement that this session has prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared(pub u32);

/// A bound parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Param<'a> {
    Null,
    Int(i64),
    Real(f64),
    /// A number with all its digits, as it is written: told as text it would be rounded as a floating one is.
    Decimal(&'a [u8]),
    Bytes(&'a [u8]),
}

/// What to do with returned rows. They are always parsed and counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Count,
    /// Keep them for reading until the next request.
    Keep,
    /// Keep those from this one on, counted from 0: whoever only wants the end of a long answer pays for no more.
    KeepFrom(u64),
    /// Keep the rows of each result, where an answer has several; the others keep those of the last that has rows.
    KeepEach,
}

impl Want {
    /// The first row that is kept.
    #[inline]
    pub fn first_kept(self) -> Option<u64> {
        match self {
            Self::Count => None,
            Self::Keep | Self::KeepEach => Some(0),
            Self::KeepFrom(row) => Some(row),
        }
    }
}

/// One request of a user.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// A statement as text.
    Text(&'a str),
    Prepare(&'a str),
    Execute(Prepared, &'a [Param<'a>]),
    Close(Prepared),
}

/// The end of a successful answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub rows: u64,
    pub affected: u64,
    pub last_insert_id: u64,
    pub warnings: u16,
    /// Handle of a statement just prepared.
    pub prepared: Option<Prepared>,
}

/// How the loss begins of a conversation with a host that has no address; its name is behind it, and the reason behind
/// a colon.
pub const NO_ADDRESS: &str = "no address is known of the host ";

/// How a request can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The server refused, by error number and SQLSTATE; the number is 0 where servers have only the other.
    Server { code: u16, state: [u8; 5], message: String },
    /// The conversation broke.
    Lost(String),
    /// No answer within the load's deadline; the conversation is unusable.
    TimedOut,
    /// The server said something that the protocol does not allow.
    Protocol(String),
    /// The conversation could not begin as it was wanted: no encryption, an untrusted certificate, an unknown way to
    /// authenticate. Trying again does not help; the sentence says what does.
    Unopened(String),
    /// The run was told to stop.
    Stopped,
    /// A script ended in an error of its own.
    Script(String),
    /// What lies there, or was asked for, is not what the work needs. Trying again does not help; the sentence says
    /// what does.
    Refused(String),
}

impl Fault {
    /// The number under which it is counted: the server's, or one of ours below 1000 where servers have none.
    pub fn number(&self) -> u32 {
        match self {
            Self::Server { code: 0, state, .. } => errors::of_state(state),
            Self::Server { code, .. } => u32::from(*code),
            Self::Lost(_) => 0,
            Self::TimedOut => 1,
            Self::Protocol(_) => 2,
            Self::Stopped => 3,
            Self::Unopened(_) => 4,
            Self::Script(_) => 5,
            Self::Refused(_) => 6,
        }
    }
    /// Whether the session can go on after it.
    pub fn session_survives(&self) -> bool {
        match self {
            Self::Server { .. } | Self::Script(_) | Self::Refused(_) => true,
            Self::Lost(_) | Self::TimedOut | Self::Protocol(_) | Self::Unopened(_) | Self::Stopped => false,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Server { code, state, message } => {
                let state = String::from_utf8_lossy(state);
                if *code == 0 {
                    write!(f, "{state}: {message}")
                } else {
                    write!(f, "error {code} ({state}): {message}")
                }
            }
            Self::Lost(why) => write!(f, "connection lost: {why}"),
            Self::TimedOut => f.write_str("no answer within the deadline"),
            Self::Protocol(what) => write!(f, "malformed answer: {what}"),
            Self::Unopened(why) | Self::Script(why) | Self::Refused(why) => f.write_str(why),
            Self::Stopped => f.write_str("the run was stopped"),
        }
    }
}
impl std::error::Error for Fault {}

/// One user's authenticated conversation in SQL.
pub trait Sql {
    /// Whose SQL it is.
    fn dialect(&self) -> Protocol {
        Protocol::MySql
    }
    /// The way to say several executions before the first is answered, where the protocol has one.
    fn pipeline(&mut self) -> Option<&mut (dyn Pipeline + '_)> {
        None
    }
    /// Begins a request; the session must be idle. The answer is counted and timed under `class`.
    fn start(&mut self, class: Class, request: Request<'_>, want: Want);
    /// Sends what was started, and not with everybody else's, so that its user works while the server does. Its answer
    /// must be polled for as ever.
    fn send_now(&mut self) {}
    /// Drives the request to its answer.
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>>;
    /// Rows of the last answer that was asked for with `Want::Keep`.
    fn kept(&self) -> &KeptRows;
    /// The same for whoever keeps them longer: they are in `into`, and what that held may be in the session's own.
    fn take_kept(&mut self, into: &mut KeptRows) {
        into.copy(self.kept());
    }
    /// The wall clock in ms since 1970, at the batch of answers by which the user was woken.
    fn unix_ms(&self) -> u64;
    /// Counts the last answer as one that broke an expectation of the workload.
    fn unexpected(&mut self, class: Class);
    /// Adds to what the workload counts beside its statements.
    fn count(&mut self, fact: Fact, amount: i64);
    /// Ends the conversation, with a goodbye where it is whole, and begins a new one; prepared statements are gone.
    fn start_reconnect(&mut self);
    fn poll_reconnect(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>>;
}

/// Executions that travel behind each other, and answers that come in their order.
pub trait Pipeline {
    /// Says one behind those that lie there; nothing is sent yet.
    fn add(&mut self, class: Class, statement: Prepared, params: &[Param<'_>], want: Want);
    /// Sends what lies there and drives it to the next answer, whose time runs from the first that was added. A refusal
    /// ends only its own execution: as many answers come as were added, unless the session is lost.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>>;
}

/// Sessions that their user opens and closes itself, as many as it likes. They go by numbers, and one that was closed
/// leaves its number to another.
pub trait Sessions {
    /// Begins to open one by that driver, `mysql` or `pgsql`.
    fn start_open(&mut self, driver: &str);
    fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<Result<usize, Fault>>;
    fn at(&mut self, session: usize) -> &mut (dyn Sql + '_);
    /// Begins to leave it, with a goodbye where it is whole.
    fn start_close(&mut self, session: usize);
    fn poll_close(&mut self, cx: &mut Context<'_>) -> Poll<()>;
    /// Where sessions of that driver are opened, for whoever is told that one was not.
    fn place(&self, driver: &str) -> String;
    /// The schema that sessions of that driver begin in.
    fn schema(&self, driver: &str) -> Option<&str>;
    /// A sleep of no time lets everybody else have a turn.
    fn start_sleep(&mut self, time: Nanos);
    fn poll_sleep(&mut self, cx: &mut Context<'_>) -> Poll<()>;
    /// The clock read anew, for a user who worked since it last waited: what it ends and begins next is at this moment.
    fn look(&mut self) -> Nanos;
    /// Adds to what the workload counts beside its statements.
    fn count(&mut self, fact: Fact, amount: i64);
}

impl dyn Sessions + '_ {
    pub async fn open(&mut self, driver: &str) -> Result<usize, Fault> {
        self.start_open(driver);
        poll_fn(|cx| self.poll_open(cx)).await
    }
    pub async fn close(&mut self, session: usize) {
        self.start_close(session);
        poll_fn(|cx| self.poll_close(cx)).await;
    }
    pub async fn sleep(&mut self, time: Nanos) {
        self.start_sleep(time);
        poll_fn(|cx| self.poll_sleep(cx)).await;
    }
}

impl dyn Sql + '_ {
    async fn ask(&mut self, class: Class, request: Request<'_>, want: Want) -> Result<Answer, Fault> {
        self.start(class, request, want);
        self.answer().await
    }
    /// What was started, to its end.
    pub async fn answer(&mut self) -> Result<Answer, Fault> {
        poll_fn(|cx| self.poll_answer(cx)).await
    }
    pub async fn query(&mut self, class: Class, sql: &str) -> Result<Answer, Fault> {
        self.ask(class, Request::Text(sql), Want::Count).await
    }
    /// A query whose rows are kept for reading.
    pub async fn read(&mut self, class: Class, sql: &str) -> Result<Answer, Fault> {
        self.say(class, sql, Want::Keep).await
    }
    /// A query of whose rows these are kept.
    pub async fn say(&mut self, class: Class, sql: &str, want: Want) -> Result<Answer, Fault> {
        self.ask(class, Request::Text(sql), want).await
    }
    pub async fn prepare(&mut self, class: Class, sql: &str) -> Result<Prepared, Fault> {
        let answer = self.ask(class, Request::Prepare(sql), Want::Count).await?;
        answer.prepared.ok_or_else(|| Fault::Protocol("a prepare was answered without a statement".into()))
    }
    pub async fn execute(&mut self, class: Class, statement: Prepared, params: &[Param<'_>]) -> Result<Answer, Fault> {
        self.ask(class, Request::Execute(statement, params), Want::Count).await
    }
    pub async fn execute_reading(
        &mut self,
        class: Class,
        statement: Prepared,
        params: &[Param<'_>],
    ) -> Result<Answer, Fault> {
        self.run(class, statement, params, Want::Keep).await
    }
    /// An execution of whose rows these are kept.
    pub async fn run(
        &mut self,
        class: Class,
        statement: Prepared,
        params: &[Param<'_>],
        want: Want,
    ) -> Result<Answer, Fault> {
        self.ask(class, Request::Execute(statement, params), want).await
    }
    pub async fn close(&mut self, class: Class, statement: Prepared) -> Result<Answer, Fault> {
        self.ask(class, Request::Close(statement), Want::Count).await
    }
    pub async fn reconnect(&mut self) -> Result<(), Fault> {
        self.start_reconnect();
        poll_fn(|cx| self.poll_reconnect(cx)).await
    }
}
