//! Data that are kept cold: found, or made by loading once, and restored under a new instance for each run that needs
//! them fresh.

use super::Provision;
use super::needs::{RunNeeds, together};
use super::snapshots::StoredSnapshot;
use super::snapshots::key::{self as naming, Maker};
use super::snapshots::manifest::Manifest;
use crate::backends::Files;
use crate::backends::needs::{DatasetNeed, key};
use crate::notebook::reporter::Reporter;
use crate::notebook::unix_ms;
use crate::os::digest::digest;
use crate::servers::catalogue;
use crate::trouble::{Trouble, Unready};
use model::{Cell, DatasetRecord, EventKind, Nanos, Server, SnapshotRecord, Topology};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A clean end that merges every change and purges every old row version writes much of what was loaded once more.
const END_PATIENCE: Duration = Duration::from_secs(1800);

impl Provision<'_> {
    /// Brings up an instance on a copy of the data.
    pub(super) fn on_a_copy(
        &mut self,
        files: &dyn Files,
        needs: &RunNeeds<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Unready> {
        let together = together(needs.workloads, needs.plan, needs.cell);
        let name = self.name_of(&needs.cell.server, &together)?;
        if let Some(reason) = self.refused.get(&name) {
            return Err(Unready::Fail(reason.clone()));
        }
        let outcome = match self.held(&name, reporter)? {
            Some(kept) => Ok(kept),
            None => self.make(files, needs, &together, &name, reporter),
        };
        let kept = outcome.inspect_err(|e| {
            if let Unready::Fail(reason) = e {
                self.refused.insert(name.clone(), reason.clone());
            }
        })?;
        self.restore(files, needs, &together, &kept, reporter)
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
        let digest = digest(&std::fs::read(path).map_err(Trouble::at("reading", path))?);
        self.binaries.insert(binary.to_string(), digest.clone());
        Ok(digest)
    }

    /// The snapshot of that name, held as long as the lab lives.
    fn held(&mut self, name: &str, reporter: &mut Reporter<'_>) -> Result<Option<Rc<StoredSnapshot>>, Unready> {
        if let Some(kept) = self.held.get(name) {
            kept.touch();
            return Ok(Some(kept.clone()));
        }
        let found = match self.store.find(name) {
            Ok(found) => found.map(Rc::new),
            Err(why) => {
                reporter.say(&why);
                reporter.note(EventKind::SnapshotRemoved, None, why)?;
                None
            }
        };
        if let Some(kept) = &found {
            let text = format!("{name}: {}, loaded in {} before", kept.manifest.bytes, kept.manifest.load_time);
            reporter.say(&format!("found the snapshot {text}"));
            reporter.note(EventKind::Note, None, format!("found the snapshot {text}"))?;
            self.held.insert(name.to_string(), kept.clone());
        }
        Ok(found)
    }

    /// Loads what is kept together into a new instance and keeps its data directory.
    fn make(
        &mut self,
        files: &dyn Files,
        needs: &RunNeeds<'_>,
        together: &[DatasetNeed],
        name: &str,
        reporter: &mut Reporter<'_>,
    ) -> Result<Rc<StoredSnapshot>, Unready> {
        self.take_down(reporter);
        // Loaded into one server, whatever is made of the copies: a cluster shares its snapshots with single servers.
        let alone = Server { topology: Topology::Single, ..needs.cell.server.clone() };
        let cell = &Cell { server: alone, ..needs.cell.clone() };
        self.instance(cell, None, reporter)?;
        let begun = Instant::now();
        let mut manifest = Manifest::of(name, &cell.server, unix_ms());
        for need in together {
            match self.filling(needs.run, needs.writes, reporter, |filling| files.load(filling, need))? {
                Ok(record) => drop(manifest.datasets.insert(need.name.clone(), record)),
                Err(reason) => drop(manifest.unsupported.insert(need.name.clone(), reason)),
            }
        }
        manifest.load_time = Nanos(begun.elapsed().as_nanos() as u64);
        let since = Instant::now();
        reporter.say("keeping the loaded data");
        let fail = |trouble: Trouble| Unready::Fail(format!("keeping the loaded data failed: {trouble}"));
        let instance = self.end_cleanly(files, &cell.server.engine, END_PATIENCE, reporter).map_err(fail)?;
        manifest.made_by = instance.made_by();
        let kept = match self.store.keep(manifest, &instance.data(), since, reporter.stop) {
            Ok(kept) => Rc::new(kept),
            Err(trouble) => {
                reporter.check_stop().map_err(Unready::Halt)?;
                return Err(fail(trouble));
            }
        };
        drop(instance);
        let text = format!("{name}: {}, kept in {}", kept.manifest.bytes, kept.manifest.snapshot_time);
        reporter.say(&format!("snapshot {text}"));
        reporter.note(EventKind::SnapshotKept, Some(&needs.run.id), text)?;
        self.made.insert(name.to_string());
        self.held.insert(name.to_string(), kept.clone());
        self.shrink(reporter)?;
        Ok(kept)
    }

    /// Puts a copy of a snapshot under a new instance, and looks whether it is what was kept.
    fn restore(
        &mut self,
        files: &dyn Files,
        needs: &RunNeeds<'_>,
        together: &[DatasetNeed],
        kept: &StoredSnapshot,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Unready> {
        self.take_down(reporter);
        self.bring_up(needs.cell, None, Some(kept), reporter)?;
        let manifest = &kept.manifest;
        let verified = |name: &String| self.verified(files, name, together, manifest);
        let records: Result<Vec<_>, String> = manifest.datasets.keys().map(verified).collect();
        let records = records.map_err(|why| {
            Unready::Fail(format!("the restored snapshot {} is not what was kept: {why}", manifest.key))
        })?;
        let up = self.up.as_mut().expect("it was restored");
        for record in &records {
            files.nodes_agree(up, record)?;
            reporter.notebook.dataset(record)?;
        }
        up.datasets =
            manifest.datasets.iter().map(|(name, record)| (name.clone(), Ok(record.schema.clone()))).collect();
        up.datasets.extend(manifest.unsupported.iter().map(|(name, why)| (name.clone(), Err(why.clone()))));
        let restored = up.restored.clone().expect("it was restored");
        let text = format!("{} by {} in {}", restored.snapshot, restored.manner, restored.time);
        reporter.note(EventKind::SnapshotRestored, Some(&needs.run.id), text)?;
        Ok(())
    }

    /// Rows of a restored dataset against the generator.
    fn verified(
        &self,
        files: &dyn Files,
        name: &str,
        together: &[DatasetNeed],
        manifest: &Manifest,
    ) -> Result<DatasetRecord, String> {
        let need = together.iter().find(|need| need.name == name).ok_or("it holds other data")?;
        let (up, record) = (self.up(), &manifest.datasets[name]);
        let (rows_checked, rows_wrong) = files.compare(up, &record.schema, need)?;
        if rows_wrong > record.rows_wrong {
            return Err(format!("{rows_wrong} of {rows_checked} rows of {name} differ from what was loaded"));
        }
        Ok(DatasetRecord {
            key: key(&up.key, name),
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

    /// Makes room for what is kept, and says what went.
    pub(super) fn shrink(&mut self, reporter: &Reporter<'_>) -> Result<(), Trouble> {
        for gone in self.store.shrink()? {
            let text = format!("{}: {} made room", gone.manifest.key, gone.manifest.bytes);
            reporter.note(EventKind::SnapshotRemoved, None, text)?;
        }
        Ok(())
    }
}
