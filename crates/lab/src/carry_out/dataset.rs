//! The dataset of a run: found in the instance or loaded into it, and counted either way. Members of a family share a
//! dataset when the parameters that shape data agree, so a matrix of workloads loads once.

use super::found::{Found, Lying, lying, mark};
use super::instance::NEWS;
use super::instance::Serving;
use super::{Halt, Lab, Unready};
use crate::clock;
use crate::loader::{self, LoadFault, Loaded};
use crate::sessions::control::Control;
use model::load::Work;
use model::plan::{Cell, PlannedRun};
use model::record::answer::DatasetRecord;
use model::record::event::EventKind;
use model::seed::Seed;
use model::units::Nanos;
use model::value::Value;
use model::words::Class;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use workload::session::Fault;

/// Sessions that load side by side: two per CPU keep a server busy while one waits for the log.
const SESSIONS_PER_CPU: usize = 2;

/// The seed of all data: two records with equal parameters hold equal rows, whatever seed orders their runs.
const DATA: Seed = Seed(20_150_707);

/// The dataset's name within its instance, and the parameters that shape the data.
pub(super) fn identity(work: &Work, engine: &str) -> (String, BTreeMap<String, Value>) {
    let words = workload::by_name(&work.workload).expect("a plan names only known workloads").words();
    let shaping = |name: &String| words.parameters.iter().any(|p| p.name == name && p.class == Class::Data);
    let parameters: BTreeMap<_, _> =
        work.parameters.iter().filter(|(n, _)| shaping(n)).map(|(n, v)| (n.clone(), v.clone())).collect();
    let text = serde_json::to_string(&(words.family(), engine, &parameters)).expect("values are JSON");
    (format!("{}_{:012x}", words.family(), Seed(0).child(&text).0 >> 5), parameters)
}

/// What runs call their dataset: instance and identity.
pub(super) fn key(instance: &str, identity: &str) -> String {
    format!("{instance}-{identity}")
}

impl Lab<'_> {
    /// Makes sure that what the cell's groups need lies in the instance: one dataset where their data are the same.
    pub(super) fn datasets(&mut self, cell: &Cell, run: &PlannedRun) -> Result<(), Unready> {
        let works = cell.works();
        let distinct: BTreeSet<_> = works.iter().map(|work| identity(work, &cell.server.engine).0).collect();
        let up = self.up.as_ref().expect("an instance is up before its data are asked for");
        if let (Serving::Found(Found { schema: Some(schema), .. }), 2..) = (&up.server, distinct.len()) {
            let mend = "leave the schema out of the DSN and assay makes one for each";
            let what = format!("the groups need {} datasets, and the schema {schema} has room for one", distinct.len());
            return Err(Unready::Skip(format!("{what}; {mend}")));
        }
        works.iter().try_for_each(|work| self.dataset(work, &cell.server.engine, run))
    }

    fn dataset(&mut self, work: &Work, engine: &str, run: &PlannedRun) -> Result<(), Unready> {
        let (name, parameters) = identity(work, engine);
        let up = self.up.as_ref().expect("an instance is up before its data are asked for");
        if let Some(known) = up.datasets.get(&name) {
            return known.clone().map(|_| ()).map_err(Unready::Skip);
        }
        let workload = workload::by_name(&work.workload).expect("a plan names only known workloads");
        let Some(dataset) = workload.dataset(&work.parameters, engine, DATA) else { return Ok(()) };
        let (schema, found) = match &up.server {
            Serving::Ours(_) => (format!("assay_{name}"), false),
            Serving::Found(found) => (found.schema.clone().unwrap_or_else(|| format!("assay_{name}")), true),
        };
        let door = up.door.within(&schema);
        let (instance, root) = (up.key.clone(), up.door.clone());
        let label = label(&parameters);
        let record = |loaded: Loaded, load_time| DatasetRecord {
            key: key(&instance, &name),
            instance: instance.clone(),
            schema: schema.clone(),
            family: name.split('_').next().unwrap_or_default().to_string(),
            parameters: parameters.clone(),
            rows: loaded.rows,
            rows_checked: loaded.rows_checked,
            rows_wrong: loaded.rows_wrong,
            tables: loaded.tables,
            load_time,
        };
        if found {
            let lying = lying(&root, &schema, &name, dataset.as_ref());
            match lying.map_err(|e| Unready::Fail(format!("looking at the schema {schema}: {e}")))? {
                Lying::Nothing | Lying::Ours => {}
                Lying::Matching(loaded) => {
                    self.notebook.dataset(&record(loaded, None))?;
                    self.notebook.note(EventKind::DatasetReady, Some(&run.id), format!("{schema}: found as wanted"))?;
                    self.up.as_mut().expect("it was looked at").datasets.insert(name, Ok(schema));
                    return Ok(());
                }
                Lying::Others(why) => {
                    let mend = "leave the schema out of the DSN and assay makes one of its own";
                    return Err(Unready::Fail(format!(
                        "the schema {schema} is not assay's to fill, and {why}; {mend}"
                    )));
                }
            }
        }
        self.notebook.note(EventKind::DatasetLoading, Some(&run.id), format!("{name}: {label}"))?;
        self.progress.say(&format!("loading {label}"));
        let fail = |what: &str, e: Fault| Unready::Fail(format!("{what}: {e}"));
        create_schema(&root, &schema).map_err(|e| fail("no schema for the data", e))?;
        if found {
            mark(&door, None).map_err(|e| fail("marking the schema as made by assay", e))?;
            // What lay there before is gone.
            self.up.as_mut().expect("it was looked at").datasets.retain(|_, s| *s != Ok(schema.clone()));
        }
        let begun = clock::now();
        let sessions = SESSIONS_PER_CPU * self.host.cpus.len().max(1);
        let outcome = self.watched(|at, stop| loader::load(&door, dataset.as_ref(), sessions, stop, at), &label);
        let remembered = match outcome {
            Ok(loaded) => {
                let load_time = Nanos(clock::now().0 - begun.0);
                if found {
                    mark(&door, Some(&name)).map_err(|e| fail("marking the dataset as complete", e))?;
                }
                let record = record(loaded, Some(load_time));
                self.notebook.dataset(&record)?;
                let text = format!("{name}: {} rows in {load_time}", record.rows);
                self.notebook.note(EventKind::DatasetReady, Some(&run.id), text)?;
                Ok(schema)
            }
            Err(LoadFault::Unsupported(reason)) => Err(format!("this build cannot: {reason}")),
            Err(LoadFault::World(reason)) => {
                let died = self.died(NEWS).map_or(String::new(), |d| format!("; {d}"));
                return Err(Unready::Fail(format!("loading {label} failed: {reason}{died}")));
            }
            Err(LoadFault::Stopped) => return Err(Unready::Halt(Halt::Interrupted)),
        };
        let answer = remembered.clone().map(|_| ()).map_err(Unready::Skip);
        self.up.as_mut().expect("the instance that was loaded is up").datasets.insert(name, remembered);
        answer
    }

    /// After a run that writes, its dataset is not what it was: the next one loads it anew.
    pub(super) fn spoil(&mut self, cell: &Cell) {
        let Some(up) = &mut self.up else { return };
        for work in cell.works() {
            let workload = workload::by_name(&work.workload).expect("a plan names only known workloads");
            if workload.words().writes {
                up.datasets.remove(&identity(&work, &cell.server.engine).0);
            }
        }
    }

    /// Runs a load while its rows are shown as they come in.
    fn watched<T: Send>(
        &mut self,
        work: impl FnOnce(&(dyn Fn(u64, u64) + Sync), &std::sync::atomic::AtomicBool) -> T + Send,
        label: &str,
    ) -> T {
        use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
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
fn create_schema(root: &crate::sessions::address::Door, schema: &str) -> Result<(), Fault> {
    let mut control = Control::connect(root)?;
    control.execute(&format!("DROP DATABASE IF EXISTS {schema}"))?;
    control.execute(&format!("CREATE DATABASE {schema}"))?;
    control.quit();
    Ok(())
}

fn label(parameters: &BTreeMap<String, Value>) -> String {
    parameters.iter().map(|(n, v)| format!("{n} {v}")).collect::<Vec<_>>().join(", ")
}
