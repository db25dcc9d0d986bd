//! One entry of a slow log, and what stands between entries: which session of which server's life it belongs to, its
//! database, its time, its transaction.

use super::header::Header;
use super::time::unix;
use crate::statement::{Answer, Ask, Item, SessionId, Statement, Transaction};
use crate::transactions::Transactions;
use model::Nanos;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// An entry has no time at all.
pub struct NoTime;

const COMMAND: &[u8] = b"# administrator command: ";

pub fn is_command(body: &[u8]) -> bool {
    preamble(body).2.starts_with(COMMAND)
}

/// What is known of the log so far.
#[derive(Debug, Default)]
pub struct Sessions {
    pub server: Option<String>,
    /// Sessions that are open, by the server's number, or by account where the log has none.
    open: HashMap<Key, Session>,
    next: u64,
    /// The database that the log named last: MySQL names it only when it changes, whichever session it is of.
    database: Arc<str>,
    time: Option<Nanos>,
    names: HashMap<String, Arc<str>>,
    noticed: BTreeSet<&'static str>,
    sampled: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Thread(u64),
    Account(String, String),
}

#[derive(Debug)]
struct Session {
    id: SessionId,
    order: u64,
    transactions: Transactions,
    ended: Nanos,
}

impl Session {
    /// When a statement began that ended then; of whole seconds, not before the one before it had ended.
    fn start(&mut self, end: Nanos, took: Nanos, is_precise: bool) -> Nanos {
        let start = Nanos(end.0.saturating_sub(took.0));
        let start = if is_precise { start } else { start.max(self.ended) };
        self.ended = Nanos(start.0.saturating_add(took.0));
        start
    }

    fn transaction(&mut self, ask: &Ask, failed: bool) -> Option<Transaction> {
        if matches!(ask, Ask::ChangeUser { .. } | Ask::ResetConnection) {
            self.transactions.reset();
        }
        if let Ask::Query(text) = ask { Some(self.transactions.by_text(text, failed)) } else { None }
    }
}

fn answer(header: &Header) -> Answer {
    Answer {
        error: header.error,
        rows: header.rows,
        affected: header.affected,
        examined: header.examined,
        locked: header.locked,
        ..Answer::default()
    }
}

const SECONDS: &str = "the log has whole seconds only: within a second, statements of a session follow each other without \
    the time that their client thought";
const CARRIED: &str =
    "the log names a database only when it changes: a session without one reads as having the one before";
const ACCOUNTS: &str = "entries have no number of their connection: all sessions of an account are taken for one";
/// More names than this are not shared: a log of random hosts must not fill memory.
const NAMES: usize = 10_000;

impl Sessions {
    /// The server began anew: its numbers of connections may come again.
    pub fn restarted(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        let version =
            line.split_once(", Version: ").map(|(_, rest)| rest.split(". started with").next().unwrap_or(rest));
        self.server = version.map(str::to_string).or(self.server.take());
        self.open.clear();
        (self.database, self.time) = (Arc::from(""), None);
    }

    /// A `# Time:` counts for the entries behind it too, where they have none.
    pub fn time(&mut self, header: &Header) {
        self.time = header.time.or(self.time);
    }

    pub fn notes(&self) -> Vec<String> {
        let noticed = self.noticed.iter().map(|note| (*note).to_string());
        let sampled =
            self.sampled.map(|rate| format!("the server logged one of {rate}: most of its traffic is missing"));
        noticed.chain(sampled).collect()
    }

    pub fn entry(&mut self, header: &Header, body: &[u8]) -> Result<Option<Item>, NoTime> {
        self.time(header);
        let (named, stamp, text) = preamble(body);
        if let Some(named) = named {
            self.database = self.name(&named);
        }
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let text = text.strip_suffix(b";").unwrap_or(text);
        if text.is_empty() {
            return Ok(None);
        }
        self.sampled = header.sampled.or(self.sampled);
        let database = self.database(header);
        let (user, host) = (self.name(&header.user), self.name(&header.host));
        let (end, is_precise) = self.end(header, stamp)?;
        let key = self.key(header);
        let next = &mut self.next;
        let session = self.open.entry(key.clone()).or_insert_with(|| {
            *next += 1;
            Session { id: SessionId(*next), order: 0, transactions: Transactions::default(), ended: Nanos(0) }
        });
        let ask = ask(text);
        let statement = Statement {
            session: session.id,
            order: session.order,
            start: session.start(end, header.took.unwrap_or(Nanos(0)), is_precise),
            took: header.took,
            transaction: session.transaction(&ask, header.error.is_some_and(|error| error != 0)),
            user,
            host,
            database,
            answer: answer(header),
            ask,
        };
        session.order += 1;
        if statement.ask == Ask::Quit {
            self.open.remove(&key);
        }
        Ok(Some(Item::Statement(statement)))
    }

    fn database(&mut self, header: &Header) -> Arc<str> {
        if let Some(schema) = &header.schema {
            return self.name(schema);
        }
        self.noticed.insert(CARRIED);
        self.database.clone()
    }

    /// When the statement ended, and whether the log says it more precisely than in seconds.
    fn end(&mut self, header: &Header, stamp: Option<Nanos>) -> Result<(Nanos, bool), NoTime> {
        let started = header.start.map(|start| Nanos(start.0.saturating_add(header.took.map_or(0, |took| took.0))));
        let before = if stamp.is_none() { self.time } else { None };
        if let Some(precise) = started.or(header.end).or(header.time).or(before) {
            return Ok((precise, true));
        }
        self.noticed.insert(SECONDS);
        stamp.map(|stamp| (stamp, false)).ok_or(NoTime)
    }

    fn key(&mut self, header: &Header) -> Key {
        if let Some(thread) = header.thread {
            return Key::Thread(thread);
        }
        self.noticed.insert(ACCOUNTS);
        Key::Account(header.user.clone(), header.host.clone())
    }

    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let shared: Arc<str> = Arc::from(name);
        if self.names.len() < NAMES {
            self.names.insert(name.to_string(), shared.clone());
        }
        shared
    }
}

fn ask(text: &[u8]) -> Ask {
    let Some(command) = text.strip_prefix(COMMAND) else {
        return Ask::Query(Arc::from(text));
    };
    match command {
        b"Quit" => Ask::Quit,
        b"Ping" => Ask::Ping,
        b"Reset connection" | b"Reset Connection" => Ask::ResetConnection,
        b"Change user" => Ask::ChangeUser { collation: 0 },
        b"Connect" => Ask::Connect { collation: 0 },
        other => Ask::Other(Arc::from(String::from_utf8_lossy(other))),
    }
}

/// What the server wrote before the statement: the database where it changed, and the time in seconds; then the
/// statement. `use` is the server's only where `SET timestamp` follows, otherwise it is what the client asked.
fn preamble(body: &[u8]) -> (Option<String>, Option<Nanos>, &[u8]) {
    let (first, rest) = line(body);
    if let Some(stamp) = stamp(first) {
        return (None, Some(stamp), rest);
    }
    if let Some(name) = used(first) {
        let (second, rest) = line(rest);
        if let Some(stamp) = stamp(second) {
            return (Some(name), Some(stamp), rest);
        }
    }
    (None, None, body)
}

fn line(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| *byte == b'\n');
    end.map_or((text, &[][..]), |end| (&text[..end], &text[end + 1..]))
}

/// The time of `SET timestamp=1704110400;`, `SET last_insert_id=5,insert_id=6,timestamp=1704110400.123456;`.
fn stamp(line: &[u8]) -> Option<Nanos> {
    let line = std::str::from_utf8(line).ok()?.strip_prefix("SET ")?.strip_suffix(';')?;
    let mut pairs = line.split(',').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let known = |name: &str| matches!(name, "timestamp" | "insert_id" | "last_insert_id");
    let all_known = pairs.clone().all(|(name, _)| known(name));
    all_known.then(|| pairs.find(|(name, _)| *name == "timestamp").and_then(|(_, value)| unix(value)))?
}

fn used(line: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(line).ok()?.strip_prefix("use ")?.strip_suffix(';')?;
    Some(name.trim_matches('`').replace("``", "`"))
}
