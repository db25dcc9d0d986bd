//! Hot path: a session past SQL over one channel: requests are encoded behind each other into its outgoing buffer, sent
//! together, and answers are read where they arrived, in their order. A request's time runs from the moment its batch
//! was begun to the batch of completions that brought its last byte. After the first batches nothing is allocated. A
//! refusal ends only its own request; what is malformed ends the conversation.

pub mod answers;
pub(crate) mod batch;
pub mod control;
mod opening;
mod protocol;
pub mod users;

pub use opening::{KeyEndpoint, Opening};
pub use protocol::{KeyProtocol, Keys};

use super::channel::Channel;
use super::faults::lost;
use super::reopening::{Dialing, Reopening};
use crate::load::ledger::{Ledger, Opened};
use batch::{Notes, Read, Request};
use model::units::Nanos;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use workload::rows::KeptRows;
use workload::session::key_value::KeyValue;
use workload::session::{Answer, Class, Fact, Fault, Want};

pub struct Session<L: Ledger> {
    channel: Channel,
    opening: Rc<Opening>,
    reopening: Reopening<(Channel, Nanos)>,
    ledger: L,
    /// The batch, and its first request that is not yet answered.
    batch: Vec<Request>,
    next: usize,
    /// Nothing was sent before the first piece was received.
    pieces: u32,
    started: Nanos,
    sum: Answer,
    refusal: Option<Fault>,
    notes: Notes,
}

impl<L: Ledger> Session<L> {
    pub async fn open(opening: Rc<Opening>, ledger: L) -> Result<Self, Fault> {
        let (channel, time) = opening::dial(&opening).await?;
        ledger.connected(time, Opened::ByWish);
        Ok(Self {
            channel,
            opening,
            reopening: Reopening::default(),
            ledger,
            batch: Vec::new(),
            next: 0,
            pieces: 0,
            started: Nanos(0),
            sum: Answer::default(),
            refusal: None,
            notes: Notes::default(),
        })
    }

    /// A batch begins with its first request.
    #[inline]
    fn begin(&mut self) {
        if self.batch.is_empty() {
            (self.next, self.pieces, self.sum) = (0, 0, Answer::default());
            self.started = self.channel.moment();
            self.notes.keys.clear();
            self.notes.kept.clear(2);
        }
    }

    /// Reads what has arrived; whether all of the batch is answered.
    #[inline]
    fn read(&mut self) -> Result<bool, Fault> {
        let mut taken = 0;
        let mut ended = None;
        while let Some(request) = self.batch.get_mut(self.next) {
            let bytes = &self.channel.incoming()[taken..];
            let read = self.opening.endpoint.protocol.read(bytes, request, &mut self.notes)?;
            let consumed = match &read {
                Read::Incomplete => break,
                Read::Part(n) | Read::End(n) | Read::Refused(n, _) => *n,
            };
            taken += consumed;
            request.bytes += consumed as u64;
            match read {
                Read::Incomplete | Read::Part(_) => continue,
                Read::Refused(_, fault) => {
                    self.ledger.refused(request.class, &fault);
                    self.refusal.get_or_insert(fault);
                }
                Read::End(_) => {
                    let channel = &self.channel;
                    let now = *ended.get_or_insert_with(|| match self.pieces {
                        1 => channel.moment(),
                        _ => channel.moment_of_last_piece(),
                    });
                    let answer = Answer { rows: request.found, affected: request.written, ..Answer::default() };
                    self.ledger.answered(request.class, &answer, request.bytes, Nanos(now.0 - self.started.0));
                    self.sum.rows += answer.rows;
                    self.sum.affected += answer.affected;
                }
            }
            self.next += 1;
        }
        self.channel.consume(taken);
        Ok(self.next == self.batch.len())
    }

    /// Adds to the batch that a key is taken away: by the lab only, and only in memcached's protocol.
    fn delete(&mut self, class: Class, key: u64) {
        self.begin();
        self.opening.endpoint.protocol.delete(self.channel.outgoing(), key);
        self.batch.push(Request { class, keys: 0, kept: None, found: 0, written: 0, bytes: 0 });
    }

    #[cold]
    fn failed(&mut self, fault: Fault) -> Fault {
        self.reopening.broken = true;
        if let Some(request) = self.batch.get(self.next) {
            self.ledger.refused(request.class, &fault);
        }
        self.batch.clear();
        self.refusal = None;
        fault
    }
}

impl<L: Ledger> KeyValue for Session<L> {
    #[inline]
    fn get(&mut self, class: Class, keys: &[u64], want: Want) {
        self.begin();
        self.opening.endpoint.protocol.get(self.channel.outgoing(), keys);
        let kept = want.first_kept().map(|_| self.notes.keys.len());
        if kept.is_some() {
            self.notes.keys.extend_from_slice(keys);
        }
        self.batch.push(Request { class, keys: keys.len(), kept, found: 0, written: 0, bytes: 0 });
    }

    #[inline]
    fn set(&mut self, class: Class, key: u64, value: &[u8]) {
        self.begin();
        self.opening.endpoint.protocol.set(self.channel.outgoing(), key, value, &mut self.notes);
        self.batch.push(Request { class, keys: 0, kept: None, found: 0, written: 0, bytes: 0 });
    }

    #[inline]
    fn poll_answers(&mut self, cx: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        while !self.batch.is_empty() {
            let polled = if self.pieces == 0 { self.channel.poll_exchange(cx) } else { self.channel.poll_receive(cx) };
            match polled {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(_)) => self.pieces = self.pieces.saturating_add(1),
                Poll::Ready(Err(e)) => return Poll::Ready(Err(self.failed(lost(&e)))),
            }
            match self.read() {
                Ok(false) => {}
                Ok(true) => self.batch.clear(),
                Err(fault) => return Poll::Ready(Err(self.failed(fault))),
            }
        }
        Poll::Ready(match self.refusal.take() {
            None => Ok(self.sum),
            Some(fault) => Err(fault),
        })
    }

    fn kept(&self) -> &KeptRows {
        &self.notes.kept
    }

    #[cold]
    fn unexpected(&mut self, class: Class, answers: u64) {
        (0..answers).for_each(|_| self.ledger.unexpected(class));
    }

    fn count(&mut self, fact: Fact, amount: i64) {
        self.ledger.counted(fact, amount);
    }

    fn start_reconnect(&mut self) {
        self.batch.clear();
        self.refusal = None;
    }

    fn poll_reconnect(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        let dial = || -> Dialing<_> {
            let opening = Rc::clone(&self.opening);
            Box::pin(async move { opening::dial(&opening).await })
        };
        let ((channel, time), opened) = ready!(self.reopening.poll(cx, dial))?;
        self.ledger.connected(time, opened);
        self.channel = channel;
        Poll::Ready(Ok(()))
    }
}
