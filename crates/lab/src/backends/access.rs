//! How the users of a group come to their sessions: the endpoints that they take, by protocol, and what is said there
//! first. What a life speaks decides which protocol's sessions it is given; a new protocol has one row here.

use super::endpoint::SqlEndpoint;
use super::keyed::KeyEndpoint;
use super::mongodb::session::DocumentEndpoint;
use super::{keyed, mongodb, mysql, own_sessions};
use crate::load;
use crate::load::user::{Driver, User};
use workload::Workload;
use workload::life::Life;
use workload::session::Fault;

/// The load of a run, and a group of its users.
pub type LoadPlan = load::LoadPlan<Access>;
pub type UserGroup = load::UserGroup<Access>;

/// An endpoint past SQL, for users who speak another protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    Keys(KeyEndpoint),
    Documents(DocumentEndpoint),
}

impl Endpoint {
    pub fn keys(&self) -> Option<&KeyEndpoint> {
        match self {
            Self::Keys(endpoint) => Some(endpoint),
            Self::Documents(_) => None,
        }
    }
    pub fn documents(&self) -> Option<&DocumentEndpoint> {
        match self {
            Self::Keys(_) => None,
            Self::Documents(endpoint) => Some(endpoint),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Access {
    pub endpoint: SqlEndpoint,
    /// To the other nodes of a cluster: users take `endpoint` and these in turn.
    pub others: Vec<SqlEndpoint>,
    /// What each session says first.
    pub setup: Vec<String>,
    /// That of PostgreSQL, for users who open their sessions themselves.
    pub postgres: Option<SqlEndpoint>,
    /// The endpoint of users who do not speak SQL.
    pub past_sql: Option<Endpoint>,
}

impl Access {
    /// One endpoint of SQL, where nothing is said first.
    pub fn to(endpoint: SqlEndpoint) -> Self {
        Self { endpoint, others: Vec::new(), setup: Vec::new(), postgres: None, past_sql: None }
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
        own_sessions::ScriptEndpoints { mysql, postgres: self.postgres.clone() }
    }
}

impl Driver for Access {
    async fn live(&self, user: &User<Self>) -> Result<(), Fault> {
        match (user.workload().life(), &self.past_sql) {
            (Life::Sql(life), _) => mysql::users::live(user, self.of(user.number), &self.setup, life).await,
            (Life::KeyValue(life), Some(Endpoint::Keys(endpoint))) => keyed::users::live(user, endpoint, life).await,
            (Life::Documents(life), Some(Endpoint::Documents(endpoint))) => {
                mongodb::users::live(user, endpoint, life).await
            }
            (Life::Script(life), _) => own_sessions::live(user, &self.of_scripts(), life).await,
            (Life::KeyValue(_), None | Some(Endpoint::Documents(_))) => Err(nowhere("keys and values")),
            (Life::Documents(_), None | Some(Endpoint::Keys(_))) => Err(nowhere("documents")),
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
