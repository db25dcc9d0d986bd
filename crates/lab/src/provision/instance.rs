//! The one instance that is up: started when a run wants a server that is not, asked what it really is, and taken down
//! when the next run wants another. One at a time, because two idle servers are not idle. A server that was found is
//! only left alone instead of started and taken down.

use super::prepare::told;
use super::snapshots::StoredSnapshot;
use super::snapshots::rest::{settle, warm};
use crate::backends::endpoint::{Address, SqlEndpoint};
use crate::backends::mongodb::session::Store;
use crate::backends::mysql::control::Control;
use crate::backends::mysql::found::{Found, build_of, knock, knock_at};
use crate::backends::mysql::plugins::{PortEndpoints, free_port};
use crate::campaign::{Lab, Unready};
use crate::os::process::{Ended, cpus_of};
use crate::servers::placement::place;
use crate::servers::process::cluster::{self, Fill};
use crate::servers::process::instance::{Instance, STOP_PATIENCE, Wish, key};
use crate::servers::{Build, catalogue};
use crate::trouble::Trouble;
use model::dsn;
use model::host::InstalledBuild;
use model::plan::served::{CACHE, FERRETDB, serves};
use model::plan::{Cell, Server};
use model::protocol::Protocol;
use model::record::answer::InstanceRecord;
use model::record::event::EventKind;
use model::record::start::{Prepared, Restored};
use model::topology::Topology;
use model::units::Nanos;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use workload::session::Fault;
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

impl Lab<'_> {
    /// Makes sure that the cell's server is up, whatever lies in it.
    pub(crate) fn instance(&mut self, cell: &Cell) -> Result<(), Unready> {
        let key = key(&cell.server);
        if self.up.as_ref().is_some_and(|up| up.key == key) && self.died(Duration::ZERO).is_none() {
            return Ok(());
        }
        self.bring_up(cell, None)
    }

    /// A new instance, empty or on a copy of a snapshot.
    pub(crate) fn bring_up(&mut self, cell: &Cell, kept: Option<&StoredSnapshot>) -> Result<(), Unready> {
        let key = key(&cell.server);
        if let Some(reason) = self.refused.get(&key) {
            return Err(Unready::Fail(reason.clone()));
        }
        self.take_down();
        let verb = if cell.server.on.is_some() { "looking at" } else { "starting" };
        self.progress.say(&format!("{verb} {}", cell.server.build));
        self.notebook.note(EventKind::InstanceStarting, None, format!("{} ({key})", cell.server.build))?;
        let up = match &cell.server.on {
            Some(dsn) => match dsn::protocol(dsn) {
                Protocol::MongoDb => self.meet_documents(&key, &cell.server, dsn),
                Protocol::PostgreSql => self.meet_postgres(&key, &cell.server, dsn),
                Protocol::Memcached => self.meet_cache(&key, &cell.server, dsn),
                Protocol::MySql | Protocol::HandlerSocket => self.meet(&key, &cell.server, dsn),
            },
            None => self.start(&key, &cell.server, kept),
        };
        match up {
            Ok(up) => {
                self.up = Some(up);
                Ok(())
            }
            Err(trouble) => {
                // A server that was given up for a stop has not failed its runs.
                self.check_stop().map_err(Unready::Halt)?;
                let reason = trouble.to_string();
                self.notebook.note(EventKind::InstanceDied, None, reason.clone())?;
                self.refused.insert(key, reason.clone());
                Err(Unready::Fail(reason))
            }
        }
    }

    fn start(&mut self, key: &str, server: &Server, kept: Option<&StoredSnapshot>) -> Result<Up, Trouble> {
        let build = catalogue::find(&server.build)?;
        let cpus = place(server, self.host).server;
        let wish = Wish {
            folders: &self.folders,
            guard: &self.guard,
            build: &build,
            server,
            cpus: &cpus,
            tcp: (server.tcp && server.topology.is_single() && serves(&build.installed.kind, Protocol::MySql))
                .then(free_port)
                .transpose()?,
            stop: self.stop,
        };
        let mut restored = None;
        let mut restore = |data: &Path| -> Result<(), Trouble> {
            let kept = kept.expect("called only where something is kept");
            restored = Some(told(kept, &self.store.restore(kept, data, self.stop)?));
            Ok(())
        };
        let fill: Option<Fill> = if kept.is_some() { Some(&mut restore) } else { None };
        let mut all = match (server.topology, fill) {
            (Topology::Single, None) => vec![Instance::provision(&wish)?],
            (Topology::Single, Some(fill)) => vec![Instance::provision_on(&wish, fill)?],
            (Topology::Galera { nodes }, fill) => cluster::provision(&wish, nodes, fill)?,
        };
        let others = all.split_off(1);
        let instance = all.remove(0);
        if build.installed.kind == CACHE {
            return self.start_cache(key, server, &build, instance);
        }
        if build.installed.kind == FERRETDB {
            return self.start_documents(key, server, &build, instance);
        }
        let endpoint = SqlEndpoint::root(instance.socket().to_path_buf());
        let mut control =
            Control::connect(&endpoint).map_err(|e| Trouble::new("the new server refuses the lab").because(e))?;
        let asked = describe(key, server, &mut control)
            .map_err(|e| Trouble::new("the new server does not say what it is").because(e))?;
        let record = of_ours(asked, &build.installed, &instance, wish.tcp);
        let endpoints = wish.tcp.map(|port| PortEndpoints::open(port, instance.ca(), &mut control)).transpose()?;
        if restored.is_some() {
            warm(&mut control, self.stop);
        }
        control.quit();
        self.notebook.instance(&record)?;
        let text = format!("{} {} is ready after {}", record.kind, record.version_text, record.start_time);
        self.notebook.note(EventKind::InstanceReady, None, text)?;
        for complaint in &record.complaints {
            self.notebook.note(EventKind::Note, None, format!("{key} says: {complaint}"))?;
        }
        let prepared = if restored.is_some() { Prepared::Snapshot } else { Prepared::Loaded };
        let up = Up::new(key, Serving::Ours(Arc::new(Mutex::new(instance))), build.clone(), endpoint, prepared);
        let nodes = (2..).zip(others).map(|(number, instance)| self.node(&up.key, number, server, &build, instance));
        let nodes = nodes.collect::<Result<_, Trouble>>()?;
        Ok(Up { restored, nodes, endpoints: endpoints.unwrap_or_default(), ..up })
    }

    /// Asks another node of a cluster what it is.
    fn node(
        &self,
        key: &str,
        number: u32,
        server: &Server,
        build: &Build,
        instance: Instance,
    ) -> Result<Node, Trouble> {
        let endpoint = SqlEndpoint::root(instance.socket().to_path_buf());
        let asked = Control::connect(&endpoint).and_then(|mut control| {
            let asked = describe(&key_of(key, number), server, &mut control)?;
            warm(&mut control, self.stop);
            control.quit();
            Ok(asked)
        });
        let asked = asked.map_err(|e| Trouble::new(format!("node {number} does not say what it is")).because(e))?;
        self.notebook.instance(&of_ours(asked, &build.installed, &instance, None))?;
        Ok(Node { instance, endpoint })
    }

    /// Looks at a server that is there already.
    fn meet(&mut self, key: &str, server: &Server, dsn: &str) -> Result<Up, Trouble> {
        let (found, endpoint, mut control) = match &self.visit {
            Some(visit) => knock_at(visit.endpoint().clone(), dsn)?,
            None => knock(dsn)?,
        };
        let mut record = describe(key, server, &mut control)
            .map_err(|e| Trouble::new(format!("{dsn} does not say what it is")).because(e))?;
        control.quit();
        record.place = Some(found.place);
        if let Some(pid) = found.pid {
            record.cpus = cpus_of(pid).unwrap_or_default();
            record.binary_sha256 = fingerprint(&format!("/proc/{pid}/exe"));
        }
        self.notebook.instance(&record)?;
        self.notebook.note(EventKind::InstanceReady, None, format!("{dsn} is {}", record.version_text))?;
        let build = build_of(server, record);
        Ok(Up::new(key, Serving::Found(found), build, endpoint, Prepared::Found))
    }

    /// Stops the instance cleanly; its folder goes with it.
    pub(crate) fn take_down(&mut self) {
        // Whoever waits for Ctrl-C to work does not wait for a buffer pool to be written.
        let patience = if self.stop.load(Relaxed) { Duration::ZERO } else { STOP_PATIENCE };
        self.take_down_within(patience);
    }

    /// The same, by force after `patience`.
    pub(crate) fn take_down_within(&mut self, patience: Duration) {
        let Some(up) = self.up.take() else { return };
        self.leave_cache(&up);
        let Serving::Ours(instance) = up.server else { return };
        let mut instance = held(&instance);
        for (number, mut node) in (2..).zip(up.nodes) {
            let _ = self.notebook.error_log(&key_of(&up.key, number), &node.instance.log_tail());
            node.instance.stop(patience);
        }
        // Nothing of the data is needed any more, so the record matters here and the shutdown does not.
        let _ = self.notebook.error_log(&up.key, &instance.log_tail());
        let ended = instance.stop(patience);
        let _ = self.notebook.note(EventKind::InstanceStopped, None, format!("{}: {ended}", up.key));
    }

    /// Ends the instance so that its data directory needs no recovery, and hands it over.
    pub(crate) fn end_cleanly(&mut self, engine: &str, patience: Duration) -> Result<Instance, Trouble> {
        let up = self.up.take().expect("an instance is up before it is ended");
        let Serving::Ours(instance) = up.server else { unreachable!("only servers of ours are ended") };
        let instance = Arc::try_unwrap(instance).expect("disturbances end with their run");
        let mut instance = instance.into_inner().expect("no panic while held");
        let settled = Control::connect(&up.endpoint).and_then(|mut control| {
            settle(&mut control, engine)?;
            control.quit();
            Ok(())
        });
        settled.map_err(|e| Trouble::new("the server does not come to rest").because(e))?;
        let ended = instance.stop(patience);
        let _ = self.notebook.error_log(&up.key, &instance.log_tail());
        self.notebook.note(EventKind::InstanceStopped, None, format!("{}: {ended}", up.key))?;
        match ended {
            Ended::Code(0) => Ok(instance),
            Ended::Code(_) | Ended::Signal(_) => {
                Err(Trouble::new(format!("the server did not end cleanly within {} s ({ended})", patience.as_secs())))
            }
        }
    }

    /// Says how the instance ended when it ended by itself; news of it may take as long as `patience`.
    pub(crate) fn died(&mut self, patience: Duration) -> Option<String> {
        let up = self.up.as_mut()?;
        let Serving::Ours(instance) = &up.server else { return None };
        let mut instance = held(instance);
        let alone = up.nodes.is_empty();
        let all = std::iter::once(&mut *instance).chain(up.nodes.iter_mut().map(|node| &mut node.instance));
        let first = (1..).zip(all).find_map(|(number, one)| Some((number, one.ended(patience)?, one.log_tail())));
        let (number, ended, tail) = first?;
        let _ = self.notebook.error_log(&key_of(&up.key, number), &tail);
        let who = if alone { "the server".to_string() } else { format!("node {number} of the cluster") };
        let text = format!("{who} ended by itself ({ended})");
        let _ = self.notebook.note(EventKind::InstanceDied, None, format!("{}: {text}", up.key));
        drop(instance);
        self.up = None;
        Some(text)
    }
}

/// The name of one node in a record; the first has that of a single server.
fn key_of(key: &str, node: u32) -> String {
    if node == 1 { key.to_string() } else { format!("{key}-node{node}") }
}

/// What the server says of itself.
fn describe(key: &str, wanted: &Server, control: &mut Control) -> Result<InstanceRecord, Fault> {
    let pairs = |rows: Vec<Vec<Option<String>>>| -> BTreeMap<String, String> {
        rows.into_iter()
            .filter_map(|mut r| match (r.first_mut()?.take(), r.get_mut(1)?.take()) {
                (Some(name), value) => Some((name, value.unwrap_or_default())),
                (None, _) => None,
            })
            .collect()
    };
    let variables = pairs(control.rows("SHOW GLOBAL VARIABLES")?);
    let version_text = control.value("SELECT VERSION()")?.unwrap_or_default();
    let engines = control
        .rows("SHOW ENGINES")?
        .into_iter()
        .filter(|r| r.get(1).and_then(Option::as_deref).is_some_and(|s| s == "YES" || s == "DEFAULT"))
        .filter_map(|mut r| r[0].take())
        .collect();
    Ok(InstanceRecord {
        key: key.to_string(),
        wanted: wanted.clone(),
        kind: if control.version().contains("MariaDB") { "mariadb" } else { "mysql" }.to_string(),
        version: model::host::Version::parse(&version_text).unwrap_or(model::host::Version(0, 0, 0)),
        version_comment: variables.get("version_comment").cloned().unwrap_or_default(),
        version_text,
        binary_sha256: None,
        option_file: String::new(),
        variables,
        engines,
        cpus: Vec::new(),
        place: None,
        complaints: Vec::new(),
        not_applicable: Vec::new(),
        start_time: Nanos(0),
    })
}

/// Names that servers give themselves with each data directory, and clusters with each start; they say nothing.
const UUIDS: &[&str] =
    &["server_uuid", "wsrep_start_position", "handlersocket_plain_secret", "handlersocket_plain_secret_wr"];

/// The same with what is known of a server because the lab started it.
fn of_ours(asked: InstanceRecord, build: &InstalledBuild, instance: &Instance, port: Option<u16>) -> InstanceRecord {
    // Its folders and its port are new at every start; what else differs between two starts is worth a note.
    let room = instance.socket().parent().expect("a socket lies in a folder");
    let (data, run) = (instance.folder().to_string_lossy(), room.to_string_lossy());
    let port = port.map(|port| port.to_string()).unwrap_or_default();
    let at_home = |text: &str| {
        let text = text.replace(&*data, "{data}").replace(&*run, "{run}");
        let text = hide_ports(text, instance);
        instance.gates().iter().zip(1..).fold(text, |text, (gates, number)| gates.hidden_in(&text, number))
    };
    let option_file =
        at_home(&instance.description().option_file).replace(&format!("\nport={port}\n"), "\nport={port}\n");
    let variable = |name: &str, value: &str| match (name, value == port) {
        ("port" | "report_port", true) => "{port}".to_string(),
        _ => at_home(value),
    };
    InstanceRecord {
        kind: build.kind.clone(),
        binary_sha256: fingerprint(&build.binary),
        option_file,
        variables: asked
            .variables
            .iter()
            .filter(|(name, _)| !UUIDS.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), variable(name, value)))
            .collect(),
        cpus: instance.cpus().to_vec(),
        complaints: instance.complaints(),
        not_applicable: instance.description().not_applicable.clone(),
        start_time: instance.start_time(),
        ..asked
    }
}

/// Ports of key endpoint are new at every start, too.
fn hide_ports(text: String, instance: &Instance) -> String {
    let ports = instance.key_listener().and_then(|key_addresses| key_addresses.ports).unwrap_or_default();
    ports.iter().filter(|port| **port != 0).fold(text, |text, port| text.replace(&port.to_string(), "{endpoint}"))
}

/// SHA-256 of a binary, because a version does not say who compiled it.
pub(crate) fn fingerprint(binary: &str) -> Option<String> {
    let digest = Sha256::digest(std::fs::read(binary).ok()?);
    Some(digest.iter().map(|b| format!("{b:02x}")).collect())
}
