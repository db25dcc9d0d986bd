//! Which sources of numbers a run has: those of its server, by backend, among those of the host, of processes and of
//! the load, in the order in which they are read.

use super::access::Endpoint;
use super::memcached::samplers as memcached;
use super::mysql::samplers::{database, foreground, index_lock, innodb, node, rocksdb, status};
use super::postgres::samplers as postgres;
use crate::samplers::{Ask, Asker, Process, Source};
use crate::samplers::{
    client, data, host, sampler, server_process, server_processes, server_stops, server_threads, throttled,
};
use std::cell::RefCell;
use std::rc::Rc;
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
    server_stops::NAME,
    client::NAME,
    host::NAME,
    throttled::NAME,
    server_threads::NAME,
    foreground::NAME,
    innodb::NAME,
    index_lock::NAME,
    rocksdb::NAME,
    database::NAME,
];

/// Those of a server that speaks PostgreSQL's words.
pub const OF_POSTGRESQL: &[&str] =
    &[postgres::NAME, server_processes::NAME, server_stops::NAME, client::NAME, host::NAME, throttled::NAME];

/// What is read only where somebody wants it.
#[derive(Debug, Default)]
pub struct SamplerNeeds {
    /// The questions of the workload to its data, at marks.
    pub questions: Vec<Question>,
    /// Those that are off by default were switched on.
    pub engine_counters: bool,
    /// By which users come in another protocol than MySQL's.
    pub beside: Option<Endpoint>,
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
    let cache = wanted.beside.as_ref().and_then(memcached::Memcached::of);
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
        sources.push(Box::new(server_stops::ServerStops::new(process.clone())));
    }
    sources.push(Box::new(client::Client::new(workers.clone())));
    sources.push(Box::new(host::HostWide));
    sources.push(Box::new(throttled::Throttled::new(server.clone())));
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
    let mut sources: Vec<Box<dyn Source>> = vec![Box::new(postgres::Postgres(ask))];
    if let Some(first) = server.clone() {
        sources.push(Box::new(server_processes::ServerProcesses::new(first.clone())));
        sources.push(Box::new(server_stops::ServerStops::new(first)));
    }
    sources.push(Box::new(client::Client::new(workers.clone())));
    sources.push(Box::new(host::HostWide));
    sources.push(Box::new(throttled::Throttled::new(server)));
    sources
}

/// What another node of a cluster tells, under names of its own: client and host are the same for all.
pub fn sources_of_node(number: u32, ask: Box<dyn Ask>, server: u32, engine: &str) -> Vec<Box<dyn Source>> {
    let all =
        sources(Some(ask), Some(Process::of(server)), &client::Workers::default(), engine, SamplerNeeds::default());
    let own = all
        .into_iter()
        .filter(|source| ![client::NAME, host::NAME, throttled::NAME, data::NAME].contains(&source.name()));
    own.map(|source| Box::new(node::OfNode::new(number, source)) as Box<dyn Source>).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::keyed::{KeyEndpoint, KeyProtocol, Keys};
    use crate::os::address::Address;
    use crate::samplers::{Occasion, Reading, Refused};

    fn all_wanted() -> SamplerNeeds {
        let protocol = KeyProtocol::Memcached { dialect: wire::memcached::Dialect::Text, keys: Keys::All };
        let endpoint = KeyEndpoint { address: Address::Unix("/nowhere".into()), protocol };
        SamplerNeeds { engine_counters: true, beside: Some(Endpoint::Keys(endpoint)), ..SamplerNeeds::default() }
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
            if source.name() == "throttled" {
                // It reads the load's own groups too, which are always there.
                assert!(!reading.missing.is_empty(), "the server's groups cannot be read");
                continue;
            }
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
