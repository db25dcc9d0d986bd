//! What sessions overheard, on its way to the disk: through a queue that is bounded by its bytes, made into statements,
//! put into the order of their ends by holding each back for a moment, and written, by one thread.

use super::overheard::Overheard;
use crate::traces::NewTrace;
use crate::trouble::Trouble;
use model::Nanos;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use trace::conversation::Conversation;
use trace::{Ask, Closing, Item, SessionId};

/// A session hands over what it has at least this often; longer than that, nothing waits for its place.
pub const BATCHED: Nanos = Nanos::from_millis(50);
/// Held back for so long: what is on its way, and a thread that did not run for a while.
const HELD: Nanos = Nanos::from_millis(250);
/// So much may wait for the disk; what comes beyond is lost, and told.
const MOST_BYTES: usize = 64 << 20;
/// What a statement takes beside its text.
const STATEMENT_BYTES: usize = 256;
/// Buffers that are kept to be used again.
const SPARE: usize = 128;
const GAP: &str = "the disk did not keep up with the traffic";

#[derive(Default)]
struct Shared {
    waiting: AtomicUsize,
    failed: AtomicBool,
    late: AtomicU64,
    notes: Mutex<Vec<String>>,
    spare: Mutex<Vec<Overheard>>,
}

impl Shared {
    fn note(&self, note: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}

/// What a session hands over.
struct Heard {
    session: SessionId,
    overheard: Overheard,
    /// Something before it was lost.
    is_behind_gap: bool,
}

/// In their order for each session.
enum Message {
    Begun(SessionId, String),
    Heard(Heard),
    Ended { session: SessionId, at: Nanos, is_behind_gap: bool },
}

/// The writer's thread.
pub struct Writing {
    to: Sender<Message>,
    shared: Arc<Shared>,
    thread: JoinHandle<Result<NewTrace, Trouble>>,
}

/// A session's end of the queue.
pub struct Told {
    to: Sender<Message>,
    shared: Arc<Shared>,
    session: SessionId,
    has_lost: bool,
}

impl Writing {
    pub fn begin(trace: NewTrace) -> Self {
        let (to, from) = channel();
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new().name("trace".into()).spawn(move || {
            let written = write(trace, &from, &theirs);
            theirs.failed.store(written.is_err(), Ordering::Relaxed);
            written
        });
        Self { to, shared, thread: thread.expect("a first thread can be begun") }
    }

    pub fn told(&self, session: SessionId, host: String) -> Told {
        // Nobody takes it once the disk has failed, which ends the capture.
        let _ = self.to.send(Message::Begun(session, host));
        Told { to: self.to.clone(), shared: Arc::clone(&self.shared), session, has_lost: false }
    }

    /// The disk has failed: there is nothing to capture for.
    pub fn has_failed(&self) -> bool {
        self.shared.failed.load(Ordering::Relaxed)
    }

    pub fn note(&self, note: String) {
        self.shared.note(note);
    }

    /// All sessions are over: the trace with what they had.
    pub fn finish(self) -> Result<Closing, Trouble> {
        drop(self.to);
        let mut trace = self.thread.join().expect("writing does not panic")?;
        let late = self.shared.late.load(Ordering::Relaxed);
        if late > 0 {
            trace.note(format!("{late} statements came too late for their place and lie behind later ones."));
        }
        let notes = std::mem::take(&mut *self.shared.notes.lock().unwrap_or_else(PoisonError::into_inner));
        notes.into_iter().for_each(|note| trace.note(note));
        trace.finish()
    }
}

impl Told {
    /// Hands over what was overheard, or loses it where too much waits already. Never waits.
    pub fn hand_over(&mut self, overheard: &mut Overheard) {
        if overheard.is_empty() {
            return;
        }
        let size = overheard.size();
        if self.shared.waiting.load(Ordering::Relaxed) + size > MOST_BYTES {
            self.has_lost = true;
            overheard.clear();
            return;
        }
        self.shared.waiting.fetch_add(size, Ordering::Relaxed);
        let empty = self.shared.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let (session, overheard) = (self.session, std::mem::replace(overheard, empty));
        let is_behind_gap = std::mem::take(&mut self.has_lost);
        let _ = self.to.send(Message::Heard(Heard { session, overheard, is_behind_gap }));
    }

    pub fn note(&self, note: String) {
        self.shared.note(note);
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let (session, at) = (self.session, super::now());
        let _ = self.to.send(Message::Ended { session, at, is_behind_gap: self.has_lost });
    }
}

/// About what an item takes in memory.
fn bytes(item: &Item) -> usize {
    let Item::Statement(statement) = item else { return STATEMENT_BYTES };
    let values = if let Ask::Execute(execute) = &statement.ask { execute.rows.iter().map(Vec::len).sum() } else { 0 };
    STATEMENT_BYTES + values * 64 + statement.text().map_or(0, |text| text.len())
}

/// An item by its place: when it ended, and as it came.
struct Held {
    end: u64,
    arrived: u64,
    item: Item,
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        (self.end, self.arrived) == (other.end, other.arrived)
    }
}
impl Eq for Held {}
impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Held {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.end, self.arrived).cmp(&(other.end, other.arrived))
    }
}

/// The sessions that are open, and what they said.
#[derive(Default)]
struct Sessions {
    open: HashMap<SessionId, Conversation>,
    items: Vec<Item>,
}

impl Sessions {
    fn take(&mut self, message: Message, shared: &Shared) {
        match message {
            Message::Begun(session, host) => {
                self.open.insert(session, Conversation::new(session, &host));
            }
            Message::Heard(Heard { session, mut overheard, is_behind_gap }) => {
                let conversation = self.open.get_mut(&session).expect("a session begins once and then says something");
                shared.waiting.fetch_sub(overheard.size(), Ordering::Relaxed);
                let first = overheard.pieces().next().map(|(at, ..)| at);
                if let Some(at) = first.filter(|_| is_behind_gap) {
                    conversation.gap(at, GAP, &mut self.items);
                }
                for (at, is_clients, bytes) in overheard.pieces() {
                    let heard = match is_clients {
                        true => conversation.client(at, bytes, &mut self.items),
                        false => conversation.server(at, bytes, &mut self.items),
                    };
                    // It is passed on all the same, and told once.
                    if let Err(why) = heard {
                        shared.note(format!("A session could not be read: {why}."));
                    }
                }
                overheard.clear();
                let mut spare = shared.spare.lock().unwrap_or_else(PoisonError::into_inner);
                if spare.len() < SPARE {
                    spare.push(overheard);
                }
            }
            Message::Ended { session, at, is_behind_gap } => {
                if let Some(mut conversation) = self.open.remove(&session) {
                    if is_behind_gap {
                        conversation.gap(at, GAP, &mut self.items);
                    }
                    conversation.close(at, &mut self.items);
                }
            }
        }
    }
}

fn write(mut trace: NewTrace, from: &Receiver<Message>, shared: &Shared) -> Result<NewTrace, Trouble> {
    let mut held: BinaryHeap<Reverse<Held>> = BinaryHeap::new();
    let (mut sessions, mut arrived, mut written, mut is_over) = (Sessions::default(), 0, 0, false);
    while !is_over {
        match from.recv_timeout(Duration::from_nanos(BATCHED.0)) {
            Ok(message) => {
                sessions.take(message, shared);
                for item in sessions.items.drain(..) {
                    arrived += 1;
                    let end = match &item {
                        Item::Statement(statement) => statement.end().0,
                        Item::Lost(lost) => lost.at.0,
                    };
                    shared.late.fetch_add(u64::from(end < written), Ordering::Relaxed);
                    shared.waiting.fetch_add(bytes(&item), Ordering::Relaxed);
                    held.push(Reverse(Held { end, arrived, item }));
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => is_over = true,
        }
        let until = if is_over { u64::MAX } else { super::now().0.saturating_sub(HELD.0) };
        while held.peek().is_some_and(|Reverse(first)| first.end <= until) {
            let Reverse(first) = held.pop().expect("it is there");
            written = written.max(first.end);
            shared.waiting.fetch_sub(bytes(&first.item), Ordering::Relaxed);
            trace.append(first.item)?;
        }
        trace.settle()?;
    }
    Ok(trace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_is_told_before_what_follows_and_at_a_sessions_end() {
        let (mut sessions, shared) = (Sessions::default(), Shared::default());
        let session = SessionId(1);
        sessions.take(Message::Begun(session, "h".into()), &shared);
        let mut overheard = Overheard::default();
        overheard.hear(Nanos(5), true, b"\x01\0\0\0\x0E");
        overheard.hear(Nanos(6), false, b"\x07\0\0\x01\0\0\0\x02\0\0\0");
        shared.waiting.store(overheard.size(), Ordering::Relaxed);
        sessions.take(Message::Heard(Heard { session, overheard, is_behind_gap: true }), &shared);
        sessions.take(Message::Ended { session, at: Nanos(9), is_behind_gap: true }, &shared);
        let told = sessions.items.iter().map(|item| match item {
            Item::Lost(lost) => (lost.at, None),
            Item::Statement(statement) => (statement.end(), Some(&statement.ask)),
        });
        let told: Vec<_> = told.collect();
        let quit = (Nanos(9), Some(&Ask::Quit));
        assert_eq!(told, [(Nanos(5), None), (Nanos(6), Some(&Ask::Ping)), (Nanos(9), None), quit]);
        assert_eq!((shared.waiting.into_inner(), sessions.open.len()), (0, 0));
    }
}
