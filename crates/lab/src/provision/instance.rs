//! The one instance that is up: started when a run wants a server that is not, asked what it really is, and taken down
//! when the next run wants another. One at a time, because two idle servers are not idle. A server that was found is
//! only left alone instead of started and taken down.

use super::Provision;
use super::snapshots::{self, StoredSnapshot};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::kinds;
use crate::backends::mysql::cluster::{self, Fill};
use crate::backends::up::{Serving, Up, held, key_of};
use crate::backends::{Files, Met, Started, of_server, of_up};
use crate::notebook::reporter::Reporter;
use crate::os::placement::place;
use crate::os::ports::free_port;
use crate::os::process::Ended;
use crate::servers::catalogue;
use crate::servers::process::instance::{Instance, STOP_PATIENCE, Wish, key};
use crate::trouble::{Trouble, Unready};
use model::plan::served::own;
use model::record::start::Restored;
use model::{Cell, EventKind, Protocol, Server, Topology};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

impl Provision<'_> {
    /// Makes sure that the cell's server is up, whatever lies in it; `known` is the way into a found one, where
    /// somebody knows more of it than its DSN says.
    pub fn instance(
        &mut self,
        cell: &Cell,
        known: Option<&SqlEndpoint>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Unready> {
        let key = key(&cell.server);
        if self.up.as_ref().is_some_and(|up| up.key == key) && self.died(Duration::ZERO, reporter).is_none() {
            return Ok(());
        }
        self.bring_up(cell, known, None, reporter)
    }

    /// A new instance, empty or on a copy of a snapshot.
    pub(super) fn bring_up(
        &mut self,
        cell: &Cell,
        known: Option<&SqlEndpoint>,
        kept: Option<&StoredSnapshot>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Unready> {
        let key = key(&cell.server);
        if let Some(reason) = self.refused.get(&key) {
            return Err(Unready::Fail(reason.clone()));
        }
        self.take_down(reporter);
        let verb = if cell.server.on.is_some() { "looking at" } else { "starting" };
        reporter.say(&format!("{verb} {}", cell.server.build));
        reporter.note(EventKind::InstanceStarting, None, format!("{} ({key})", cell.server.build))?;
        let server = &cell.server;
        let up = match &server.on {
            Some(dsn) => of_server(server).meet(&Met { key: &key, server, dsn, known }, reporter),
            None => self.start(&key, server, kept, reporter),
        };
        match up {
            Ok(up) => {
                self.up = Some(up);
                Ok(())
            }
            Err(trouble) => {
                // A server that was given up for a stop has not failed its runs.
                reporter.check_stop().map_err(Unready::Halt)?;
                let reason = trouble.to_string();
                reporter.note(EventKind::InstanceDied, None, reason.clone())?;
                self.refused.insert(key, reason.clone());
                Err(Unready::Fail(reason))
            }
        }
    }

    fn start(
        &mut self,
        key: &str,
        server: &Server,
        kept: Option<&StoredSnapshot>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Up, Trouble> {
        let build = catalogue::find(&server.build)?;
        let cpus = place(server, self.host).server;
        let wish = Wish {
            folders: &self.folders,
            guard: &self.guard,
            kind: kinds::of(&build),
            build: &build,
            server,
            cpus: &cpus,
            tcp: (server.tcp
                && server.topology.is_single()
                && own(&build.installed.kind).is_some_and(Protocol::is_sql))
            .then(free_port)
            .transpose()?,
            stop: reporter.stop,
        };
        let mut restored = None;
        let mut restore = |data: &Path| -> Result<(), Trouble> {
            let kept = kept.expect("called only where something is kept");
            restored = Some(told(kept, &self.store.restore(kept, data, reporter.stop)?));
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
        let started = Started { key, server, build: &build, instance, others, tcp: wish.tcp, restored };
        of_server(server).started(started, reporter)
    }

    /// Stops the instance cleanly; its folder goes with it.
    pub fn take_down(&mut self, reporter: &mut Reporter<'_>) {
        // Whoever waits for Ctrl-C to work does not wait for a buffer pool to be written.
        let patience = if reporter.is_stopping() { Duration::ZERO } else { STOP_PATIENCE };
        self.take_down_within(patience, reporter);
    }

    /// The same, by force after `patience`.
    pub fn take_down_within(&mut self, patience: Duration, reporter: &mut Reporter<'_>) {
        let Some(up) = self.up.take() else { return };
        of_up(&up).leave(&up, reporter);
        let Serving::Ours(instance) = up.server else { return };
        let mut instance = held(&instance);
        for (number, mut node) in (2..).zip(up.nodes) {
            let _ = reporter.notebook.error_log(&key_of(&up.key, number), &node.instance.log_tail());
            node.instance.stop(patience);
        }
        // Nothing of the data is needed any more, so the record matters here and the shutdown does not.
        let _ = reporter.notebook.error_log(&up.key, &instance.log_tail());
        let ended = instance.stop(patience);
        let _ = reporter.note(EventKind::InstanceStopped, None, format!("{}: {ended}", up.key));
    }

    /// Ends the instance so that its data directory needs no recovery, and hands it over.
    pub(super) fn end_cleanly(
        &mut self,
        files: &dyn Files,
        engine: &str,
        patience: Duration,
        reporter: &Reporter<'_>,
    ) -> Result<Instance, Trouble> {
        let up = self.up.take().expect("an instance is up before it is ended");
        let settled = files.settle(&up, engine);
        let Serving::Ours(instance) = up.server else { unreachable!("only servers of ours are ended") };
        let instance = Arc::try_unwrap(instance).expect("disturbances end with their run");
        let mut instance = instance.into_inner().expect("no panic while held");
        settled.map_err(|e| Trouble::new("the server does not come to rest").because(e))?;
        let ended = instance.stop(patience);
        let _ = reporter.notebook.error_log(&up.key, &instance.log_tail());
        reporter.note(EventKind::InstanceStopped, None, format!("{}: {ended}", up.key))?;
        match ended {
            Ended::Code(0) => Ok(instance),
            Ended::Code(_) | Ended::Signal(_) => {
                Err(Trouble::new(format!("the server did not end cleanly within {} s ({ended})", patience.as_secs())))
            }
        }
    }
}

/// How a restore goes into the record.
fn told(kept: &StoredSnapshot, restored: &snapshots::Restored) -> Restored {
    Restored { snapshot: kept.manifest.key.clone(), manner: restored.manner.to_string(), time: restored.time }
}
