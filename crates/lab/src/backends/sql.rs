//! Hot path: what a session of SQL is whichever protocol carries it: a request is encoded into the channel's outgoing
//! buffer, its answer is read where it arrived, and its time runs from the batch of answers that its user was woken by
//! to the batch that brought its last byte. Here are the polling, the counting and the opening anew; each protocol says
//! how it encodes and reads.

use super::channel::Channel;
use super::faults::lost;
use super::opening::Opening;
use super::reopening::{Dialing, Reopening};
use crate::load::ledger::{Ledger, Opened};
use crate::os::clock;
use model::protocol::Protocol;
use model::units::Nanos;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use workload::rows::KeptRows;
use workload::session::{Answer, Class, Fact, Fault, Pipeline, Request, Sql, Want};

/// Setup belongs to no class of the workload: its ledger entries are not wanted.
const SETUP: Class = Class(u16::MAX);

/// What is new after every connect, in one protocol, and what is said in it.
pub trait Conversing: Sized + 'static {
    /// What only this protocol remembers of the request under way.
    type Asked: Default;
    /// Whose SQL is said in it.
    const DIALECT: Protocol;

    /// Connects, logs in and says what every conversation begins with.
    fn dial(opening: &Opening) -> impl Future<Output = Result<Self, Fault>>;
    fn channel(&self) -> &Channel;
    fn channel_mut(&mut self) -> &mut Channel;
    /// From the wish to connect until the server let us in.
    fn connect_time(&self) -> Nanos;
    fn encode<L: Ledger>(session: &mut Session<Self, L>, request: Request<'_>);
    /// Reads what has arrived; `None` when more must come.
    fn read<L: Ledger>(session: &mut Session<Self, L>) -> Option<Result<Answer, Fault>>;
    /// Whether the request has no answer: its bytes travel with the next.
    fn is_silent(asked: &Self::Asked) -> bool;
    /// The request under way failed.
    fn failed(&mut self, asked: &Self::Asked);
    fn say_goodbye<L: Ledger>(&mut self, ledger: &L);
    /// See `Sql::pipeline`.
    fn pipeline<L: Ledger>(_: &mut Session<Self, L>) -> Option<&mut (dyn Pipeline + '_)> {
        None
    }
}

pub struct Session<C: Conversing, L: Ledger> {
    pub(crate) conversation: C,
    opening: Rc<Opening>,
    pub(crate) reopening: Reopening<C>,
    /// A goodbye was said, and the server has not hung up yet.
    leaving: bool,
    pub(crate) ledger: L,
    pub(crate) now: Pending<C::Asked>,
    pub(crate) kept: KeptRows,
    /// The wall clock less the lab's.
    unix_at_boot: Nanos,
}

/// The request under way.
pub(crate) struct Pending<A> {
    pub(crate) class: Class,
    pub(crate) want: Want,
    /// Rows that are still to come before the first that is kept.
    pub(crate) skip: u64,
    pub(crate) started: Nanos,
    /// How often something was received; nothing was sent before the first.
    pub(crate) pieces: u32,
    pub(crate) asked: A,
}

impl<C: Conversing, L: Ledger> Session<C, L> {
    pub async fn open(opening: Rc<Opening>, ledger: L) -> Result<Self, Fault> {
        let conversation = C::dial(&opening).await?;
        let now = Pending {
            class: SETUP,
            want: Want::Count,
            skip: 0,
            started: Nanos(0),
            pieces: 0,
            asked: C::Asked::default(),
        };
        let mut session = Self {
            conversation,
            opening,
            reopening: Reopening::default(),
            leaving: false,
            ledger,
            now,
            kept: KeptRows::default(),
            unix_at_boot: clock::unix_at_boot(),
        };
        session.ledger.connected(session.conversation.connect_time(), Opened::ByWish);
        let opening = Rc::clone(&session.opening);
        for sql in &opening.setup {
            (&mut session as &mut dyn Sql).query(SETUP, sql).await?;
        }
        Ok(session)
    }

    /// Says goodbye, so that the server does not count an aborted client, and waits for it to hang up.
    pub async fn quit(mut self) {
        self.say_goodbye();
        let _ = self.conversation.channel_mut().exchange().await;
    }

    fn say_goodbye(&mut self) {
        self.conversation.channel_mut().outgoing().clear();
        self.conversation.say_goodbye(&self.ledger);
    }

    /// Each statement of a text is a question of its own.
    #[inline]
    pub(crate) fn count_others(&self, results: u32) {
        (0..results).for_each(|_| self.ledger.asked());
    }

    /// The answer ended with the piece that was received last.
    #[inline]
    pub(crate) fn answered(&self, answer: &Answer, bytes: u64) {
        let channel = self.conversation.channel();
        let ended = if self.now.pieces == 1 { channel.moment() } else { channel.moment_of_last_piece() };
        self.ledger.answered(self.now.class, answer, bytes, Nanos(ended.0 - self.now.started.0));
    }

    pub(crate) fn failed(&mut self, fault: Fault) -> Fault {
        self.reopening.broken |= !fault.session_survives();
        self.conversation.failed(&self.now.asked);
        self.ledger.refused(self.now.class, &fault);
        fault
    }
}

impl<C: Conversing, L: Ledger> Sql for Session<C, L> {
    fn dialect(&self) -> Protocol {
        C::DIALECT
    }

    fn pipeline(&mut self) -> Option<&mut (dyn Pipeline + '_)> {
        C::pipeline(self)
    }

    #[inline]
    fn start(&mut self, class: Class, request: Request<'_>, want: Want) {
        let started = self.conversation.channel().moment();
        let skip = want.first_kept().unwrap_or(0);
        self.now = Pending { class, want, skip, started, pieces: 0, asked: C::Asked::default() };
        if want.first_kept().is_some() {
            self.kept.clear(0);
        }
        C::encode(self, request);
    }

    fn send_now(&mut self) {
        self.conversation.channel_mut().send_now();
    }

    #[inline]
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        if C::is_silent(&self.now.asked) {
            return Poll::Ready(Ok(Answer::default()));
        }
        loop {
            let channel = self.conversation.channel_mut();
            let polled = if self.now.pieces == 0 { channel.poll_exchange(cx) } else { channel.poll_receive(cx) };
            match polled {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(_)) => self.now.pieces = self.now.pieces.saturating_add(1),
                Poll::Ready(Err(e)) => return Poll::Ready(Err(self.failed(lost(&e)))),
            }
            match C::read(self) {
                None => {}
                Some(Ok(answer)) => return Poll::Ready(Ok(answer)),
                Some(Err(fault)) => return Poll::Ready(Err(self.failed(fault))),
            }
        }
    }

    fn kept(&self) -> &KeptRows {
        &self.kept
    }

    fn take_kept(&mut self, into: &mut KeptRows) {
        std::mem::swap(&mut self.kept, into);
    }

    fn unix_ms(&self) -> u64 {
        (self.unix_at_boot.0 + self.conversation.channel().moment().0) / 1_000_000
    }

    fn unexpected(&mut self, class: Class) {
        self.ledger.unexpected(class);
    }

    fn count(&mut self, fact: Fact, amount: i64) {
        self.ledger.counted(fact, amount);
    }

    fn start_reconnect(&mut self) {
        if !self.reopening.broken {
            self.say_goodbye();
        }
        self.leaving = !self.reopening.broken;
    }

    fn poll_reconnect(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        if self.leaving && self.conversation.channel_mut().poll_exchange(cx).is_pending() {
            return Poll::Pending;
        }
        self.leaving = false;
        let dial = || -> Dialing<_> {
            let opening = Rc::clone(&self.opening);
            Box::pin(async move { redial(&opening).await })
        };
        let (conversation, opened) = ready!(self.reopening.poll(cx, dial))?;
        self.ledger.connected(conversation.connect_time(), opened);
        self.opening.setup.iter().for_each(|_| self.ledger.asked());
        self.conversation = conversation;
        Poll::Ready(Ok(()))
    }
}

/// A new conversation with its setup said.
async fn redial<C: Conversing>(opening: &Rc<Opening>) -> Result<C, Fault> {
    loop {
        match (Session::open(Rc::clone(opening), ()).await, &opening.again) {
            (Ok(session), _) => return Ok(session.conversation),
            (Err(_), Some(again)) if again().await => {}
            (Err(fault), _) => return Err(fault),
        }
    }
}
