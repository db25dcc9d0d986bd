//! Hot path: what a user can say to a store of documents: commands, each a document whose first field is its name, in
//! transactions where the server has them. A command is written as nested slices, so that saying one allocates nothing
//! and this room knows no encoding. Polled as `Sql` is, and for the same reason.

use super::{Answer, Class, Fact, Fault};
use crate::rows::KeptRows;
use std::future::poll_fn;
use std::task::{Context, Poll};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Flag(bool),
    Int32(i32),
    Int64(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
    Document(Fields<'a>),
    Array(&'a [Value<'a>]),
}

pub type Fields<'a> = &'a [(&'a str, Value<'a>)];

/// What not every server has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// Several commands that happen together or not at all.
    pub transactions: bool,
    /// A document that is changed can be answered in part.
    pub parts_of_changed: bool,
}

/// One user's conversation. The columns of kept rows are the fields of documents that a command names.
pub trait Documents {
    fn offers(&self) -> Offers;
    /// What follows, up to a commit or an abort, is one transaction. Where the server has none, nothing happens.
    fn begin(&mut self);
    /// Begins a command; the session must be idle. Documents that are found count as rows, and their fields of these
    /// names are kept; what was changed counts as affected.
    fn start(&mut self, class: Class, command: Fields<'_>, keep: &'static [&'static str]);
    /// Begins the end of the transaction. Where none was begun, its answer is there at once.
    fn start_end(&mut self, class: Class, commits: bool);
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>>;
    /// The rows kept of the last command.
    fn kept(&self) -> &KeptRows;
    /// The wall clock in ms since 1970, at the batch of answers by which the user was woken.
    fn unix_ms(&self) -> u64;
    /// Counts the last answer as one that broke an expectation of the workload.
    fn unexpected(&mut self, class: Class);
    /// Adds to what the workload counts beside its statements.
    fn count(&mut self, fact: Fact, amount: i64);
    /// Ends the conversation and begins a new one; its transaction is gone.
    fn start_reconnect(&mut self);
    fn poll_reconnect(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>>;
}

impl dyn Documents + '_ {
    /// To what was started.
    pub async fn answer(&mut self) -> Result<Answer, Fault> {
        poll_fn(|cx| self.poll_answer(cx)).await
    }
    pub async fn commit(&mut self, class: Class) -> Result<Answer, Fault> {
        self.start_end(class, true);
        self.answer().await
    }
    pub async fn abort(&mut self, class: Class) -> Result<Answer, Fault> {
        self.start_end(class, false);
        self.answer().await
    }
    pub async fn reconnect(&mut self) -> Result<(), Fault> {
        self.start_reconnect();
        poll_fn(|cx| self.poll_reconnect(cx)).await
    }
}
