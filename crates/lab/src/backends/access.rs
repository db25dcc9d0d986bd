//! How the users of a group come to their sessions: the endpoints that they take, by protocol, and what is said there
//! first. What a life speaks decides which protocol's sessions it is given; a new protocol has its rows here. How the
//! lab itself comes in, where that is not by SQL, lies beside them.

use super::endpoint::{Address, SqlEndpoint};
use super::keyed::KeyEndpoint;
use super::memcached::guest::Cache;
use super::mongodb::session::DocumentEndpoint;
use super::{keyed, mongodb, mysql, own_sessions, postgres};
use crate::load;
use crate::load::user::{Driver, User};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use workload::Workload;
use workload::cheapest::Cheapest;
use workload::life::Life;
use workload::session::Fault;

/// The load of a run, and a group of its users.
pub type LoadPlan = load::LoadPlan<Access>;
pub type UserGroup = load::UserGroup<Access>;

impl UserGroup {
    /// The least that these users can ask.
    pub fn cheapest(&self) -> Cheapest {
        let is_postgres = self.access.beside.as_ref().and_then(Endpoint::postgres).is_some();
        Cheapest::of(&self.workload.life(), is_postgres.then_some("pgsql"))
    }

    /// One of these users who asks nothing else.
    pub fn asking_least(&self) -> Self {
        Self::asking(Arc::new(self.cheapest()), Arc::clone(&self.parameters), self.access.clone())
    }
}

/// An endpoint for users who ask in another protocol than MySQL's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Endpoint {
    PostgreSql(SqlEndpoint),
    Keys(KeyEndpoint),
    Documents(DocumentEndpoint),
}

impl Endpoint {
    pub fn postgres(&self) -> Option<&SqlEndpoint> {
        match self {
            Self::PostgreSql(endpoint) => Some(endpoint),
            Self::Keys(_) | Self::Documents(_) => None,
        }
    }
    pub fn keys(&self) -> Option<&KeyEndpoint> {
        match self {
            Self::Keys(endpoint) => Some(endpoint),
            Self::PostgreSql(_) | Self::Documents(_) => None,
        }
    }
    pub fn documents(&self) -> Option<&DocumentEndpoint> {
        match self {
            Self::PostgreSql(_) | Self::Keys(_) => None,
            Self::Documents(endpoint) => Some(endpoint),
        }
    }
}

/// What is up where it is no server of MySQL's family, as its backend knows it.
pub enum Own {
    Cache(Cache),
    Documents(DocumentEndpoint),
    PostgreSql(SqlEndpoint),
}

impl Own {
    pub fn cache(&self) -> Option<&Cache> {
        match self {
            Self::Cache(cache) => Some(cache),
            Self::Documents(_) | Self::PostgreSql(_) => None,
        }
    }
    pub fn documents(&self) -> Option<&DocumentEndpoint> {
        match self {
            Self::Cache(_) | Self::PostgreSql(_) => None,
            Self::Documents(endpoint) => Some(endpoint),
        }
    }
    pub fn postgres(&self) -> Option<&SqlEndpoint> {
        match self {
            Self::Cache(_) | Self::Documents(_) => None,
            Self::PostgreSql(endpoint) => Some(endpoint),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Access {
    pub endpoint: SqlEndpoint,
    /// To the other nodes of a cluster: users take `endpoint` and these in turn.
    pub others: Vec<SqlEndpoint>,
    /// What each session says first.
    pub setup: Vec<String>,
    /// That of users who ask in another protocol.
    pub beside: Option<Endpoint>,
}

impl Access {
    /// One endpoint of SQL, where nothing is said first.
    pub fn to(endpoint: SqlEndpoint) -> Self {
        Self { endpoint, others: Vec::new(), setup: Vec::new(), beside: None }
    }

    /// Where its first user goes.
    pub fn address(&self) -> &Address {
        match &self.beside {
            None => &self.endpoint.address,
            Some(Endpoint::PostgreSql(endpoint)) => &endpoint.address,
            Some(Endpoint::Keys(endpoint)) => &endpoint.address,
            Some(Endpoint::Documents(endpoint)) => &endpoint.store.address,
        }
    }

    /// The endpoint that a user takes, always the same.
    fn of(&self, user: u32) -> &SqlEndpoint {
        match user as usize % (self.others.len() + 1) {
            0 => &self.endpoint,
            n => &self.others[n - 1],
        }
    }

    fn of_scripts(&self) -> own_sessions::ScriptEndpoints {
        let mysql = std::iter::once(&self.endpoint).chain(&self.others).cloned().collect();
        let postgres = self.beside.as_ref().and_then(Endpoint::postgres).cloned().into_iter().collect();
        own_sessions::ScriptEndpoints { mysql, postgres }
    }
}

impl Driver for Access {
    async fn live(&self, user: &User<Self>) -> Result<(), Fault> {
        let beside = self.beside.as_ref();
        match user.workload().life() {
            Life::Sql(life) => match beside.and_then(Endpoint::postgres) {
                Some(endpoint) => postgres::users::live(user, endpoint, &self.setup, life).await,
                None => mysql::users::live(user, self.of(user.number), &self.setup, life).await,
            },
            Life::KeyValue(life) => {
                let endpoint = beside.and_then(Endpoint::keys).ok_or_else(|| nowhere("keys and values"))?;
                keyed::users::live(user, endpoint, life).await
            }
            Life::Documents(life) => {
                let endpoint = beside.and_then(Endpoint::documents).ok_or_else(|| nowhere("documents"))?;
                mongodb::users::live(user, endpoint, life).await
            }
            Life::Script(life) => own_sessions::live(user, &self.of_scripts(), life).await,
        }
    }

    fn has_few_threads(&self, workload: &dyn Workload) -> bool {
        matches!(workload.life(), Life::KeyValue(_))
    }
}

/// The run was given no server that serves what its users speak.
#[cold]
fn nowhere(what: &str) -> Fault {
    Fault::Unopened(format!("no server of {what} is known to this run"))
}
