//! An instance that serves: a server that the lab started, or one that it found, with the endpoints to it, the datasets
//! that lie in it, and what went over them since.

use super::endpoint::{Address, SqlEndpoint};
use super::found::Found;
use super::mongodb::session::Store;
use super::mysql::plugins::PortEndpoints;
use crate::servers::Build;
use crate::servers::process::instance::Instance;
use model::record::start::{Prepared, Restored};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use workload::session::documents::Offers;

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
    /// Where users by key come, once its endpoints are open: to read, and to write.
    pub key_addresses: Option<(Address, Address)>,
    /// What HandlerSocket wants to hear there.
    pub secrets: [String; 2],
    /// Where documents are kept: how one comes in, and what was found there.
    pub store: Option<(Store, Offers)>,
    /// Runs that went over them since.
    pub runs: u32,
    /// Whether one of those wrote.
    pub aged: bool,
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
            key_addresses: None,
            secrets: Default::default(),
            store: None,
            runs: 0,
            aged: false,
        }
    }
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
}

/// Alone with it: nobody else holds it between runs.
pub(crate) fn held(instance: &Mutex<Instance>) -> MutexGuard<'_, Instance> {
    instance.lock().expect("no panic while held")
}
