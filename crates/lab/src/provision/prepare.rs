//! A run's server and data, as the run needs them: the live instance goes on serving runs that only read; a run that
//! writes begins on a fresh copy of its data, and so does whoever comes after it. Data are loaded once, kept cold and
//! restored each time, so that the first run begins as the last one does.

use super::instance::Up;
use super::loader::check_spots;
use super::needs::{self, DatasetNeed};
use super::snapshots::StoredSnapshot;
use super::snapshots::key::{self as naming, Maker};
use super::snapshots::manifest;
use super::snapshots::manifest::Manifest;
use crate::backends::memcached::found as found_cache;
use crate::backends::mongodb::provision as documents;
use crate::backends::mysql::control::Control;
use crate::campaign::{Lab, Unready};
use crate::servers::catalogue;
use crate::servers::process::instance::key;
use crate::trouble::Trouble;
use model::plan::served::CACHE;
use model::plan::{Cell, PlannedRun, Server};
use model::record::answer::{DatasetRecord, SnapshotRecord};
use model::record::event::EventKind;
use model::record::start::{Prepared, Restored};
use model::topology::Topology;
use model::units::{Bytes, Nanos};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use workload::session::Fault;

/// A clean end that merges every change and purges every old row version writes much of what was loaded once more.
const END_PATIENCE: Duration = Duration::from_secs(1800);

impl Lab<'_> {
    /// Makes sure that the cell's server is up and its data lie in it as the run needs them.
    pub(crate) fn prepare(&mut self, cell: &Cell, run: &PlannedRun) -> Result<(), Unready> {
        if self.visit.is_some() {
            return self.instance(cell);
        }
        let (wanted, writes) = (needs::of(self.workloads, cell), needs::writes(self.workloads, cell));
        if documents::keeps(&cell.server) {
            return self.prepare_documents(cell, &wanted, run, writes);
        }
        if found_cache::is_named(&cell.server) {
            return self.prepare_found_cache(cell, &wanted, run, writes);
        }
        if cell.server.on.is_some() {
            self.instance(cell)?;
            return self.meet_datasets(&wanted, run, writes);
        }
        let is_cache = catalogue::find(&cell.server.build).is_ok_and(|build| build.installed.kind == CACHE);
        if !self.serves(cell, &wanted, writes) && is_cache {
            if self.up.as_ref().is_some_and(|up| up.aged || writes && up.runs > 0) {
                self.take_down();
            }
            self.instance(cell)?;
            self.fill_cache(&wanted, run)?;
        } else if !self.serves(cell, &wanted, writes) {
            if wanted.is_empty() {
                self.instance(cell)?;
            } else if self.store.keeps() {
                self.on_a_copy(cell, run)?;
            } else {
                self.by_loading(cell, run, &wanted, writes)?;
            }
        }
        let up = self.up.as_ref().expect("it was brought up");
        let mut reasons = wanted.iter().filter_map(|w| up.datasets.get(&w.name)?.as_ref().err());
        if let Some(reason) = reasons.next() {
            return Err(Unready::Skip(reason.clone()));
        }
        self.open_key_endpoints(cell, &wanted)
    }

    /// Whether the live instance will do.
    fn serves(&mut self, cell: &Cell, wanted: &[DatasetNeed], writes: bool) -> bool {
        let will_do = |up: &Up| {
            let holds = wanted.iter().all(|w| up.datasets.contains_key(&w.name));
            let fresh = wanted.is_empty() || !(up.aged || writes && up.runs > 0);
            up.key == key(&cell.server) && holds && fresh
        };
        self.up.as_ref().is_some_and(will_do) && self.died(Duration::ZERO).is_none()
    }

    /// Without snapshots: what a run cannot go on with is loaded again.
    fn by_loading(
        &mut self,
        cell: &Cell,
        run: &PlannedRun,
        wanted: &[DatasetNeed],
        writes: bool,
    ) -> Result<(), Unready> {
        if self.up.as_ref().is_some_and(|up| up.aged || writes && up.runs > 0) {
            self.take_down();
        }
        self.instance(cell)?;
        for w in wanted {
            if self.up.as_ref().is_some_and(|up| up.datasets.contains_key(&w.name)) {
                continue;
            }
            let loaded = self.load(w, run)?;
            if let Ok(record) = &loaded {
                self.nodes_agree(record)?;
                self.notebook.dataset(record)?;
            }
            let up = self.up.as_mut().expect("it was loaded into");
            up.datasets.insert(w.name.clone(), loaded.map(|record| record.schema));
        }
        Ok(())
    }

    fn on_a_copy(&mut self, cell: &Cell, run: &PlannedRun) -> Result<(), Unready> {
        let together = needs::together(self.workloads, self.plan, cell);
        let name = self.name_of(&cell.server, &together)?;
        if let Some(reason) = self.refused.get(&name) {
            return Err(Unready::Fail(reason.clone()));
        }
        let outcome = match self.kept(&name)? {
            Some(kept) => Ok(kept),
            None => self.make(cell, run, &together, &name),
        };
        let kept = outcome.inspect_err(|e| {
            if let Unready::Fail(reason) = e {
                self.refused.insert(name.clone(), reason.clone());
            }
        })?;
        self.restore(cell, run, &together, &kept)
    }

    fn name_of(&mut self, server: &Server, together: &[DatasetNeed]) -> Result<String, Unready> {
        let fail = |trouble: Trouble| Unready::Fail(trouble.to_string());
        let build = catalogue::find(&server.build).map_err(fail)?.installed;
        let binary_sha256 = self.fingerprint(&build.binary).map_err(fail)?;
        let version = build.version.to_string();
        let maker = Maker { kind: &build.kind, version: &version, binary_sha256: &binary_sha256 };
        let datasets: Vec<_> = together.iter().map(|w| (w.name.as_str(), w.fingerprint())).collect();
        Ok(naming::key(&maker, server, &datasets))
    }

    /// Digests of binaries, each read once.
    fn fingerprint(&mut self, binary: &str) -> Result<String, Trouble> {
        if let Some(known) = self.binaries.get(binary) {
            return Ok(known.clone());
        }
        let path = std::path::Path::new(binary);
        let digest = manifest::digest(&std::fs::read(path).map_err(Trouble::at("reading", path))?);
        self.binaries.insert(binary.to_string(), digest.clone());
        Ok(digest)
    }

    /// The snapshot of that name, held as long as the lab lives.
    fn kept(&mut self, name: &str) -> Result<Option<Rc<StoredSnapshot>>, Unready> {
        if let Some(kept) = self.kept.get(name) {
            kept.touch();
            return Ok(Some(kept.clone()));
        }
        let found = match self.store.find(name) {
            Ok(found) => found.map(Rc::new),
            Err(why) => {
                self.progress.say(&why);
                self.notebook.note(EventKind::SnapshotRemoved, None, why)?;
                None
            }
        };
        if let Some(kept) = &found {
            let text = format!("{name}: {}, loaded in {} before", kept.manifest.bytes, kept.manifest.load_time);
            self.progress.say(&format!("found the snapshot {text}"));
            self.notebook.note(EventKind::Note, None, format!("found the snapshot {text}"))?;
            self.kept.insert(name.to_string(), kept.clone());
        }
        Ok(found)
    }

    /// Loads what is kept together into a new instance and keeps its data directory.
    fn make(
        &mut self,
        cell: &Cell,
        run: &PlannedRun,
        together: &[DatasetNeed],
        name: &str,
    ) -> Result<Rc<StoredSnapshot>, Unready> {
        self.take_down();
        // Loaded into one server, whatever is made of the copies: a cluster shares its snapshots with single servers.
        let alone = Server { topology: Topology::Single, ..cell.server.clone() };
        let cell = &Cell { server: alone, ..cell.clone() };
        self.instance(cell)?;
        let begun = Instant::now();
        let (mut datasets, mut unsupported) = (BTreeMap::new(), BTreeMap::new());
        for wanted in together {
            match self.load(wanted, run)? {
                Ok(record) => drop(datasets.insert(wanted.name.clone(), record)),
                Err(reason) => drop(unsupported.insert(wanted.name.clone(), reason)),
            }
        }
        let load_time = Nanos(begun.elapsed().as_nanos() as u64);
        let since = Instant::now();
        self.progress.say("keeping the loaded data");
        let mut manifest = Manifest {
            key: name.to_string(),
            server: cell.server.clone(),
            made_by: String::new(),
            datasets,
            unsupported,
            load_time,
            snapshot_time: Nanos(0),
            unix_ms: crate::notebook::unix_ms(),
            bytes: Bytes(0),
            files: BTreeMap::new(),
            allocated: Default::default(),
        };
        let fail = |trouble: Trouble| Unready::Fail(format!("keeping the loaded data failed: {trouble}"));
        let instance = self.end_cleanly(&cell.server.engine, END_PATIENCE).map_err(fail)?;
        manifest.made_by = instance.made_by();
        let kept = match self.store.keep(manifest, &instance.data(), since, self.stop) {
            Ok(kept) => Rc::new(kept),
            Err(trouble) => {
                self.check_stop().map_err(Unready::Halt)?;
                return Err(fail(trouble));
            }
        };
        drop(instance);
        let text = format!("{name}: {}, kept in {}", kept.manifest.bytes, kept.manifest.snapshot_time);
        self.progress.say(&format!("snapshot {text}"));
        self.notebook.note(EventKind::SnapshotKept, Some(&run.id), text)?;
        self.made.insert(name.to_string());
        self.kept.insert(name.to_string(), kept.clone());
        self.shrink()?;
        Ok(kept)
    }

    /// Puts a copy of a snapshot under a new instance, and looks whether it is what was kept.
    fn restore(
        &mut self,
        cell: &Cell,
        run: &PlannedRun,
        together: &[DatasetNeed],
        kept: &Rc<StoredSnapshot>,
    ) -> Result<(), Unready> {
        self.take_down();
        self.bring_up(cell, Some(kept))?;
        let manifest = &kept.manifest;
        let verify = |up: &Up| -> Result<Vec<DatasetRecord>, String> {
            manifest.datasets.iter().map(|(name, record)| self.verified(up, name, record, together, manifest)).collect()
        };
        let records = verify(self.up.as_ref().expect("it was restored")).map_err(|why| {
            Unready::Fail(format!("the restored snapshot {} is not what was kept: {why}", manifest.key))
        })?;
        for record in &records {
            self.nodes_agree(record)?;
            self.notebook.dataset(record)?;
        }
        let up = self.up.as_mut().expect("it was restored");
        let Prepared::Snapshot = up.prepared else { unreachable!("it was restored") };
        up.datasets =
            manifest.datasets.iter().map(|(name, record)| (name.clone(), Ok(record.schema.clone()))).collect();
        up.datasets.extend(manifest.unsupported.iter().map(|(name, why)| (name.clone(), Err(why.clone()))));
        let restored = up.restored.clone().expect("it was restored");
        let text = format!("{} by {} in {}", restored.snapshot, restored.manner, restored.time);
        self.notebook.note(EventKind::SnapshotRestored, Some(&run.id), text)?;
        Ok(())
    }

    /// Rows of a restored dataset against the generator.
    fn verified(
        &self,
        up: &Up,
        name: &str,
        record: &DatasetRecord,
        together: &[DatasetNeed],
        manifest: &Manifest,
    ) -> Result<DatasetRecord, String> {
        let wanted = together.iter().find(|w| w.name == name).ok_or("it holds other data")?;
        let mut control = Control::connect(&up.endpoint.within(&record.schema)).map_err(|e| e.to_string())?;
        let tables = wanted.dataset.tables();
        let (rows_checked, rows_wrong) =
            check_spots(&mut control, wanted.dataset.as_ref(), &tables).map_err(|e| e.to_string())?;
        control.quit();
        if rows_wrong > record.rows_wrong {
            return Err(format!("{rows_wrong} of {rows_checked} rows of {name} differ from what was loaded"));
        }
        Ok(DatasetRecord {
            key: crate::provision::dataset::key(&up.key, name),
            instance: up.key.clone(),
            rows_checked,
            rows_wrong,
            snapshot: Some(SnapshotRecord {
                key: manifest.key.clone(),
                bytes: manifest.bytes,
                time: manifest.snapshot_time,
                reused: !self.made.contains(&manifest.key),
            }),
            ..record.clone()
        })
    }

    /// Waits until every node of a cluster has all that was committed, and counts its rows.
    fn nodes_agree(&self, record: &DatasetRecord) -> Result<(), Unready> {
        let up = self.up.as_ref().expect("data lie in an instance");
        for (number, node) in (2..).zip(&up.nodes) {
            let of = |what: String| Unready::Fail(format!("node {number} of the cluster: {what}"));
            let count = |control: &mut Control, table: &str| -> Result<Option<String>, Fault> {
                // A read then waits for what was committed anywhere before it.
                control.execute("SET SESSION wsrep_sync_wait = 1")?;
                control.value(&format!("SELECT COUNT(*) FROM {table}"))
            };
            let mut control = Control::connect(&node.endpoint.within(&record.schema)).map_err(|e| of(e.to_string()))?;
            for table in &record.tables {
                let rows = count(&mut control, &table.name).map_err(|e| of(e.to_string()))?;
                if rows != Some(table.rows.to_string()) {
                    let found = rows.unwrap_or_default();
                    return Err(of(format!("{} has {found} rows, and the first node {}", table.name, table.rows)));
                }
            }
            control.quit();
        }
        Ok(())
    }

    /// Makes room for what is kept, and says what went.
    pub(crate) fn shrink(&mut self) -> Result<(), Trouble> {
        for gone in self.store.shrink()? {
            let text = format!("{}: {} made room", gone.manifest.key, gone.manifest.bytes);
            self.notebook.note(EventKind::SnapshotRemoved, None, text)?;
        }
        Ok(())
    }
}

/// How a restore goes into the record.
pub(crate) fn told(kept: &StoredSnapshot, restored: &crate::provision::snapshots::Restored) -> Restored {
    Restored { snapshot: kept.manifest.key.clone(), manner: restored.manner.to_string(), time: restored.time }
}
