//! Which statements wait for which: order between sessions, read off the trace. Two transactions conflict where they
//! touch the same table, and the same key where both say it, and one of them writes. A statement waits for every
//! transaction that conflicts with it and had ended before it began; for one that it met in a lock, it waits until that
//! one's statement was answered, so that the server's own queue keeps the order. What overlapped in the trace in any
//! other way may go either way again: such a statement is *racy*, and its answer proves nothing. Statements come in the
//! order of their beginnings; what is remembered of a key is at most two transactions of each session. Where that is
//! too much for memory, what has ended is forgotten, and everything that begins later waits for all of it.

use std::collections::HashMap;

/// A table, or a part of it, that a statement reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub table: u32,
    /// A digest of the key's values; `None` is any row.
    pub key: Option<u64>,
    /// It writes, or locks as writers do.
    pub writes: bool,
}

/// Times are nanoseconds since the trace began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    pub session: u32,
    pub begun: u64,
    pub ended: u64,
    /// The place of its last statement in its session.
    pub last: u32,
}

/// One statement, as far as its order matters.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    pub session: u32,
    pub place: u32,
    pub begun: u64,
    pub ended: u64,
    pub transaction: u32,
    pub touches: &'a [Touch],
    /// Nobody knows what it touches, or it changes what tables are.
    pub barrier: bool,
}

/// The statement of a session that is to be answered before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    pub session: u32,
    pub place: u32,
}

#[derive(Debug, Default)]
pub struct Order {
    waits: Vec<Wait>,
    /// Where the waits of each statement begin.
    begins: Vec<u32>,
    racy: Vec<bool>,
}

impl Order {
    pub fn waits(&self, statement: usize) -> &[Wait] {
        &self.waits[self.begins[statement] as usize..self.begins[statement + 1] as usize]
    }
    pub fn is_racy(&self, statement: usize) -> bool {
        self.racy[statement]
    }
    pub fn count(&self) -> usize {
        self.waits.len()
    }
}

/// A transaction at a key.
#[derive(Debug)]
struct Entry {
    transaction: u32,
    /// The transaction's, without a look at it: it lies far off in memory.
    session: u32,
    writes: bool,
    /// When its last statement here was answered, and that one's place.
    answered: u64,
    place: u32,
    statements: Vec<u32>,
}

/// So many transactions are remembered at all keys together, some 100 bytes each.
const REMEMBERED: usize = 4 << 20;
/// So many transactions of one session stay at a key: one that has ended, and the one after it that may not have.
const KEPT: usize = 2;

#[derive(Default)]
struct Key {
    entries: Vec<Entry>,
}

impl Key {
    /// How many more are remembered.
    fn enter(&mut self, piece: &Piece, statement: u32, writes: bool) -> usize {
        let own = |entry: &Entry| entry.transaction == piece.transaction && entry.writes == writes;
        if let Some(entry) = self.entries.iter_mut().find(|entry| own(entry)) {
            (entry.answered, entry.place) = (piece.ended, piece.place);
            entry.statements.push(statement);
            return 0;
        }
        let of_session = |entry: &Entry| entry.writes == writes && entry.session == piece.session;
        let is_full = self.entries.iter().filter(|entry| of_session(entry)).count() >= KEPT;
        if is_full {
            let oldest = self.entries.iter().position(of_session).expect("there are some");
            self.entries.remove(oldest);
        }
        let Piece { transaction, session, place, ended: answered, .. } = *piece;
        self.entries.push(Entry { transaction, session, writes, answered, place, statements: vec![statement] });
        usize::from(!is_full)
    }

    /// Only what had not ended by then; how much that is.
    fn retain(&mut self, all: &[Transaction], begun: u64) -> usize {
        self.entries.retain(|entry| all[entry.transaction as usize].ended > begun);
        self.entries.shrink_to_fit();
        self.entries.len()
    }
}

/// What of a table is remembered: by key, those that touched any row, and all together.
#[derive(Default)]
struct Table {
    keys: HashMap<u64, Key>,
    whole: Key,
    all: Key,
}

pub struct Builder<'a> {
    transactions: &'a [Transaction],
    tables: HashMap<u32, Table>,
    order: Order,
    /// How far each other one was waited for, by session.
    clocks: Vec<HashMap<u32, u32>>,
    /// The statements of each session that were answered last.
    latest: Vec<[Option<(u64, u32)>; KEPT]>,
    barrier: Option<(u64, Wait)>,
    /// How many transactions are remembered, and may be.
    remembered: usize,
    most: usize,
    /// What was answered when others were forgotten last, how often that was, and for which time each session waited.
    answered: Vec<Wait>,
    forgotten: u32,
    waited: Vec<u32>,
}

impl<'a> Builder<'a> {
    pub fn new(sessions: usize, transactions: &'a [Transaction]) -> Self {
        let order = Order { begins: vec![0], ..Order::default() };
        let (clocks, latest) = (vec![HashMap::new(); sessions], vec![[None; KEPT]; sessions]);
        Self {
            transactions,
            tables: HashMap::new(),
            order,
            clocks,
            latest,
            barrier: None,
            remembered: 0,
            most: REMEMBERED,
            answered: Vec::new(),
            forgotten: 0,
            waited: vec![0; sessions],
        }
    }

    pub fn finish(self) -> Order {
        self.order
    }

    pub fn add(&mut self, piece: &Piece) {
        let statement = self.order.racy.len() as u32;
        self.order.racy.push(false);
        if let Some((ended, wait)) = self.barrier
            && ended <= piece.begun
        {
            self.wait(piece, wait);
        }
        if self.remembered > self.most {
            self.forget(piece.begun);
        }
        let waited = std::mem::replace(&mut self.waited[piece.session as usize], self.forgotten);
        if waited < self.forgotten {
            for at in 0..self.answered.len() {
                self.wait(piece, self.answered[at]);
            }
        }
        if piece.barrier {
            self.bar(piece);
        }
        for touch in piece.touches {
            self.touch(piece, statement, *touch);
        }
        self.latest[piece.session as usize].rotate_right(1);
        self.latest[piece.session as usize][0] = Some((piece.ended, piece.place));
        self.order.begins.push(self.order.waits.len() as u32);
    }

    /// The last statement of each session that was answered by then.
    fn answered(&self, begun: u64) -> Vec<Wait> {
        let last = |(latest, session): (&[Option<(u64, u32)>; KEPT], u32)| {
            let (_, place) = latest.iter().flatten().find(|(ended, _)| *ended <= begun)?;
            Some(Wait { session, place: *place })
        };
        self.latest.iter().zip(0..).filter_map(last).collect()
    }

    fn forget(&mut self, begun: u64) {
        self.answered = self.answered(begun);
        self.forgotten += 1;
        self.remembered = 0;
        for table in self.tables.values_mut() {
            let all = table.keys.values_mut().chain([&mut table.whole, &mut table.all]);
            self.remembered += all.map(|key| key.retain(self.transactions, begun)).sum::<usize>();
            table.keys.retain(|_, key| !key.entries.is_empty());
        }
    }

    /// After everything that was answered before, and before everything that begins later.
    fn bar(&mut self, piece: &Piece) {
        self.answered(piece.begun).into_iter().for_each(|wait| self.wait(piece, wait));
        self.barrier = Some((piece.ended, Wait { session: piece.session, place: piece.place }));
    }

    fn touch(&mut self, piece: &Piece, statement: u32, touch: Touch) {
        let (transactions, table) = (self.transactions, self.tables.entry(touch.table).or_default());
        let (mut waits, mut racy) = (Vec::new(), Vec::new());
        let met = match touch.key {
            Some(key) => [table.keys.get(&key), Some(&table.whole)],
            None => [Some(&table.all), None],
        };
        for entry in met.into_iter().flatten().flat_map(|key| &key.entries) {
            if entry.session != piece.session && (entry.writes || touch.writes) {
                meet(transactions, piece, statement, touch, entry, (&mut waits, &mut racy));
            }
        }
        if let Some(key) = touch.key {
            self.remembered += table.keys.entry(key).or_default().enter(piece, statement, touch.writes);
        } else {
            self.remembered += table.whole.enter(piece, statement, touch.writes);
        }
        self.remembered += table.all.enter(piece, statement, touch.writes);
        racy.into_iter().for_each(|statement| self.order.racy[statement as usize] = true);
        waits.into_iter().for_each(|wait| self.wait(piece, wait));
    }

    fn wait(&mut self, piece: &Piece, wait: Wait) {
        if wait.session == piece.session {
            return;
        }
        let clock = &mut self.clocks[piece.session as usize];
        if clock.get(&wait.session).is_none_or(|known| *known < wait.place) {
            clock.insert(wait.session, wait.place);
            self.order.waits.push(wait);
        }
    }
}

/// What follows from a conflict with a transaction that touched the same before.
fn meet(
    transactions: &[Transaction],
    piece: &Piece,
    statement: u32,
    touch: Touch,
    entry: &Entry,
    (waits, racy): (&mut Vec<Wait>, &mut Vec<u32>),
) {
    let (own, other) = (&transactions[piece.transaction as usize], &transactions[entry.transaction as usize]);
    if other.ended <= piece.begun {
        waits.push(Wait { session: other.session, place: other.last });
        // A snapshot may be older than the statement.
        if !touch.writes && other.ended > own.begun {
            racy.push(statement);
        }
    } else if touch.writes && entry.writes && entry.answered <= piece.begun && other.ended <= piece.ended {
        waits.push(Wait { session: other.session, place: entry.place });
    } else {
        racy.push(statement);
        racy.extend(&entry.statements);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: Touch = Touch { table: 1, key: Some(7), writes: true };
    const READ: Touch = Touch { table: 1, key: Some(7), writes: false };

    /// Statements of autocommit: session, begin, end, touch.
    fn alone(all: &[(u32, u64, u64, Touch)]) -> Order {
        let mut places = HashMap::new();
        let mut place = |session| {
            let next: &mut u32 = places.entry(session).or_default();
            *next += 1;
            *next - 1
        };
        let placed: Vec<_> = all.iter().map(|one| (one, place(one.0))).collect();
        let transactions: Vec<_> = placed
            .iter()
            .map(|((session, begun, ended, _), last)| Transaction {
                session: *session,
                begun: *begun,
                ended: *ended,
                last: *last,
            })
            .collect();
        let mut builder = Builder::new(4, &transactions);
        for (at, ((session, begun, ended, touch), place)) in placed.iter().enumerate() {
            let (session, begun, ended, place) = (*session, *begun, *ended, *place);
            let touches = &[*touch];
            builder.add(&Piece {
                session,
                place,
                begun,
                ended,
                transaction: at as u32,
                touches,
                barrier: touch.table == 0,
            });
        }
        builder.finish()
    }

    #[test]
    fn a_statement_waits_for_what_ended_before_it_and_conflicts() {
        let order = alone(&[(0, 0, 5, WRITE), (1, 6, 8, READ), (2, 7, 9, READ), (3, 10, 12, WRITE)]);
        assert_eq!(order.waits(1), [Wait { session: 0, place: 0 }]);
        assert_eq!(order.waits(2), [Wait { session: 0, place: 0 }], "readers do not wait for readers");
        assert_eq!(order.waits(3).len(), 3);
        assert!((0..4).all(|at| !order.is_racy(at)));
    }

    #[test]
    fn other_keys_and_other_tables_do_not_conflict_and_any_row_does() {
        let other = Touch { key: Some(8), ..WRITE };
        let elsewhere = Touch { table: 2, ..WRITE };
        let scan = Touch { key: None, ..READ };
        let order = alone(&[(0, 0, 1, WRITE), (1, 2, 3, other), (2, 4, 5, elsewhere), (3, 6, 7, scan)]);
        assert!(order.waits(1).is_empty() && order.waits(2).is_empty());
        assert_eq!(order.waits(3).len(), 2, "a scan waits for both keys of its table");
    }

    #[test]
    fn what_overlaps_is_racy_and_a_writer_that_met_a_lock_queues_behind_it() {
        let order = alone(&[(0, 0, 5, WRITE), (1, 3, 9, READ)]);
        assert!(order.is_racy(0) && order.is_racy(1) && order.count() == 0);
        // A transaction of two statements, whose lock the other writer waits for.
        let of = |session, begun, ended, last| Transaction { session, begun, ended, last };
        let transactions = [of(0, 0, 10, 1), of(1, 4, 11, 0)];
        let mut builder = Builder::new(2, &transactions);
        let touches = &[WRITE];
        builder.add(&Piece { session: 0, place: 0, begun: 0, ended: 2, transaction: 0, touches, barrier: false });
        builder.add(&Piece { session: 1, place: 0, begun: 4, ended: 11, transaction: 1, touches, barrier: false });
        let order = builder.finish();
        assert_eq!(order.waits(1), [Wait { session: 0, place: 0 }], "for the lock to be taken, not for its end");
        assert!(!order.is_racy(1));
    }

    #[test]
    fn what_was_forgotten_is_waited_for_altogether_and_what_is_open_stays_known() {
        let key = |key| Touch { key: Some(key), ..WRITE };
        let of = |session, begun, ended| Transaction { session, begun, ended, last: 0 };
        let all = [of(0, 0, 100), of(1, 1, 2), of(2, 3, 4), of(3, 50, 60)];
        let mut builder = Builder::new(4, &all);
        builder.most = 4;
        for (transaction, touch) in [key(1), key(2), key(3), key(1)].into_iter().enumerate() {
            let Transaction { session, begun, ended, .. } = all[transaction];
            let (transaction, touches) = (transaction as u32, &[touch][..]);
            builder.add(&Piece { session, place: 0, begun, ended, transaction, touches, barrier: false });
        }
        assert!(builder.remembered <= 5 && builder.tables[&1].keys.len() == 1, "{}", builder.remembered);
        let order = builder.finish();
        assert_eq!(order.waits(3), [1, 2].map(|session| Wait { session, place: 0 }));
        assert!(order.is_racy(0) && order.is_racy(3), "they overlap on one key");
    }

    #[test]
    fn nothing_passes_a_barrier() {
        let barrier = Touch { table: 0, key: None, writes: true };
        let read = Touch { table: 3, key: None, writes: false };
        let order = alone(&[(0, 0, 1, READ), (1, 2, 3, barrier), (2, 4, 5, read), (2, 6, 7, read)]);
        assert_eq!(order.waits(1), [Wait { session: 0, place: 0 }]);
        assert_eq!(order.waits(2), [Wait { session: 1, place: 0 }]);
        assert!(order.waits(3).is_empty(), "its session has waited for it already");
    }
}
