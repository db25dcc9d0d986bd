//! The protocols in which users ask servers. A workload declares those that it can be spoken in, a kind of server those
//! that it serves, and a DSN names one by its scheme. Everything that depends on a protocol matches on this, so that a
//! new one is asked for by the compiler wherever it matters.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// SQL as MySQL's family speaks it.
    MySql,
    /// SQL as PostgreSQL speaks it.
    PostgreSql,
    Memcached,
    HandlerSocket,
    MongoDb,
}

impl Protocol {
    pub const ALL: [Self; 5] = [Self::MySql, Self::PostgreSql, Self::Memcached, Self::HandlerSocket, Self::MongoDb];

    /// As records and messages say it.
    pub fn name(self) -> &'static str {
        match self {
            Self::MySql => "mysql",
            Self::PostgreSql => "postgresql",
            Self::Memcached => "memcached",
            Self::HandlerSocket => "handlersocket",
            Self::MongoDb => "mongodb",
        }
    }

    /// What a DSN of such a server begins with, before `://`; `None` where assay opens the way itself, on servers that
    /// it starts.
    pub fn scheme(self) -> Option<&'static str> {
        match self {
            Self::MySql => Some("mysql"),
            Self::PostgreSql => Some("postgres"),
            Self::Memcached => Some("memcached"),
            Self::HandlerSocket => None,
            Self::MongoDb => Some("mongodb"),
        }
    }

    pub fn of_scheme(scheme: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.scheme() == Some(scheme))
    }

    /// Whether statements of SQL are said in it.
    pub fn is_sql(self) -> bool {
        match self {
            Self::MySql | Self::PostgreSql => true,
            Self::Memcached | Self::HandlerSocket | Self::MongoDb => false,
        }
    }

    /// Whether rows are asked for by their keys, as values.
    pub fn is_key_value(self) -> bool {
        match self {
            Self::Memcached | Self::HandlerSocket => true,
            Self::MySql | Self::PostgreSql | Self::MongoDb => false,
        }
    }
}

/// Workloads that are not spoken in SQL. A record names its workloads and not their protocols, so that whoever reads
/// one looks here; a test holds that this is what the workloads themselves declare.
const PAST_SQL: [(&str, Protocol); 5] = [
    ("kv.memcached", Protocol::Memcached),
    ("kv.memcached_mix", Protocol::Memcached),
    ("kv.handlersocket", Protocol::HandlerSocket),
    ("kv.handlersocket_mix", Protocol::HandlerSocket),
    ("linkbench.mongodb", Protocol::MongoDb),
];

/// The protocol past SQL in which users of a recorded workload asked; `None` where they asked in SQL.
pub fn past_sql(workload: &str) -> Option<Protocol> {
    PAST_SQL.into_iter().find(|(name, _)| *name == workload).map(|(_, protocol)| protocol)
}
