//! How a session comes back: a conversation that broke, or that its user gives up on purpose, is followed by a new one
//! over a fresh line, whatever is spoken on it.

use crate::load::ledger::Opened;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use workload::session::Fault;

/// What dials, until it has a conversation.
pub(crate) type Dialing<C> = Pin<Box<dyn Future<Output = Result<C, Fault>>>>;

pub(crate) struct Reopening<C> {
    dialing: Option<Dialing<C>>,
    /// The conversation broke: there is nobody to say goodbye to.
    pub(crate) broken: bool,
}

impl<C> Default for Reopening<C> {
    fn default() -> Self {
        Self { dialing: None, broken: false }
    }
}

impl<C> Reopening<C> {
    /// The new conversation, with what it follows. One that could not be had leaves the old one as it was.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        dial: impl FnOnce() -> Dialing<C>,
    ) -> Poll<Result<(C, Opened), Fault>> {
        let outcome = ready!(self.dialing.get_or_insert_with(dial).as_mut().poll(cx));
        self.dialing = None;
        Poll::Ready(outcome.map(|conversation| {
            let broke = std::mem::take(&mut self.broken);
            (conversation, if broke { Opened::AfterBreak } else { Opened::ByWish })
        }))
    }
}
