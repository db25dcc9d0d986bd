//! How the users of a group come to their sessions: the endpoints that they take, and what is said there first. Where
//! nobody says another way, users speak SQL as MySQL's family does; every other protocol says in its own folder what
//! its endpoint is and how users live there.

use super::endpoint::{Address, SqlEndpoint};
use super::{mysql, own_sessions};
use crate::load;
use crate::load::user::{Driver, User};
use model::Protocol;
use std::any::Any;
use std::fmt::Debug;
use std::future::ready;
use std::sync::Arc;
use workload::Workload;
use workload::cheapest::Cheapest;
use workload::life::{Life, Living};
use workload::session::Fault;

/// The load of a run, and a group of its users.
pub type LoadPlan = load::LoadPlan<Access>;
pub type UserGroup = load::UserGroup<Access>;

impl UserGroup {
    /// The least that these users can ask.
    pub fn cheapest(&self) -> Cheapest {
        let is_postgres = self.access.beside_as::<SqlEndpoint>().is_some();
        Cheapest::of(&self.workload.life(), is_postgres.then_some("pgsql"))
    }

    /// One of these users who asks nothing else.
    pub fn asking_least(&self) -> Self {
        Self::asking(Arc::new(self.cheapest()), Arc::clone(&self.parameters), self.access.clone())
    }
}

/// An endpoint for users who ask in another protocol than MySQL's. Whoever knows the protocol gets at the rest of it by
/// its type.
pub trait Endpoint: Any + Debug + Send + Sync {
    fn protocol(&self) -> Protocol;
    fn address(&self) -> &Address;
    /// The life of a user there, whose sessions say `setup` first; [`nowhere`] for one who speaks something else.
    fn live<'a>(&'a self, user: &'a User<Access>, setup: &'a [String], life: Life<'a>) -> Living<'a>;
    /// As other ranks are told of it; the protocol's `Backend` understands it.
    fn told(&self) -> serde_json::Value;
}

impl dyn Endpoint {
    pub fn downcast<T: Any>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

#[derive(Clone, Debug)]
pub struct Access {
    pub endpoint: SqlEndpoint,
    /// To the other nodes of a cluster: users take `endpoint` and these in turn.
    pub others: Vec<SqlEndpoint>,
    /// What each session says first.
    pub setup: Vec<String>,
    /// That of users who ask in another protocol.
    pub beside: Option<Arc<dyn Endpoint>>,
}

impl Access {
    /// One endpoint of SQL, where nothing is said first.
    pub fn to(endpoint: SqlEndpoint) -> Self {
        Self { endpoint, others: Vec::new(), setup: Vec::new(), beside: None }
    }

    /// The endpoint of users who ask in another protocol, where it is such a one.
    pub fn beside_as<T: Any>(&self) -> Option<&T> {
        self.beside.as_ref()?.downcast()
    }

    /// Where its first user goes.
    pub fn address(&self) -> &Address {
        self.beside.as_ref().map_or(&self.endpoint.address, |endpoint| endpoint.address())
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
        let postgres = self.beside_as().cloned().into_iter().collect();
        own_sessions::ScriptEndpoints { mysql, postgres }
    }
}

impl Driver for Access {
    async fn live(&self, user: &User<Self>) -> Result<(), Fault> {
        match (user.workload().life(), &self.beside) {
            (Life::Script(life), _) => own_sessions::live(user, &self.of_scripts(), life).await,
            (life, Some(endpoint)) => endpoint.live(user, &self.setup, life).await,
            (Life::Sql(life), None) => mysql::users::live(user, self.of(user.number), &self.setup, life).await,
            (life, None) => nowhere(&life).await,
        }
    }

    fn has_few_threads(&self, workload: &dyn Workload) -> bool {
        matches!(workload.life(), Life::KeyValue(_))
    }
}

/// The run was given no server that serves what its users speak.
#[cold]
pub fn nowhere<'a>(life: &Life<'_>) -> Living<'a> {
    let what = match life {
        Life::Sql(_) | Life::Script(_) => "SQL",
        Life::KeyValue(_) => "keys and values",
        Life::Documents(_) => "documents",
    };
    Box::pin(ready(Err(Fault::Unopened(format!("no server of {what} is known to this run")))))
}
