//! A trace as it is replayed: its statements in the order in which they began, by session, each with its digest and
//! with what it waits for. All of it is in memory, a few hundred bytes for each statement. What cannot be asked again
//! as it was is counted, and told.

use super::facts::{Facts, facts};
use super::order::{Builder, Order, Piece, Touch, Transaction};
use crate::traces::Trace;
use crate::trouble::Trouble;
use model::upgrade::Digest;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use trace::{Ask, Item, Place, Statement};

/// A column tells keys of a table apart where so many of its statements hold it to a value.
const MOST: f64 = 0.8;

pub struct Script {
    pub statements: Vec<Statement>,
    /// Each statement's; `None` for what has no text of its own.
    pub digest_of: Vec<Option<u32>>,
    pub digests: Vec<Digest>,
    /// A statement of each digest that can be asked alone.
    pub samples: Vec<u32>,
    /// Each session's statements.
    pub sessions: Vec<Vec<u32>>,
    pub session_of: Vec<u32>,
    pub order: Order,
    pub users: BTreeSet<String>,
    /// What cannot be replayed as it was.
    pub limits: Vec<String>,
    /// The moment from which all are counted.
    pub first: u64,
}

impl Script {
    /// Reads a trace whole.
    pub fn read(folder: &Path) -> Result<Self, Trouble> {
        let trace = Trace::open(folder)?;
        let (mut statements, mut limits, mut lost) = (Vec::new(), Vec::new(), 0u64);
        if trace.closing.is_none() {
            limits.push("The trace was torn: it is replayed as far as it goes.".to_string());
        }
        for item in trace.statements()? {
            match item.map_err(Trouble::at("reading the trace", folder))? {
                Item::Statement(statement) => statements.push(statement),
                Item::Lost(_) => lost += 1,
            }
        }
        if lost > 0 {
            limits
                .push(format!("The trace misses something in {lost} places: what depends on it may answer otherwise."));
        }
        if let Some(masked) = &trace.head.masked {
            limits.push(format!("Values of the trace are masked ({masked}): its data must be masked alike."));
        }
        Self::of(statements, limits)
            .ok_or_else(|| Trouble::new(format!("{} has no statements that can be asked", folder.display())))
    }

    /// `None` where there is nothing to ask.
    pub fn of(mut statements: Vec<Statement>, mut limits: Vec<String>) -> Option<Self> {
        statements.sort_by_key(|statement| (statement.start, statement.session, statement.order));
        let first = statements.first()?.start.0;
        let mut numbers = HashMap::new();
        let mut sessions: Vec<Vec<u32>> = Vec::new();
        let mut session_of = Vec::new();
        for (at, statement) in statements.iter().enumerate() {
            let next = sessions.len() as u32;
            let number = *numbers.entry(statement.session).or_insert(next);
            if number == next {
                sessions.push(Vec::new());
            }
            sessions[number as usize].push(at as u32);
            session_of.push(number);
        }
        if statements.iter().any(|statement| statement.took.is_none()) {
            limits.push(
                "Some statements of the trace have no time: they are taken to have ended as they began.".to_string(),
            );
        }
        let known = Known::of(&statements);
        let order = order(&statements, &session_of, &sessions, &known);
        let users = statements.iter().map(|statement| statement.user.to_string()).filter(|user| !user.is_empty());
        let users = users.collect();
        limits.extend(told(&statements));
        let Known { digest_of, digests, samples, .. } = known;
        Some(Self { digest_of, digests, samples, sessions, session_of, order, users, limits, first, statements })
    }

    /// Since the trace began.
    pub fn begun(&self, statement: usize) -> u64 {
        self.statements[statement].start.0 - self.first
    }
    pub fn ended(&self, statement: usize) -> u64 {
        self.statements[statement].end().0 - self.first
    }
    /// From its first statement to its last answer, in nanoseconds.
    pub fn length(&self) -> u64 {
        (0..self.statements.len()).map(|at| self.ended(at)).max().unwrap_or(0)
    }
}

/// What is not asked as it was, in sentences.
fn told(statements: &[Statement]) -> Vec<String> {
    let count = |is: fn(&Ask) -> bool| statements.iter().filter(|statement| is(&statement.ask)).count();
    let all = [
        (count(|ask| matches!(ask, Ask::Other(_))), "are only named in the trace and are not asked"),
        (
            count(|ask| matches!(ask, Ask::Execute(execute) if execute.cursor)),
            "had a cursor: their rows are fetched at once",
        ),
        (
            count(|ask| matches!(ask, Ask::Execute(e) if e.is_bulk)),
            "were bulk executes: each row is executed by itself",
        ),
        (
            count(|ask| matches!(ask, Ask::Execute(execute) if execute.text.is_none())),
            "were prepared before the trace began and are not asked",
        ),
    ];
    let told = all.into_iter().filter(|(count, _)| *count > 0);
    told.map(|(count, what)| format!("{count} statements {what}.")).collect()
}

/// What is known of each statement before anything is asked.
struct Known {
    digest_of: Vec<Option<u32>>,
    digests: Vec<Digest>,
    samples: Vec<u32>,
    facts: Vec<Facts>,
}

impl Known {
    fn of(statements: &[Statement]) -> Self {
        let mut known = Self { digest_of: Vec::new(), digests: Vec::new(), samples: Vec::new(), facts: Vec::new() };
        let (mut by_hash, mut by_text) = (HashMap::new(), HashMap::new());
        for (at, statement) in statements.iter().enumerate() {
            let (text, bound) = match &statement.ask {
                Ask::Query(text) => (Some(text), &[][..]),
                Ask::Execute(execute) => (execute.text.as_ref(), execute.rows.first().map_or(&[][..], |row| row)),
                _ => (None, &[][..]),
            };
            let Some(text) = text else {
                known.digest_of.push(None);
                known.facts.push(Facts::default());
                continue;
            };
            let facts = facts(text, bound);
            let hash = *by_text.entry(Arc::clone(text)).or_insert_with(|| trace::digest(text).hash);
            let number = *by_hash.entry(hash).or_insert_with(|| {
                known.samples.push(at as u32);
                known.digests.push(Digest {
                    text: trace::digest(text).text,
                    ordered: facts.ordered,
                    any_rows: facts.limited && !facts.ordered,
                    writes: facts.writes,
                    tables: facts.tables.iter().map(|table| table.name.clone()).collect(),
                    executions: 0,
                });
                known.digests.len() as u32 - 1
            });
            known.digests[number as usize].executions += 1;
            known.digest_of.push(Some(number));
            known.facts.push(facts);
        }
        known
    }
}

/// The columns of each table that tell its keys apart.
fn keys(facts: &[Facts]) -> BTreeMap<&str, Vec<&str>> {
    let mut tables: BTreeMap<&str, (usize, BTreeMap<&str, usize>)> = BTreeMap::new();
    for table in facts.iter().flat_map(|facts| &facts.tables) {
        let (times, columns) = tables.entry(&table.name).or_default();
        *times += 1;
        table.held.keys().for_each(|column| *columns.entry(column).or_default() += 1);
    }
    let of = |(name, (times, columns)): (_, (usize, BTreeMap<_, usize>))| {
        let held = columns.into_iter().filter(|(_, count)| *count as f64 >= MOST * times as f64);
        (name, held.map(|(column, _)| column).collect())
    };
    tables.into_iter().map(of).collect()
}

fn order(statements: &[Statement], session_of: &[u32], sessions: &[Vec<u32>], known: &Known) -> Order {
    let first = statements.first().map_or(0, |statement| statement.start.0);
    let keys = keys(&known.facts);
    let names: HashMap<&str, u32> = keys.keys().zip(0..).map(|(name, number)| (*name, number)).collect();
    let (transactions, transaction_of) = transactions(statements, sessions, first);
    let mut places = vec![0; sessions.len()];
    let mut builder = Builder::new(sessions.len(), &transactions);
    for (at, statement) in statements.iter().enumerate() {
        let session = session_of[at];
        let touches: Vec<Touch> = known.facts[at].tables.iter().map(|table| touch(table, &keys, &names)).collect();
        builder.add(&Piece {
            session,
            place: places[session as usize],
            begun: statement.start.0 - first,
            ended: statement.end().0 - first,
            transaction: transaction_of[at],
            touches: &touches,
            barrier: known.facts[at].barrier,
        });
        places[session as usize] += 1;
    }
    builder.finish()
}

fn touch(table: &super::facts::Table, keys: &BTreeMap<&str, Vec<&str>>, names: &HashMap<&str, u32>) -> Touch {
    let columns = &keys[table.name.as_str()];
    let values: Option<Vec<u64>> = columns.iter().map(|column| table.held.get(*column).copied()).collect();
    let key = values.filter(|values| !values.is_empty()).map(|values| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        super::fingerprint(&bytes)
    });
    Touch { table: names[table.name.as_str()], key, writes: table.writes }
}

/// The transactions, and that of each statement.
fn transactions(statements: &[Statement], sessions: &[Vec<u32>], first: u64) -> (Vec<Transaction>, Vec<u32>) {
    let (mut all, mut of) = (Vec::new(), vec![0; statements.len()]);
    for (session, own) in sessions.iter().enumerate() {
        let mut open: Option<u64> = None;
        for (place, at) in own.iter().enumerate() {
            let statement = &statements[*at as usize];
            let (begun, ended) = (statement.start.0 - first, statement.end().0 - first);
            let number = statement.transaction.filter(|t| t.place != Place::Alone).map(|t| t.number);
            if number.is_none() || number != open {
                all.push(Transaction { session: session as u32, begun, ended, last: place as u32 });
            }
            open = number;
            let last: &mut Transaction = all.last_mut().expect("one was begun");
            (last.ended, last.last) = (ended.max(last.ended), place as u32);
            of[*at as usize] = all.len() as u32 - 1;
        }
    }
    (all, of)
}
