//! Which sources of numbers a run has: those of its server, which each backend lists, with those of the host, of
//! processes and of the load.

use super::access::Endpoint;
use super::memcached::samplers::Memcached;
use super::mysql::of_node::OfNode;
use super::mysql::samplers as mysql;
use super::postgres::samplers::Postgres;
use crate::samplers::source::{Available, Owner, Server, make};
use crate::samplers::{self, Ask, Asker, Process, Source, Workers};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use workload::audit::Question;

const EVERYBODY: &[Owner] = &[Owner::Server, Owner::Host];

/// What is read only where somebody wants it.
#[derive(Debug, Default)]
pub struct SamplerNeeds {
    /// The questions of the workload to its data, at marks.
    pub questions: Vec<Question>,
    /// Those that are off by default were switched on.
    pub engine_counters: bool,
    /// By which users come in another protocol than MySQL's.
    pub beside: Option<Arc<dyn Endpoint>>,
}

/// The sources of a run that can be read there: without a session none of what the server tells, without a process of
/// ours none that reads /proc of it.
pub fn sources(
    ask: Option<Box<dyn Ask>>,
    server: Option<Process>,
    workers: &Workers,
    engine: &str,
    wanted: SamplerNeeds,
) -> Vec<Box<dyn Source>> {
    let cache = wanted.beside.as_deref().and_then(Memcached::of);
    let available = Available {
        server: server.map(Server::OneProcess),
        asker: ask.map(|ask| Rc::new(RefCell::new(Asker::new(ask)))),
        requests: Some(cache.as_ref().map(Memcached::requests).unwrap_or_default()),
        workers: workers.clone(),
        engine: engine.into(),
        engine_counters: wanted.engine_counters,
        questions: wanted.questions,
    };
    let cache = cache.map(|source| Box::new(source) as Box<dyn Source>);
    cache.into_iter().chain(make(&[samplers::ALL, mysql::ALL], EVERYBODY, &available)).collect()
}

/// The same of a PostgreSQL; `server` is the first of its processes.
pub fn sources_of_postgres(
    ask: Box<dyn Ask>,
    server: Option<Process>,
    workers: &Workers,
    questions: Vec<Question>,
) -> Vec<Box<dyn Source>> {
    let server = server.map(Server::Processes);
    let asker = Rc::new(RefCell::new(Asker::new(ask)));
    let own = Box::new(Postgres::new(Rc::clone(&asker))) as Box<dyn Source>;
    let available =
        Available { server, asker: Some(asker), workers: workers.clone(), questions, ..Available::default() };
    [own].into_iter().chain(make(&[samplers::ALL], EVERYBODY, &available)).collect()
}

/// What another node of a cluster tells, under names of its own: client and host are the same for all.
pub fn sources_of_node(number: u32, ask: Box<dyn Ask>, server: u32, engine: &str) -> Vec<Box<dyn Source>> {
    let available = Available {
        server: Some(Server::OneProcess(Process::of(server))),
        asker: Some(Rc::new(RefCell::new(Asker::new(ask)))),
        engine: engine.into(),
        ..Available::default()
    };
    let own = make(&[samplers::ALL, mysql::ALL], &[Owner::Server], &available);
    own.into_iter().map(|source| Box::new(OfNode::new(number, source)) as Box<dyn Source>).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::keyed::{KeyEndpoint, KeyProtocol, Keys};
    use crate::os::address::Address;
    use crate::samplers::{Occasion, Reading, Refused};

    /// Nearest to the mark is what must agree with the client's own counts, then what that cost; last what says
    /// the same again.
    const OF_MYSQL: &[&str] = &[
        "memcached",
        "status",
        "sampler",
        "data",
        "server_process",
        "server_stops",
        "server_stands",
        "client",
        "host",
        "limits",
        "kernel_writes",
        "throttled",
        "server_threads",
        "server_disk",
        "foreground",
        "innodb",
        "index_lock",
        "rocksdb",
        "database",
    ];

    const OF_POSTGRESQL: &[&str] = &[
        "postgres",
        "sampler",
        "data",
        "server_processes",
        "server_stops",
        "server_stands",
        "client",
        "host",
        "limits",
        "kernel_writes",
        "throttled",
        "server_disk",
    ];

    fn all_wanted() -> SamplerNeeds {
        let protocol = KeyProtocol::Memcached { dialect: wire::memcached::Dialect::Text, keys: Keys::All };
        let endpoint = KeyEndpoint { address: Address::Unix("/nowhere".into()), protocol };
        SamplerNeeds { engine_counters: true, beside: Some(Arc::new(endpoint)), ..SamplerNeeds::default() }
    }

    #[test]
    fn every_source_is_read_in_its_turn() {
        let all = sources(
            Some(Box::new(Refused("2002".into()))),
            Some(Process::of(1)),
            &Workers::default(),
            "rocksdb",
            all_wanted(),
        );
        assert_eq!(all.iter().map(|s| s.name()).collect::<Vec<_>>(), OF_MYSQL);
        let refused = Box::new(Refused("57P01".into()));
        let of_postgres = sources_of_postgres(refused, Some(Process::of(1)), &Workers::default(), Vec::new());
        assert_eq!(of_postgres.iter().map(|s| s.name()).collect::<Vec<_>>(), OF_POSTGRESQL);
    }

    #[test]
    fn what_cannot_be_read_is_missing_and_never_zero() {
        // No process has this number.
        let workers = Workers::default();
        for mut source in sources(
            Some(Box::new(Refused("2002".into()))),
            Some(Process::of(u32::MAX)),
            &workers,
            "rocksdb",
            all_wanted(),
        ) {
            if ["database", "data", "limits", "kernel_writes", "server_stands"].contains(&source.name()) {
                // It tells again what the others told, and they have said why they could not; or no numbers; or it has
                // not looked yet.
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
                "server_disk",
                "foreground",
            ]
            .contains(&source.name());
            assert_eq!((reading.values.is_empty(), reading.missing.is_empty()), (broken, !broken), "{}", source.name());
        }
    }
}
