//! The protocols in which users ask servers. A workload declares those that it can be spoken in, a kind of server those
//! that it serves, a DSN names one by its scheme, and a plan writes down those of each cell. Everything that depends on
//! a protocol matches on this, so that a new one is asked for by the compiler wherever it matters.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

    /// What a DSN of such a server begins with, before `://`, and the port where it names none; `None` where assay
    /// opens the way itself, on servers that it starts.
    fn in_dsn(self) -> Option<(&'static str, u16)> {
        match self {
            Self::MySql => Some(("mysql", 3306)),
            Self::PostgreSql => Some(("postgres", 5432)),
            Self::Memcached => Some(("memcached", 11211)),
            Self::HandlerSocket => None,
            Self::MongoDb => Some(("mongodb", 27017)),
        }
    }

    pub fn scheme(self) -> Option<&'static str> {
        self.in_dsn().map(|(scheme, _)| scheme)
    }

    /// The usual port of its servers.
    pub fn port(self) -> Option<u16> {
        self.in_dsn().map(|(_, port)| port)
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

#[cfg(test)]
mod tests {
    use super::Protocol;

    #[test]
    fn a_plan_writes_a_protocol_by_its_name() {
        for protocol in Protocol::ALL {
            assert_eq!(serde_json::to_value(protocol).unwrap(), protocol.name());
        }
    }
}
