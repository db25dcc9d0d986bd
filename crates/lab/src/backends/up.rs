//! An instance that serves: a server that the lab started, or one that it found, with the endpoints to it, the datasets
//! that lie in it, and what went over them since.

use super::endpoint::{Address, SqlEndpoint};
use super::found::Found;
use super::mysql::plugins::PortEndpoints;
use super::needs::DatasetNeed;
use crate::notebook::reporter::Reporter;
use crate::os::process::Ended;
use crate::servers::Build;
use crate::servers::process::instance::Instance;
use model::protocol::Protocol;
use model::record::event::EventKind;
use model::record::start::{Prepared, Restored};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// How long the news of a server's death may take after its sessions broke: the guard wakes up for it on a busy
/// machine.
pub(crate) const NEWS: Duration = Duration::from_millis(500);

/// An instance that serves.
pub struct Up {
    pub key: String,
    pub server: Serving,
    /// Outside any schema.
    pub endpoint: SqlEndpoint,
    /// The other nodes of a cluster, from the second on.
    pub nodes: Vec<Node>,
    /// Beside that one, for users.
    pub endpoints: PortEndpoints,
    /// Datasets that were prepared in it: the schema, or why it cannot hold them.
    pub datasets: BTreeMap<String, Result<String, String>>,
    /// Those of them that this lab loaded into a server that was there before, beside others that it found.
    pub filled: BTreeSet<String>,
    /// How they came there.
    pub prepared: Prepared,
    pub restored: Option<Restored>,
    /// What it is a build of; a found server's is unknown.
    pub build: Build,
    /// What is up where it is no server of MySQL's family, as its backend knows it.
    pub own: Option<Box<dyn Any + Send + Sync>>,
    /// Listeners of plugins that were opened: to read, and to write.
    pub listeners: BTreeMap<Protocol, [Listener; 2]>,
    /// Runs that went over them since.
    pub runs: u32,
    /// Whether one of those wrote.
    pub aged: bool,
    /// It was found dead.
    pub is_gone: bool,
}

impl Up {
    pub(crate) fn new(key: &str, server: Serving, build: Build, endpoint: SqlEndpoint, prepared: Prepared) -> Self {
        let key = key.to_string();
        let endpoints = PortEndpoints::default();
        Self {
            key,
            server,
            endpoint,
            nodes: Vec::new(),
            endpoints,
            datasets: BTreeMap::new(),
            filled: BTreeSet::new(),
            prepared,
            restored: None,
            build,
            own: None,
            listeners: BTreeMap::new(),
            runs: 0,
            aged: false,
            is_gone: false,
        }
    }

    /// What is up, where it is such a one.
    pub fn own_as<T: Any>(&self) -> Option<&T> {
        self.own.as_ref()?.downcast_ref()
    }

    /// Schemas of those data that lie in it.
    pub fn schemas<'a>(&'a self, needs: &'a [DatasetNeed]) -> impl Iterator<Item = &'a String> {
        needs.iter().filter_map(|need| self.datasets.get(&need.name)?.as_ref().ok())
    }

    /// Why it cannot hold one of those data, where it cannot.
    pub fn unsupported(&self, needs: &[DatasetNeed]) -> Option<&String> {
        needs.iter().find_map(|need| self.datasets.get(&need.name)?.as_ref().err())
    }

    /// Whether a run that needs these data and changes them, or not, finds them as they were loaded.
    pub fn is_fresh(&self, writes: bool) -> bool {
        !(self.aged || writes && self.runs > 0)
    }

    /// Says how the instance ended when it ended by itself; news of it may take as long as `patience`.
    pub fn died(&mut self, patience: Duration, reporter: &Reporter<'_>) -> Option<String> {
        let Serving::Ours(instance) = &self.server else { return None };
        let mut instance = held(instance);
        let alone = self.nodes.is_empty();
        let all = std::iter::once(&mut *instance).chain(self.nodes.iter_mut().map(|node| &mut node.instance));
        let first = (1..).zip(all).find_map(|(number, one)| Some((number, one.ended(patience)?, one)));
        let (number, ended, one) = first?;
        let _ = reporter.notebook.error_log(&key_of(&self.key, number), &one.log_tail());
        let why = one.last_complaint().map_or(String::new(), |complaint| format!(", having said: {complaint}"));
        let who = if alone { "the server".to_string() } else { format!("node {number} of the cluster") };
        let how = if ended == Ended::Code(0) { "was shut down by somebody else" } else { "ended by itself" };
        let text = format!("{who} {how} ({ended}{why})");
        let _ = reporter.note(EventKind::InstanceDied, None, format!("{}: {text}", self.key));
        drop(instance);
        self.is_gone = true;
        Some(text)
    }
}

/// Where users of a plugin come in, and what they say there first; empty where nothing is wanted.
#[derive(Clone)]
pub struct Listener {
    pub address: Address,
    pub secret: String,
}

/// The name of one node in a record; the first has that of a single server.
pub fn key_of(key: &str, node: u32) -> String {
    if node == 1 { key.to_string() } else { format!("{key}-node{node}") }
}

/// Where SQL would be in a server that has none: nowhere, so that whoever asks is refused at once.
pub fn no_sql() -> SqlEndpoint {
    SqlEndpoint::root("/nowhere/no-sql-here".into())
}

/// A node of a cluster that is not its first.
pub struct Node {
    pub instance: Instance,
    pub endpoint: SqlEndpoint,
}

/// Who serves.
pub enum Serving {
    /// A disturbance may have it killed and started again.
    Ours(Arc<Mutex<Instance>>),
    Found(Found),
}

impl Serving {
    /// The server's process, when it runs on this host.
    pub fn pid(&self) -> Option<u32> {
        match self {
            Self::Ours(instance) => Some(held(instance).pid()),
            Self::Found(found) => found.pid,
        }
    }

    /// The schema that the DSN of a found server names.
    pub fn named_schema(&self) -> Option<&String> {
        match self {
            Self::Ours(_) => None,
            Self::Found(found) => found.schema.as_ref(),
        }
    }
}

/// Alone with it: nobody else holds it between runs.
pub(crate) fn held(instance: &Mutex<Instance>) -> MutexGuard<'_, Instance> {
    instance.lock().expect("no panic while held")
}
