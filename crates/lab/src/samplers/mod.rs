//! Samplers: each reads one source of numbers about a run and names them (`docs/record.md` lists the names). A source
//! that cannot be read leaves its metrics out and says so once; nothing is ever reported as zero because it was not
//! there. Here is what a source is, and those of the host, of processes and of the load itself; what a server counts
//! lies in its backend, which also lists them all. `sampling` decides when they are read; the sources only know how.

pub mod client;
pub(crate) mod data;
pub(crate) mod host;
pub(crate) mod sampler;
pub(crate) mod server_process;
pub(crate) mod server_processes;
pub(crate) mod server_stops;
pub(crate) mod server_threads;
pub(crate) mod throttled;

use model::record::counters::{self, Counter};
use model::record::series::{Shape, Unit};
use model::{Metric, Nanos, Version};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// The number of a server's process, which is another when the server was started again.
#[derive(Clone, Debug)]
pub struct Process(Arc<AtomicU32>);

impl Process {
    pub fn of(pid: u32) -> Self {
        Self(Arc::new(AtomicU32::new(pid)))
    }
    pub fn set(&self, pid: u32) {
        self.0.store(pid, SeqCst);
    }
    pub(crate) fn pid(&self) -> u32 {
        self.0.load(SeqCst)
    }
}

/// A session for the sampler alone: one statement at a time, rows as text.
pub trait Ask {
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String>;
    /// Who is asked, where that is known.
    fn dialect(&self) -> Option<Dialect> {
        None
    }
}

/// Family and version of a server, as it greets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    pub mariadb: bool,
    pub version: Version,
}

impl Dialect {
    pub fn of(greeting: &str) -> Option<Self> {
        Some(Self { mariadb: greeting.contains("MariaDB"), version: Version::parse(greeting)? })
    }
}

/// A session that could not be had: whatever is asked of it is missing for this reason.
pub struct Refused(pub String);

impl Ask for Refused {
    fn rows(&mut self, _: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        Err(self.0.clone())
    }
}

/// The session with a count of what went through it, and what the server told at this reading.
pub struct Asker {
    ask: Box<dyn Ask>,
    pub(crate) statements: u64,
    pub(crate) told: BTreeMap<String, (Metric, f64)>,
}

impl Asker {
    pub(crate) fn new(ask: Box<dyn Ask>) -> Self {
        Self { ask, statements: 0, told: BTreeMap::new() }
    }
    /// Keeps what was read for those who read it under another name, less what `is_dead` on this server.
    pub(crate) fn tell(&mut self, source: &str, reading: &mut Reading, is_dead: fn(Option<Dialect>, &str) -> bool) {
        let dialect = self.ask.dialect();
        let (dead, alive): (Vec<_>, Vec<_>) = reading.values.drain(..).partition(|(m, _)| is_dead(dialect, &m.name));
        reading.values = alive;
        if !dead.is_empty() {
            let names: Vec<_> = dead.into_iter().map(|(m, _)| m.name).collect();
            let why = format!("this version lists and does not count {}", names.join(", "));
            reading.missing(&format!("a part of {source}"), why);
        }
        self.told.extend(reading.values.iter().map(|(m, value)| (m.name.clone(), (m.clone(), *value))));
    }
    pub(crate) fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        self.statements += 1;
        self.ask.rows(sql)
    }
}

pub trait Source {
    fn name(&self) -> &str;
    /// Adds what it reads; what it could not read it names as missing.
    fn read(&mut self, occasion: Occasion, reading: &mut Reading);
}

/// Why a source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The end of a phase: everything counts.
    Mark,
    /// One of the seconds in between: a source that is dear to read may pass.
    Second,
}

/// What one source gave at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// When it was read, on the lab's clock.
    pub at: Nanos,
    pub values: Vec<(Metric, f64)>,
    /// What was not there, with the reason.
    pub missing: Vec<(String, String)>,
}

impl Reading {
    /// What a source calls by a name of its own.
    pub(crate) fn add(&mut self, name: &str, unit: Unit, shape: Shape, value: f64) {
        // JSON has no word for the others, and no source has a use for them.
        if value.is_finite() {
            self.values.push((Metric { name: name.to_string(), unit, shape }, value));
        }
    }
    /// A counter of ours, as its row says; the rows are complete, which house.rs holds.
    pub(crate) fn tell(&mut self, name: &str, value: u64) {
        self.row(counters::named(name).expect("a counter of ours has a row"), value as f64);
    }
    pub(crate) fn row(&mut self, counter: &Counter, value: f64) {
        self.add(counter.name, counter.unit, counter.shape, value);
    }
    pub(crate) fn missing(&mut self, what: &str, why: impl ToString) {
        self.missing.push((what.to_string(), why.to_string()));
    }
    /// Reads a file and understands it, or names what is missing without it.
    fn file<T>(&mut self, path: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let found = parse(&text);
                if found.is_none() {
                    self.missing(path, "it is not written as expected");
                }
                found
            }
            Err(e) => {
                self.missing(path, e);
                None
            }
        }
    }
}
