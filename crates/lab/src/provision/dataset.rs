//! One dataset brought into a server by loading it, or found in a server that was there before the lab; counted and
//! compared with its generator either way.

use crate::backends::endpoint::SqlEndpoint;
use crate::backends::found::Found;
use crate::backends::loading::{LoadFault, Loaded, sessions};
use crate::backends::mysql::control::Control;
use crate::backends::mysql::found::{Lying, lying, mark};
use crate::backends::mysql::loader;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{NEWS, Serving};
use crate::campaign::Lab;
use crate::os::clock;
use crate::trouble::{Halt, Unready};
use model::plan::PlannedRun;
use model::record::answer::DatasetRecord;
use model::record::event::EventKind;
use model::units::Nanos;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use workload::session::Fault;

/// What runs call their dataset: instance and identity.
pub(crate) fn key(instance: &str, identity: &str) -> String {
    format!("{instance}-{identity}")
}

impl Lab<'_> {
    /// Loads a dataset into the instance that is up; `Err` inside says why this build cannot hold it.
    pub(crate) fn load(
        &mut self,
        wanted: &DatasetNeed,
        run: &PlannedRun,
    ) -> Result<Result<DatasetRecord, String>, Unready> {
        let schema = wanted.schema();
        self.fill(wanted, run, &schema, false)
    }

    /// The data in a server that is not ours.
    pub(crate) fn meet_datasets(
        &mut self,
        wanted: &[DatasetNeed],
        run: &PlannedRun,
        writes: bool,
    ) -> Result<(), Unready> {
        let up = self.up.as_mut().expect("a server is met before its data");
        if let (Serving::Found(Found { schema: Some(schema), .. }), 2..) = (&up.server, wanted.len()) {
            let what = format!("the groups need {} datasets, and the schema {schema} has room for one", wanted.len());
            return Err(Unready::Skip(format!("{what}; {}", Found::ROOM_OF_ITS_OWN)));
        }
        if up.aged || writes && up.runs > 0 {
            // A writer went over them, or begins where others have been: they are looked at again, and loaded where
            // the lab may.
            (up.aged, up.runs) = (false, 0);
            up.datasets.clear();
        }
        wanted.iter().try_for_each(|w| self.meet_dataset(w, run, writes))
    }

    /// One of them: used as it is where it matches, made where the lab may.
    fn meet_dataset(&mut self, wanted: &DatasetNeed, run: &PlannedRun, writes: bool) -> Result<(), Unready> {
        let up = self.up.as_ref().expect("a server is met before its data");
        let Serving::Found(Found { schema: named, .. }) = &up.server else { unreachable!("this server is not ours") };
        let schema = named.clone().unwrap_or_else(|| wanted.schema());
        if let Some(known) = up.datasets.get(&wanted.name) {
            return known.clone().map(|_| ()).map_err(Unready::Skip);
        }
        let root = up.endpoint.clone();
        let lying = lying(&root, &schema, &wanted.name, wanted.dataset.as_ref());
        match lying.map_err(|e| Unready::Fail(format!("looking at the schema {schema}: {e}")))? {
            Lying::Nothing | Lying::Ours => {}
            // Whoever writes has its data loaded anew, the first of them as all others, so that they begin alike.
            Lying::Matching { ours: true, .. } if writes => {}
            Lying::Matching { ours: false, .. } if writes => {
                let what = format!("the schema {schema} was not made by assay, and {} would change it", run.cell);
                return Err(Unready::Fail(format!("{what}; {}", Found::ROOM_OF_ITS_OWN)));
            }
            Lying::Matching { loaded, .. } => {
                self.notebook.dataset(&self.describe_dataset(wanted, &schema, loaded, None))?;
                self.notebook.note(EventKind::DatasetReady, Some(&run.id), format!("{schema}: found as wanted"))?;
                let up = self.up.as_mut().expect("it was looked at");
                up.filled.remove(&wanted.name);
                up.datasets.insert(wanted.name.clone(), Ok(schema));
                return Ok(());
            }
            Lying::Others(why) => {
                let what = format!("the schema {schema} is not assay's to fill, and {why}");
                return Err(Unready::Fail(format!("{what}; {}", Found::ROOM_OF_ITS_OWN)));
            }
        }
        let filled = self.fill(wanted, run, &schema, true)?;
        if let Ok(record) = &filled {
            self.notebook.dataset(record)?;
        }
        let up = self.up.as_mut().expect("it was filled");
        // What lay there before is gone.
        up.datasets.retain(|_, there| there.as_ref() != Ok(&schema));
        let known = filled.map(|_| schema);
        up.datasets.insert(wanted.name.clone(), known.clone());
        up.filled.insert(wanted.name.clone());
        up.runs = 0;
        known.map(|_| ()).map_err(Unready::Skip)
    }

    fn fill(
        &mut self,
        wanted: &DatasetNeed,
        run: &PlannedRun,
        schema: &str,
        marked: bool,
    ) -> Result<Result<DatasetRecord, String>, Unready> {
        let (name, label) = (&wanted.name, wanted.label());
        let up = self.up.as_ref().expect("an instance is up before its data are loaded");
        let (root, endpoint) = (up.endpoint.clone(), up.endpoint.within(schema));
        self.notebook.note(EventKind::DatasetLoading, Some(&run.id), format!("{name}: {label}"))?;
        self.progress.say(&format!("loading {label}"));
        let fail = |what: &str, e: Fault| Unready::Fail(format!("{what}: {e}"));
        let identity = wanted.fingerprint();
        // A schema that is not there has nothing to go on with.
        if loader::is_begun(&endpoint, &identity).unwrap_or(false) {
            let text = format!("{name}: an interrupted load is gone on with");
            self.progress.say(&text);
            self.notebook.note(EventKind::Note, Some(&run.id), text)?;
        } else {
            create_schema(&root, schema).map_err(|e| fail("no schema for the data", e))?;
            if marked {
                mark(&endpoint, None).map_err(|e| fail("marking the schema as made by assay", e))?;
            }
        }
        let begun = clock::now();
        let sessions = sessions(self.host.cpus.len());
        let load = |at: &(dyn Fn(u64, u64) + Sync), stop: &AtomicBool| {
            loader::load(&endpoint, wanted.dataset.as_ref(), &identity, sessions, stop, at)
        };
        match self.watched(load, &label) {
            Ok(loaded) => {
                let load_time = Nanos(clock::now().0 - begun.0);
                if marked {
                    mark(&endpoint, Some(name)).map_err(|e| fail("marking the dataset as complete", e))?;
                }
                let record = self.describe_dataset(wanted, schema, loaded, Some(load_time));
                let text = format!("{name}: {} rows in {load_time}", record.rows);
                self.notebook.note(EventKind::DatasetReady, Some(&run.id), text)?;
                Ok(Ok(record))
            }
            Err(LoadFault::Unsupported(reason)) => Ok(Err(format!("this build cannot: {reason}"))),
            Err(LoadFault::World(reason)) => {
                let died = self.died(NEWS).map_or(String::new(), |d| format!("; {d}"));
                Err(Unready::Fail(format!("loading {label} failed: {reason}{died}")))
            }
            Err(LoadFault::Stopped) => Err(Unready::Halt(Halt::Interrupted)),
        }
    }

    pub(crate) fn describe_dataset(
        &self,
        wanted: &DatasetNeed,
        schema: &str,
        loaded: Loaded,
        load_time: Option<Nanos>,
    ) -> DatasetRecord {
        let instance = &self.up.as_ref().expect("data lie in an instance").key;
        DatasetRecord {
            key: key(instance, &wanted.name),
            instance: instance.clone(),
            schema: schema.to_string(),
            family: wanted.family.clone(),
            parameters: wanted.parameters.clone(),
            rows: loaded.rows,
            rows_checked: loaded.rows_checked,
            rows_wrong: loaded.rows_wrong,
            tables: loaded.tables,
            load_time,
            snapshot: None,
        }
    }

    /// Runs a load while its rows are shown as they come in.
    pub(crate) fn watched<T: Send>(
        &mut self,
        work: impl FnOnce(&(dyn Fn(u64, u64) + Sync), &AtomicBool) -> T + Send,
        label: &str,
    ) -> T {
        let (done, total) = (AtomicU64::new(0), AtomicU64::new(0));
        let (stop, begun) = (self.stop, Instant::now());
        let at = |d: u64, t: u64| {
            done.store(d, Relaxed);
            total.store(t, Relaxed);
        };
        std::thread::scope(|scope| {
            let working = scope.spawn(|| work(&at, stop));
            while !working.is_finished() {
                std::thread::sleep(Duration::from_millis(50));
                let (d, t) = (done.load(Relaxed), total.load(Relaxed));
                if d > 0 {
                    let left = begun.elapsed().mul_f64((t - d.min(t)) as f64 / d as f64);
                    self.progress.at(d, t, &format!("rows, {label}"), left);
                }
            }
            working.join().expect("the loader does not panic")
        })
    }
}

/// A schema of ours, empty: what a killed lab left in it is gone with its instance, but a failed load may lie there.
fn create_schema(root: &SqlEndpoint, schema: &str) -> Result<(), Fault> {
    let mut control = Control::connect(root)?;
    control.execute(&format!("DROP DATABASE IF EXISTS {schema}"))?;
    control.execute(&format!("CREATE DATABASE {schema}"))?;
    control.quit();
    Ok(())
}
