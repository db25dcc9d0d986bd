//! Hot path: a session in MongoDB's protocol over one channel: a command is encoded into its outgoing buffer, its reply
//! is read where it arrived, field by field. A command's time runs from the batch of answers that its user was woken by
//! to the batch that brought its last byte. Transactions are marked on the commands themselves, as drivers do, and only
//! where the server has them. After the first answers nothing is allocated.

pub mod control;
mod opening;
mod reading;
mod saying;

pub use opening::{Account, DocumentEndpoint, Opening, Store};

use crate::backends::channel::Channel;
use crate::backends::faults::{lost, protocol};
use crate::backends::reopening::{Dialing, Reopening};
use crate::load::ledger::{Ledger, Opened};
use crate::os::clock;
use model::units::Nanos;
use opening::Conversation;
use saying::{Marks, Transaction};
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use wire::mongodb::login::ADMIN;
use workload::rows::KeptRows;
use workload::session::documents::{Documents, Fields, Offers, Value};
use workload::session::{Answer, Class, Fact, Fault};

pub struct Session<L: Ledger> {
    channel: Channel,
    opening: Rc<Opening>,
    reopening: Reopening<Conversation>,
    ledger: L,
    now: Pending,
    /// The number of the last request.
    number: i32,
    marks: Marks,
    kept: KeptRows,
    /// The wall clock less the lab's.
    unix_at_boot: Nanos,
}

/// The command under way.
struct Pending {
    class: Class,
    keep: &'static [&'static str],
    started: Nanos,
    /// How often something was received; nothing was sent before the first.
    pieces: u32,
    /// There was nothing to say, and there is nothing to wait for.
    silent: bool,
}

impl<L: Ledger> Session<L> {
    pub async fn open(opening: Rc<Opening>, ledger: L) -> Result<Self, Fault> {
        let Conversation { channel, connect_time, .. } = opening::dial(&opening).await?;
        ledger.connected(connect_time, Opened::ByWish);
        let idle = Pending { class: Class(0), keep: &[], started: Nanos(0), pieces: 0, silent: true };
        Ok(Self {
            channel,
            opening,
            reopening: Reopening::default(),
            ledger,
            now: idle,
            number: 0,
            marks: Marks::new()?,
            kept: KeptRows::default(),
            unix_at_boot: clock::unix_at_boot(),
        })
    }

    fn say(&mut self, class: Class, command: Fields<'_>, schema: &str, keep: &'static [&'static str]) {
        self.number = self.number.wrapping_add(1);
        let started = self.channel.moment();
        self.now = Pending { class, keep, started, pieces: 0, silent: false };
        let marks = &mut self.marks;
        wire::mongodb::request(self.channel.outgoing(), self.number, |out| {
            saying::fields(command, out);
            marks.write(out);
            out.text("$db", schema);
        });
        self.ledger.asked();
    }

    /// Reads what has arrived; `None` when more must come.
    #[inline]
    fn read(&mut self) -> Result<Option<Result<Answer, Fault>>, Fault> {
        let Some(heard) = wire::mongodb::hear(self.channel.incoming()).map_err(protocol)? else { return Ok(None) };
        if heard.answers != self.number {
            return Err(Fault::Protocol(format!("an answer to request {}, not to {}", heard.answers, self.number)));
        }
        let outcome = reading::answer(heard.body, self.now.keep, &mut self.kept).map_err(protocol)?;
        let consumed = heard.consumed;
        self.channel.consume(consumed);
        let moment = match self.now.pieces {
            1 => self.channel.moment(),
            _ => self.channel.moment_of_last_piece(),
        };
        match &outcome {
            Ok(answer) => {
                let time = Nanos(moment.0 - self.now.started.0);
                self.ledger.answered(self.now.class, answer, consumed as u64, time);
            }
            Err(fault) => self.ledger.refused(self.now.class, fault),
        }
        Ok(Some(outcome))
    }

    #[cold]
    fn failed(&mut self, fault: Fault) -> Fault {
        self.reopening.broken = true;
        self.marks.transaction = Transaction::None;
        self.ledger.refused(self.now.class, &fault);
        fault
    }
}

impl<L: Ledger> Documents for Session<L> {
    fn offers(&self) -> Offers {
        self.opening.endpoint.offers
    }

    fn begin(&mut self) {
        if self.opening.endpoint.offers.transactions {
            self.marks.begin();
        }
    }

    #[inline]
    fn start(&mut self, class: Class, command: Fields<'_>, keep: &'static [&'static str]) {
        let opening = Rc::clone(&self.opening);
        self.say(class, command, &opening.endpoint.schema, keep);
    }

    fn start_end(&mut self, class: Class, commits: bool) {
        match self.marks.transaction {
            // One that was begun and has not said anything is not known to the server.
            Transaction::None | Transaction::Begun => {
                self.marks.transaction = Transaction::None;
                self.now.silent = true;
            }
            // Admin ends transactions, whatever they changed.
            Transaction::Open => {
                let name = if commits { "commitTransaction" } else { "abortTransaction" };
                self.say(class, &[(name, Value::Int32(1))], ADMIN, &[]);
                self.marks.transaction = Transaction::None;
            }
        }
    }

    #[inline]
    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        if self.now.silent {
            return Poll::Ready(Ok(Answer::default()));
        }
        loop {
            let polled =
                if self.now.pieces == 0 { self.channel.poll_exchange(cx) } else { self.channel.poll_receive(cx) };
            match polled {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(_)) => self.now.pieces = self.now.pieces.saturating_add(1),
                Poll::Ready(Err(e)) => return Poll::Ready(Err(self.failed(lost(&e)))),
            }
            match self.read() {
                Ok(None) => {}
                Ok(Some(outcome)) => return Poll::Ready(outcome),
                Err(fault) => return Poll::Ready(Err(self.failed(fault))),
            }
        }
    }

    fn kept(&self) -> &KeptRows {
        &self.kept
    }

    #[inline]
    fn unix_ms(&self) -> u64 {
        (self.unix_at_boot.0 + self.channel.moment().0) / 1_000_000
    }

    #[cold]
    fn unexpected(&mut self, class: Class) {
        self.ledger.unexpected(class);
    }

    fn count(&mut self, fact: Fact, amount: i64) {
        self.ledger.counted(fact, amount);
    }

    fn start_reconnect(&mut self) {
        self.marks.transaction = Transaction::None;
    }

    fn poll_reconnect(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        let dial = || -> Dialing<_> {
            let opening = Rc::clone(&self.opening);
            Box::pin(async move { opening::dial(&opening).await })
        };
        let (Conversation { channel, connect_time, .. }, opened) = ready!(self.reopening.poll(cx, dial))?;
        self.ledger.connected(connect_time, opened);
        self.channel = channel;
        Poll::Ready(Ok(()))
    }
}
