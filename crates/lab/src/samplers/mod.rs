//! Samplers: each reads one source of numbers about a run and names them (`docs/record.md` lists the names). A source
//! that cannot be read leaves its metrics out and says so once; nothing is ever reported as zero because it was not
//! there. `sampling` decides when they are read; the sources only know how.

pub mod client;
mod data;
mod dead;
mod host;
mod sampler;
mod server_process;
mod server_processes;
pub(crate) mod server_threads;

use crate::backends::keyed::KeyEndpoint;
use crate::backends::memcached::samplers as memcached;
use crate::backends::mysql::samplers::{database, foreground, index_lock, innodb, node, rocksdb, status};
use crate::backends::postgres::samplers as postgres;
use model::host::Version;
use model::record::counters::{self, Counter};
use model::record::series::{Metric, Shape, Unit};
use model::units::Nanos;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use workload::audit::Question;

/// Every source, one file each, in the order in which they are read: `status` holds the counts that must agree with the
/// client's own (check `counts_agree`), so it is read nearest to the mark, and `sampler` counts the statements sent
/// until then. `database` comes last: it says the same in the lab's own names.
pub const ALL: &[&str] = &[
    memcached::NAME,
    status::NAME,
    sampler::NAME,
    data::NAME,
    server_process::NAME,
    client::NAME,
    host::NAME,
    server_threads::NAME,
    foreground::NAME,
    innodb::NAME,
    index_lock::NAME,
    rocksdb::NAME,
    database::NAME,
];

/// Those of a server that speaks PostgreSQL's words.
pub const OF_POSTGRESQL: &[&str] = &[postgres::NAME, server_processes::NAME, client::NAME, host::NAME];

/// What is read only where somebody wants it.
#[derive(Debug, Default)]
pub struct SamplerNeeds {
    /// Of the workload to its data, at marks.
    pub questions: Vec<Question>,
    /// Those that are off by default were switched on.
    pub engine_counters: bool,
    /// By which users come past SQL.
    pub endpoint: Option<KeyEndpoint>,
}

/// The sources of a run that can be read there: without a session none of what the server tells, without a process of
/// ours no `server_process` and `server_threads`, and `rocksdb` only where that is the engine under test.
pub fn sources(
    ask: Option<Box<dyn Ask>>,
    server: Option<Process>,
    workers: &client::Workers,
    engine: &str,
    wanted: SamplerNeeds,
) -> Vec<Box<dyn Source>> {
    let asker = ask.map(|ask| Rc::new(RefCell::new(Asker::new(ask))));
    let mut sources: Vec<Box<dyn Source>> = Vec::new();
    let cache = wanted.endpoint.and_then(memcached::Memcached::of);
    let requests = cache.as_ref().map(memcached::Memcached::requests).unwrap_or_default();
    sources.extend(cache.map(|source| Box::new(source) as Box<dyn Source>));
    if asker.is_none() {
        sources.push(Box::new(sampler::Sampler(Box::new(move || requests.get()))));
    }
    if let Some(asker) = &asker {
        sources.push(Box::new(status::Status(asker.clone())));
        let counts = asker.clone();
        sources.push(Box::new(sampler::Sampler(Box::new(move || counts.borrow().statements))));
        sources.push(Box::new(data::Data::new(asker.clone(), wanted.questions)));
    }
    if let Some(process) = &server {
        sources.push(Box::new(server_process::ServerProcess(process.clone())));
    }
    sources.push(Box::new(client::Client::new(workers.clone())));
    sources.push(Box::new(host::HostWide));
    if let Some(process) = &server {
        sources.push(Box::new(server_threads::ServerThreads::new(process.clone())));
    }
    if let Some(asker) = asker {
        sources.push(Box::new(foreground::Foreground::new(asker.clone(), server)));
        sources.push(Box::new(innodb::Innodb::new(asker.clone())));
        if wanted.engine_counters {
            sources.push(Box::new(index_lock::IndexLock(asker.clone())));
        }
        if engine == rocksdb::NAME {
            sources.push(Box::new(rocksdb::RocksDb(asker.clone())));
        }
        sources.push(Box::new(database::Database::new(asker, engine)));
    }
    sources
}

/// The same of a PostgreSQL; `server` is the first of its processes.
pub fn sources_of_postgres(
    ask: Box<dyn Ask>,
    server: Option<Process>,
    workers: &client::Workers,
) -> Vec<Box<dyn Source>> {
    let processes = server.map(|first| Box::new(server_processes::ServerProcesses::new(first)) as Box<dyn Source>);
    let own: [Box<dyn Source>; 2] = [Box::new(client::Client::new(workers.clone())), Box::new(host::HostWide)];
    std::iter::once(Box::new(postgres::Postgres(ask)) as Box<dyn Source>).chain(processes).chain(own).collect()
}

/// What another node of a cluster tells, under names of its own: client and host are the same for all.
pub fn sources_of_node(number: u32, ask: Box<dyn Ask>, server: u32, engine: &str) -> Vec<Box<dyn Source>> {
    let all =
        sources(Some(ask), Some(Process::of(server)), &client::Workers::default(), engine, SamplerNeeds::default());
    let own = all.into_iter().filter(|source| ![client::NAME, host::NAME, data::NAME].contains(&source.name()));
    own.map(|source| Box::new(node::OfNode::new(number, source)) as Box<dyn Source>).collect()
}

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
    /// Drops what does not move on this server, and keeps the rest for those who read it under another name.
    pub(crate) fn tell(&mut self, source: &str, reading: &mut Reading) {
        let dialect = self.ask.dialect();
        let (dead, alive): (Vec<_>, Vec<_>) =
            reading.values.drain(..).partition(|(m, _)| dead::is_dead(dialect, &m.name));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::endpoint::Address;
    use crate::backends::keyed::{KeyProtocol, Keys};

    fn all_wanted() -> SamplerNeeds {
        let protocol = KeyProtocol::Memcached { dialect: wire::memcached::Dialect::Text, keys: Keys::All };
        let endpoint = KeyEndpoint { address: Address::Unix("/nowhere".into()), protocol };
        SamplerNeeds { engine_counters: true, endpoint: Some(endpoint), ..SamplerNeeds::default() }
    }

    #[test]
    fn every_source_is_read_in_the_order_of_the_list() {
        let all = sources(
            Some(Box::new(Refused("2002".into()))),
            Some(Process::of(1)),
            &client::Workers::default(),
            "rocksdb",
            all_wanted(),
        );
        assert_eq!(all.iter().map(|s| s.name()).collect::<Vec<_>>(), ALL);
        let refused = Box::new(Refused("57P01".into()));
        let of_postgres = sources_of_postgres(refused, Some(Process::of(1)), &client::Workers::default());
        assert_eq!(of_postgres.iter().map(|s| s.name()).collect::<Vec<_>>(), OF_POSTGRESQL);
    }

    #[test]
    fn what_cannot_be_read_is_missing_and_never_zero() {
        // No process has this number.
        let workers = client::Workers::default();
        for mut source in sources(
            Some(Box::new(Refused("2002".into()))),
            Some(Process::of(u32::MAX)),
            &workers,
            "rocksdb",
            all_wanted(),
        ) {
            if source.name() == database::NAME || source.name() == data::NAME {
                // It tells again what the others told, and they have said why they could not.
                continue;
            }
            let mut reading = Reading::default();
            source.read(Occasion::Mark, &mut reading);
            let broken = [
                "memcached",
                "status",
                "innodb",
                "index_lock",
                "rocksdb",
                "server_process",
                "server_threads",
                "foreground",
            ]
            .contains(&source.name());
            assert_eq!((reading.values.is_empty(), reading.missing.is_empty()), (broken, !broken), "{}", source.name());
        }
    }
}
