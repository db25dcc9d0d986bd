//! Hot path: what a user can say to a store of keys and values, without saying which protocol carries it: gets of one
//! key or many and sets, as many of them in one batch as the user likes. Polled as `Sql` is, and for the same reason.
//! Keys are whole numbers, because a table with an integer key has no others and every endpoint must be asked for the
//! very same rows.

use super::{Answer, Class, Fact, Fault, Want};
use crate::rows::KeptRows;
use std::future::poll_fn;
use std::task::{Context, Poll};

/// One user's conversation.
pub trait KeyValue {
    /// Adds a get of these keys to the batch. Its answer counts as rows what was there; with `Want::Keep` those are
    /// kept as key and value.
    fn get(&mut self, class: Class, keys: &[u64], want: Want);
    /// Adds a write of this value to the batch. Its answer counts as affected when the store says that it was done.
    fn set(&mut self, class: Class, key: u64, value: &[u8]);
    /// Sends the batch and drives it to its last answer. Each answer was counted and timed under its class; this is
    /// their sum.
    fn poll_answers(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>>;
    /// What was kept of the last batch.
    fn kept(&self) -> &KeptRows;
    /// Counts so many answers that broke an expectation of the workload.
    fn unexpected(&mut self, class: Class, answers: u64);
    /// Adds to what the workload counts beside its statements.
    fn count(&mut self, fact: Fact, amount: i64);
    /// Ends the conversation and begins a new one; a batch that was not sent is forgotten.
    fn start_reconnect(&mut self);
    fn poll_reconnect(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>>;
}

impl dyn KeyValue + '_ {
    pub async fn answers(&mut self) -> Result<Answer, Fault> {
        poll_fn(|cx| self.poll_answers(cx)).await
    }
    pub async fn reconnect(&mut self) -> Result<(), Fault> {
        self.start_reconnect();
        poll_fn(|cx| self.poll_reconnect(cx)).await
    }
}
