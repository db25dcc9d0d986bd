//! What sessions overhear, on its way to the disk: batches through a queue that is bounded by their bytes, put into the
//! order of their ends by holding each back for a moment, and written by one thread.

use crate::traces::NewTrace;
use crate::trouble::Trouble;
use model::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use trace::{Ask, Closing, Item, Lost, SessionId};

/// A session hands over what it has at least this often; longer than that, nothing waits for its place.
pub const BATCHED: Duration = Duration::from_millis(50);
/// Held back for so long: a batch that is on its way, and a thread that did not run for a while.
const HELD: Nanos = Nanos::from_millis(250);
/// So much may wait for the disk; what comes beyond is lost, and told.
const MOST_BYTES: usize = 64 << 20;
/// What a statement takes beside its text.
const STATEMENT_BYTES: usize = 256;

#[derive(Default)]
struct Shared {
    waiting: AtomicUsize,
    failed: AtomicBool,
    late: AtomicU64,
    notes: Mutex<Vec<String>>,
}

/// The writer's thread.
pub struct Writing {
    to: Sender<Vec<Item>>,
    shared: Arc<Shared>,
    thread: JoinHandle<Result<NewTrace, Trouble>>,
}

/// A session's end of the queue.
pub struct Told {
    to: Sender<Vec<Item>>,
    shared: Arc<Shared>,
    lost: u64,
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

    pub fn told(&self) -> Told {
        Told { to: self.to.clone(), shared: Arc::clone(&self.shared), lost: 0 }
    }

    /// The disk has failed: there is nothing to capture for.
    pub fn has_failed(&self) -> bool {
        self.shared.failed.load(Ordering::Relaxed)
    }

    pub fn note(&self, note: String) {
        let mut notes = self.shared.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
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
    /// Hands a batch over, or loses it where too much waits already. Never waits.
    pub fn hand_over(&mut self, batch: &mut Vec<Item>, session: SessionId, now: Nanos) {
        if batch.is_empty() {
            return;
        }
        let bytes: usize = batch.iter().map(bytes).sum();
        if self.shared.waiting.load(Ordering::Relaxed) + bytes > MOST_BYTES {
            self.lost += batch.len() as u64;
            batch.clear();
            return;
        }
        let lost = std::mem::take(&mut self.lost);
        if lost > 0 {
            let why = "the disk did not keep up with the traffic".into();
            batch.push(Item::Lost(Lost { at: now, session: Some(session), statements: Some(lost), why }));
        }
        self.shared.waiting.fetch_add(bytes, Ordering::Relaxed);
        // Nobody takes it once the disk has failed, which ends the capture.
        let _ = self.to.send(std::mem::take(batch));
    }

    pub fn note(&self, note: String) {
        let mut notes = self.shared.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
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

fn write(mut trace: NewTrace, from: &Receiver<Vec<Item>>, shared: &Shared) -> Result<NewTrace, Trouble> {
    let mut held: BinaryHeap<Reverse<Held>> = BinaryHeap::new();
    let (mut arrived, mut written, mut is_over) = (0, 0, false);
    while !is_over {
        match from.recv_timeout(BATCHED) {
            Ok(batch) => {
                for item in batch {
                    arrived += 1;
                    let end = match &item {
                        Item::Statement(statement) => statement.end().0,
                        Item::Lost(lost) => lost.at.0,
                    };
                    shared.late.fetch_add(u64::from(end < written), Ordering::Relaxed);
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
