//! The whole contract of a protocol: `Backend` says how its users come to a server; where servers have the protocol as
//! their own, `Servers` starts from those that run and from those that are found, and `Files` from data directories
//! that can be kept cold. Everything is lent: nobody here owns an instance.

use super::access::{Endpoint, UserGroup};
use super::endpoint::SqlEndpoint;
use super::needs::DatasetNeed;
use super::samplers::SamplerNeeds;
use super::up::Up;
use crate::disturbances::scene::target::Target;
use crate::notebook::reporter::Reporter;
use crate::samplers::Workers;
use crate::samplers::{Process, Source};
use crate::servers::process::instance::Instance;
use crate::servers::{Build, Kind};
use crate::trouble::{Trouble, Unready};
use model::record::explain::Explain;
use model::record::start::Restored;
use model::record::state::State;
use model::{Cell, DatasetRecord, PlannedRun, Server, SessionAnswer, StartingState, StatementPlan, Users, Work};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use workload::Workloads;
use workload::session::Fault;

/// One protocol in which users ask.
pub trait Backend: Sync {
    /// Servers whose own protocol it is; `None` where only a plugin of others speaks it.
    fn servers(&self) -> Option<&'static dyn Servers>;

    /// Opens what users who do this work come by, and looks whether it leads to their data. Servers are up, and data
    /// lie in them.
    fn open(
        &self,
        up: &mut Up,
        workloads: &Workloads,
        cell: &Cell,
        work: &Work,
        needs: &[DatasetNeed],
    ) -> Result<(), Unready>;

    /// Where users who do this work come in, where that is not by MySQL's SQL.
    fn endpoint(&self, up: &Up, workloads: &Workloads, work: &Work, cell: &Cell) -> Option<Arc<dyn Endpoint>>;

    /// The same endpoint in another rank, which was told of it.
    fn endpoint_told(&self, told: serde_json::Value) -> Option<Arc<dyn Endpoint>>;

    /// What a session of these users says of itself, with the plans of their statements. Further values of statements
    /// are asked for as long as `patience` lasts.
    fn ask(&self, users: &UserGroup, patience: Duration) -> Result<SessionAnswer, Fault>;

    /// Those of the plans that read otherwise now; `None` where there are no plans, or nobody says them any more.
    fn ask_again(&self, users: &UserGroup, plans: &[StatementPlan]) -> Option<BTreeMap<String, String>>;

    /// Somebody who answers questions about the data of these users, after saying `setup`.
    fn witness(&self, users: &UserGroup, setup: &[String]) -> Result<Box<dyn Witness>, String>;
}

/// Answers one question about data at a time.
pub trait Witness {
    fn number(&mut self, question: &str) -> Result<i64, String>;
}

/// Servers of one protocol: those that the lab starts, and those that it finds.
pub trait Servers: Sync {
    /// Those kinds of them that the lab starts by itself.
    fn kinds(&self) -> &'static [&'static dyn Kind];

    /// Refuses, before a record is begun, a server that is not there or that cannot take so many users.
    fn check(&self, dsn: &str, users: Users) -> Result<(), Trouble>;

    /// Asks a server that has just started what it is, and writes it down.
    fn started(&self, started: Started<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble>;

    /// Looks at a server that was there before, and writes down what it is.
    fn meet(&self, met: &Met<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble>;

    /// What keeps their data in files, where they can be kept cold and served from a copy.
    fn files(&self) -> Option<&'static dyn Files> {
        None
    }

    /// Brings those of these data into the server that are not there yet, or finds them there. What its users left
    /// behind is gone already, in a server of ours.
    fn fill(&self, filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready>;

    /// From here on users are at work. Before they write into what outlives the lab, it stops being called a dataset.
    fn begin_use(&self, _: &Up, _needs: &[DatasetNeed], _writes: bool) -> Result<(), Fault> {
        Ok(())
    }

    /// What a run begins with, as far as the server says it.
    fn state(&self, _: &Up, _needs: &[DatasetNeed]) -> Option<StartingState> {
        None
    }

    /// What holds now, for users who come so: read when they come and again when they have left. What the server does
    /// not say is left out.
    fn observe(&self, _: &Up, _users: &[&UserGroup], _needs: &[DatasetNeed]) -> Vec<State> {
        Vec::new()
    }

    /// The threads or processes in which the server serves those who are connected, but for whoever asks here: where
    /// users have left, the lab's own sessions. None where it does not say them.
    fn serving(&self, _: &Up, _users: &[&UserGroup]) -> Vec<u32> {
        Vec::new()
    }

    /// As disturbances of these data come to it; who speaks no SQL refuses them.
    fn target(&self, up: &Up, _needs: &[DatasetNeed]) -> Arc<dyn Target> {
        Arc::new(up.endpoint.clone())
    }

    /// Switches on what tells where the time of an explain run goes, to which these users come; why not, where that
    /// cannot be.
    fn instruments(&self, _: &Up, _: &Cell, _users: &[&UserGroup]) -> Result<Box<dyn Instruments>, String> {
        Err("assay knows no instruments of this server that tell where its time goes".into())
    }

    /// Begins to bring the server to rest between the phases of a run: what it then does by itself is waited for. Why
    /// not, where it is not helped to it.
    fn settling(&self, _: &Up, _needs: &[DatasetNeed], _engine: &str) -> Result<Box<dyn Settling>, String> {
        Err("assay knows no words that bring this server to rest".into())
    }

    /// The limit of sessions that has just refused some of these users, as one would raise it; `None` where it does not
    /// say it.
    fn session_limit(&self, _: &UserGroup) -> Option<String> {
        None
    }

    /// Who is read while a run goes on: the server, every node of it, this host and the load.
    fn sources(&self, up: &Up, sampled: Sampled<'_>) -> MakeSources;

    /// Takes away what the lab left in a server of others, and says what became of it.
    fn leave(&self, _: &Up, _: &mut Reporter<'_>) {}
}

/// A server on its way to rest.
pub trait Settling {
    /// Puts back what was set for it.
    fn over(self: Box<Self>) -> Result<(), String>;
}

/// Instruments that are switched on for one run.
pub trait Instruments {
    /// What they saw; they are put back.
    fn explained(self: Box<Self>) -> Explain;
}

/// Makes sources, on the thread that reads them.
pub type MakeSources = Box<dyn FnOnce() -> Vec<Box<dyn Source>> + Send>;

/// What is read of a run.
pub struct Sampled<'a> {
    pub server: &'a Server,
    /// The first of its users.
    pub users: &'a UserGroup,
    /// How long an answer may take.
    pub patience: Duration,
    pub needs: SamplerNeeds,
    /// The server's own, when it runs on this host.
    pub process: Option<Process>,
    pub workers: Workers,
}

/// Servers whose data directory can be kept cold after a clean end, and served from a copy.
pub trait Files: Sync {
    /// Loads one dataset into the instance that is up; `Err` inside says why this build cannot hold it.
    fn load(&self, filling: &mut Filling<'_, '_>, need: &DatasetNeed)
    -> Result<Result<DatasetRecord, String>, Unready>;

    /// Brings the server to rest: it is ended next, and its files then need no recovery.
    fn settle(&self, up: &Up, engine: &str) -> Result<(), Fault>;

    /// Compares rows in that schema with their generator: how many were, and how many differ.
    fn compare(&self, up: &Up, schema: &str, need: &DatasetNeed) -> Result<(u64, u64), String>;

    /// Waits until every node of a cluster has all that was loaded, and counts its rows.
    fn nodes_agree(&self, up: &Up, record: &DatasetRecord) -> Result<(), Unready>;
}

/// A server of ours that has just started; one process for each node of a cluster.
pub struct Started<'a> {
    pub key: &'a str,
    pub server: &'a Server,
    pub build: &'a Build,
    pub instance: Instance,
    /// From the second node on.
    pub others: Vec<Instance>,
    /// Its port on loopback.
    pub tcp: Option<u16>,
    /// What its data were restored from.
    pub restored: Option<Restored>,
}

/// A server that was there before the lab.
pub struct Met<'a> {
    pub key: &'a str,
    pub server: &'a Server,
    pub dsn: &'a str,
    /// The way in, where somebody knows more of it than the DSN says.
    pub known: Option<&'a SqlEndpoint>,
}

/// Data on their way into the instance that is up.
pub struct Filling<'a, 'r> {
    pub up: &'a mut Up,
    pub run: &'a PlannedRun,
    /// Whether the run changes them.
    pub writes: bool,
    /// How many sessions load side by side.
    pub sessions: usize,
    pub reporter: &'a mut Reporter<'r>,
}
