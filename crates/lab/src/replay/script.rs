//! A trace as it is replayed: its statements in the order in which they began, each with its session, its digest and
//! what it waits for. The statements themselves stay on disk and are read again for every replay: in memory are some
//! ten bytes of each and what waits for what, however long the trace is. What cannot be asked again as it was is
//! counted, and told.

use super::facts::{Facts, Table, facts, folded};
use super::order::{Builder, Order, Piece, Touch, Transaction};
use crate::traces::Trace;
use crate::trouble::Trouble;
use model::upgrade::Digest;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use trace::by_start::WINDOW;
use trace::{Ask, Bound, ByStart, Item, Place, SessionId, Statement, Text};

/// A column tells keys of a table apart where so many of its statements hold it to a value.
const MOST: f64 = 0.8;
/// How a limit begins that says so.
pub(super) const MASKED: &str = "Values of the trace are masked";
/// The digest of a statement without a text of its own.
const NONE: u32 = u32::MAX;
/// It is told after so many statements how far the reading is: a quarter of a second.
const SHOWN: u64 = 1 << 16;

pub struct Script {
    folder: PathBuf,
    digest_of: Vec<u32>,
    pub digests: Vec<Digest>,
    /// A statement of each digest that can be asked alone.
    pub samples: Vec<Statement>,
    /// How many statements each session has.
    pub sessions: Vec<u32>,
    numbers: HashMap<SessionId, u32>,
    pub order: Order,
    pub users: BTreeSet<String>,
    /// The default databases of its statements.
    pub schemas: BTreeSet<String>,
    /// What cannot be replayed as it was.
    pub limits: Vec<String>,
    /// The moment from which all are counted.
    pub first: u64,
    /// From its first statement to its last answer, in nanoseconds.
    pub length: u64,
}

impl Script {
    /// Reads a trace, twice: what it is, and what waits for what. `at` is told how many statements of how many, where
    /// that is known.
    pub fn read(folder: &Path, stop: &AtomicBool, at: &mut dyn FnMut(u64, u64)) -> Result<Self, Trouble> {
        let trace = Trace::open(folder)?;
        let all = trace.closing.as_ref().map_or(0, |closing| 2 * closing.statements);
        let mut read = 0;
        let mut one_more = || {
            read += 1;
            if read % SHOWN == 0 {
                at(read, all);
            }
            if stop.load(Relaxed) { Err(Trouble::new("asked to stop")) } else { Ok(()) }
        };
        let mut limits = Vec::new();
        if trace.closing.is_none() {
            limits.push("The trace was torn: it is replayed as far as it goes.".to_string());
        }
        let mut known = Known::default();
        for item in items(&trace)? {
            match item? {
                Item::Statement(statement) => {
                    known.see(&statement);
                    one_more()?;
                }
                Item::Lost(_) => known.lost += 1,
            }
        }
        if known.lost > 0 {
            limits.push(format!(
                "The trace misses something in {} places: what depends on it may answer otherwise.",
                known.lost
            ));
        }
        if let Some(masked) = &trace.head.masked {
            limits.push(format!("{MASKED} ({masked}): its data must be masked alike."));
        }
        limits.extend(known.told());
        let Some(first) = known.first else {
            return Err(Trouble::new(format!("{} has no statements that can be asked", folder.display())));
        };
        let order = order(&trace, first, &known, &mut one_more)?;
        let Known { digest_of, digests, samples, sessions, numbers, users, schemas, last, .. } = known;
        Ok(Self {
            folder: folder.to_path_buf(),
            digest_of,
            digests,
            samples,
            sessions,
            numbers,
            order,
            users,
            schemas,
            limits,
            first,
            length: last - first,
        })
    }

    /// How many statements it has.
    pub fn count(&self) -> usize {
        self.digest_of.len()
    }

    /// The digest of a statement; `None` for what has no text of its own.
    pub fn digest_of(&self, statement: usize) -> Option<u32> {
        self.digest_of.get(statement).copied().filter(|digest| *digest != NONE)
    }

    /// Its statements once more, in their order, each with the number of its session.
    pub fn statements(&self) -> Result<impl Iterator<Item = Result<(u32, Statement), Trouble>> + use<'_>, Trouble> {
        let items = items(&Trace::open(&self.folder)?)?;
        let statements = items.filter_map(|item| match item {
            Ok(Item::Statement(statement)) => Some(Ok(statement)),
            Ok(Item::Lost(_)) => None,
            Err(trouble) => Some(Err(trouble)),
        });
        Ok(statements.take(self.count()).map(|statement| {
            let statement = statement?;
            let session = self.numbers.get(&statement.session).copied();
            session.map(|session| (session, statement)).ok_or_else(changed)
        }))
    }
}

/// What a trace holds, statements in the order of their beginnings.
fn items(trace: &Trace) -> Result<impl Iterator<Item = Result<Item, Trouble>> + use<>, Trouble> {
    let folder = trace.folder().to_path_buf();
    let items = ByStart::new(trace.statements()?, WINDOW);
    Ok(items.map(move |item| item.map_err(Trouble::at("reading the trace", &folder))))
}

fn changed() -> Trouble {
    Trouble::new("the trace has changed while it was read").mend("end its capture first")
}

/// What is known of all statements before anything is asked.
#[derive(Default)]
struct Known {
    first: Option<u64>,
    last: u64,
    lost: u64,
    digest_of: Vec<u32>,
    digests: Vec<Digest>,
    samples: Vec<Statement>,
    sessions: Vec<u32>,
    numbers: HashMap<SessionId, u32>,
    users: BTreeSet<String>,
    schemas: BTreeSet<String>,
    by_hash: HashMap<u64, u32>,
    by_text: HashMap<Text, u64>,
    keys: Keys,
    transactions: Transactions,
    /// What is not asked as it was: named only, with a cursor, in bulk, prepared before the trace, without a time.
    odd: [u64; 5],
}

impl Known {
    fn see(&mut self, statement: &Statement) {
        let first = *self.first.get_or_insert(statement.start.0);
        self.last = self.last.max(statement.end().0);
        let next = self.sessions.len() as u32;
        let session = *self.numbers.entry(statement.session).or_insert(next);
        if session == next {
            self.sessions.push(0);
        }
        self.transactions.see(session, self.sessions[session as usize], statement, first);
        self.sessions[session as usize] += 1;
        for (all, name) in [(&mut self.users, &statement.user), (&mut self.schemas, &statement.database)] {
            if !name.is_empty() && !all.contains(&**name) {
                all.insert(name.to_string());
            }
        }
        let is_odd = [
            matches!(statement.ask, Ask::Other(_)),
            matches!(&statement.ask, Ask::Execute(execute) if execute.cursor),
            matches!(&statement.ask, Ask::Execute(execute) if execute.is_bulk),
            matches!(&statement.ask, Ask::Execute(execute) if execute.text.is_none()),
            statement.took.is_none(),
        ];
        self.odd.iter_mut().zip(is_odd).for_each(|(count, is)| *count += u64::from(is));
        let digest = said(statement).map(|(text, bound)| self.digest(statement, text, bound));
        self.digest_of.push(digest.unwrap_or(NONE));
    }

    fn digest(&mut self, statement: &Statement, text: &Text, bound: &[Bound]) -> u32 {
        let facts = facts(text, bound);
        self.keys.see(&facts);
        // Literals make a text of its own of each statement: only what is prepared comes again.
        let hash = match &statement.ask {
            Ask::Execute(_) => *self.by_text.entry(Arc::clone(text)).or_insert_with(|| trace::digest(text).hash),
            _ => trace::digest(text).hash,
        };
        let number = *self.by_hash.entry(hash).or_insert_with(|| {
            self.samples.push(statement.clone());
            self.digests.push(Digest {
                text: trace::digest(text).text,
                ordered: facts.ordered,
                any_rows: facts.limited && !facts.ordered,
                writes: facts.writes,
                tables: facts.tables.iter().map(|table| table.name.clone()).collect(),
                executions: 0,
            });
            self.digests.len() as u32 - 1
        });
        self.digests[number as usize].executions += 1;
        number
    }

    /// What is not asked as it was, in sentences.
    fn told(&self) -> Vec<String> {
        let [named, cursors, bulks, unprepared, timeless] = self.odd;
        let timeless = (timeless > 0).then(|| {
            "Some statements of the trace have no time: they are taken to have ended as they began.".to_string()
        });
        let told = [
            (named, "are only named in the trace and are not asked"),
            (cursors, "had a cursor: their rows are fetched at once"),
            (bulks, "were bulk executes: each row is executed by itself"),
            (unprepared, "were prepared before the trace began and are not asked"),
        ];
        let told = told.into_iter().filter(|(count, _)| *count > 0);
        timeless.into_iter().chain(told.map(|(count, what)| format!("{count} statements {what}."))).collect()
    }
}

/// The text of a statement and the values of its first execute.
fn said(statement: &Statement) -> Option<(&Text, &[Bound])> {
    match &statement.ask {
        Ask::Query(text) => Some((text, &[])),
        Ask::Execute(execute) => Some((execute.text.as_ref()?, execute.rows.first().map_or(&[], |row| row))),
        _ => None,
    }
}

/// What a statement says of the rows that it touches. It is read off again where it is needed: an hour of traffic has
/// more of it than there is memory.
pub(super) fn facts_of(statement: &Statement) -> Facts {
    said(statement).map_or_else(Facts::default, |(text, bound)| facts(text, bound))
}

/// How many statements name each table, and how many of these hold each of its columns to a value.
#[derive(Default)]
struct Keys(BTreeMap<String, (usize, BTreeMap<String, usize>)>);

impl Keys {
    fn see(&mut self, facts: &Facts) {
        for table in &facts.tables {
            let (times, columns) = self.0.entry(table.name.clone()).or_default();
            *times += 1;
            table.held.keys().for_each(|column| *columns.entry(column.clone()).or_default() += 1);
        }
    }

    fn found(&self) -> BTreeMap<String, Vec<String>> {
        let of = |(name, (times, columns)): (&String, &(usize, BTreeMap<String, usize>))| {
            let held = columns.iter().filter(|(_, count)| **count as f64 >= MOST * *times as f64);
            (name.clone(), held.map(|(column, _)| column.clone()).collect())
        };
        self.0.iter().map(of).collect()
    }
}

fn order(
    trace: &Trace,
    first: u64,
    known: &Known,
    one_more: &mut dyn FnMut() -> Result<(), Trouble>,
) -> Result<Order, Trouble> {
    let keys = known.keys.found();
    let names: HashMap<&str, u32> = keys.keys().zip(0..).map(|(name, number)| (name.as_str(), number)).collect();
    let (mut places, mut transactions) = (vec![0; known.sessions.len()], Transactions::default());
    let mut builder = Builder::new(known.sessions.len(), &known.transactions.all);
    for item in items(trace)?.take(known.digest_of.len() + known.lost as usize) {
        let Item::Statement(statement) = item? else { continue };
        let session = *known.numbers.get(&statement.session).ok_or_else(changed)?;
        let facts = facts_of(&statement);
        let touches: Vec<Touch> = facts.tables.iter().map(|table| touch(table, &keys, &names)).collect();
        let place = places[session as usize];
        builder.add(&Piece {
            session,
            place,
            begun: statement.start.0.saturating_sub(first),
            ended: statement.end().0.saturating_sub(first),
            transaction: transactions.see(session, place, &statement, first),
            touches: &touches,
            barrier: facts.barrier,
        });
        places[session as usize] += 1;
        one_more()?;
    }
    Ok(builder.finish())
}

fn touch(table: &Table, keys: &BTreeMap<String, Vec<String>>, names: &HashMap<&str, u32>) -> Touch {
    let columns = &keys[table.name.as_str()];
    let values: Option<Vec<String>> = columns.iter().map(|column| folded(table.held.get(column)?)).collect();
    let key = values.filter(|values| !values.is_empty()).map(|values| super::fingerprint(values.join("\0").as_bytes()));
    Touch { table: names[table.name.as_str()], key, writes: table.writes }
}

/// Transactions by the statements that begin them, and that of each session that is open.
#[derive(Default)]
struct Transactions {
    all: Vec<Transaction>,
    open: HashMap<u32, (Option<u64>, u32)>,
}

impl Transactions {
    /// The transaction of a session's next statement.
    fn see(&mut self, session: u32, place: u32, statement: &Statement, first: u64) -> u32 {
        let [begun, ended] = [statement.start.0, statement.end().0].map(|at| at.saturating_sub(first));
        let number = statement.transaction.filter(|t| t.place != Place::Alone).map(|t| t.number);
        let open = self.open.entry(session).or_insert((None, 0));
        if number.is_none() || number != open.0 {
            open.1 = self.all.len() as u32;
            self.all.push(Transaction { session, begun, ended, last: place });
        }
        open.0 = number;
        let last = &mut self.all[open.1 as usize];
        (last.ended, last.last) = (ended.max(last.ended), place);
        open.1
    }
}
