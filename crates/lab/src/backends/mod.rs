//! One folder per protocol: which servers speak it, how they are named, started, loaded and read, and what one user
//! says through a session of it. What each of them does is the `contract`; here is the list of them, and who is asked
//! about which work and which server. `channel` and `tls` stand between every protocol and the line; `own_sessions` are
//! those that scripts open themselves.

pub mod access;
pub mod alone;
pub mod channel;
pub mod contract;
pub mod described;
pub mod dsn;
pub mod endpoint;
mod faults;
pub mod found;
#[cfg(test)]
mod golden;
pub mod handlersocket;
pub mod interrupting;
pub mod keyed;
pub mod kinds;
pub mod loading;
pub mod memcached;
pub mod mongodb;
pub mod mysql;
pub mod needs;
pub mod opening;
pub mod orders;
pub mod own_sessions;
pub mod postgres;
mod random;
mod reopening;
pub mod samplers;
pub mod schemas;
pub mod sql;
pub mod tls;
pub mod up;

pub use contract::{Backend, Files, Filling, Instruments, MakeSources, Met, Sampled, Servers, Started, Witness};

use crate::servers::catalogue;
use endpoint::protocol_of;
use model::dsn::protocol;
use model::plan::served::{serves, sql_of};
use model::{Protocol, Server, Work};
use up::Up;
use workload::Workloads;

pub fn of(protocol: Protocol) -> &'static dyn Backend {
    match protocol {
        Protocol::MySql => &mysql::MySql,
        Protocol::PostgreSql => &postgres::PostgreSql,
        Protocol::Memcached => &memcached::Memcached,
        Protocol::HandlerSocket => &handlersocket::HandlerSocket,
        Protocol::MongoDb => &mongodb::MongoDb,
    }
}

/// The backend of users who do this work on that server: they ask in whatever SQL it speaks.
pub fn of_work(workloads: &Workloads, work: &Work, server: &Server) -> &'static dyn Backend {
    let own = sql_of(server).filter(|named| named.is_sql());
    let asked = protocol_of(workloads, work);
    of(own.filter(|_| asked.is_sql()).unwrap_or(asked))
}

/// What knows that server: by its DSN, or by the kind of its build. A build that nobody knows is told of when it is to
/// start.
pub fn of_server(server: &Server) -> &'static dyn Servers {
    let known = match &server.on {
        Some(dsn) => of(protocol(dsn)).servers(),
        None => catalogue::find(&server.build).ok().and_then(|build| of_kind(&build.installed.kind)),
    };
    known.unwrap_or(&mysql::MySql)
}

/// What knows the server that is up, by what it said it is.
pub fn of_up(up: &Up) -> &'static dyn Servers {
    of_kind(&up.build.installed.kind).unwrap_or(&mysql::MySql)
}

/// By the first protocol of that kind that servers have as their own.
fn of_kind(kind: &str) -> Option<&'static dyn Servers> {
    let own = Protocol::ALL.into_iter().filter(|protocol| serves(kind, *protocol));
    own.filter_map(|protocol| of(protocol).servers()).next()
}
