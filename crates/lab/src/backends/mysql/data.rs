//! One dataset brought into a server by loading it, or found in a server that was there before the lab; counted and
//! compared with its generator either way.

use super::control::Control;
use super::found::{Lying, lying, mark};
use super::loader::{self, check_spots};
use super::rest::settle;
use crate::backends::contract::{Files, Filling};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::found::Found;
use crate::backends::loading::{LoadFault, Loaded};
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{NEWS, Serving, Up};
use crate::os::clock;
use crate::trouble::{Halt, Unready};
use model::{DatasetRecord, EventKind, Nanos};
use std::sync::atomic::AtomicBool;
use workload::session::Fault;

/// Data directories of InnoDB, RocksDB and their like.
pub struct DataDirectory;

impl Files for DataDirectory {
    fn load(
        &self,
        filling: &mut Filling<'_, '_>,
        need: &DatasetNeed,
    ) -> Result<Result<DatasetRecord, String>, Unready> {
        fill(filling, need, &need.schema(), false)
    }

    fn settle(&self, up: &Up, engine: &str) -> Result<(), Fault> {
        let mut control = Control::connect(&up.endpoint)?;
        settle(&mut control, engine)?;
        control.quit();
        Ok(())
    }

    fn compare(&self, up: &Up, schema: &str, need: &DatasetNeed) -> Result<(u64, u64), String> {
        let mut control = Control::connect(&up.endpoint.within(schema)).map_err(|e| e.to_string())?;
        let dataset = need.dataset.as_ref();
        let compared = check_spots(&mut control, dataset, &dataset.tables()).map_err(|e| e.to_string())?;
        control.quit();
        Ok(compared)
    }

    fn nodes_agree(&self, up: &Up, record: &DatasetRecord) -> Result<(), Unready> {
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
}

/// Loads what is not there yet into a server of ours.
pub(crate) fn load_missing(filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
    for need in needs {
        if filling.up.datasets.contains_key(&need.name) {
            continue;
        }
        let loaded = DataDirectory.load(filling, need)?;
        if let Ok(record) = &loaded {
            DataDirectory.nodes_agree(filling.up, record)?;
            filling.reporter.notebook.dataset(record)?;
        }
        filling.up.datasets.insert(need.name.clone(), loaded.map(|record| record.schema));
    }
    Ok(())
}

/// The data in a server that is not ours.
pub(crate) fn meet(filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
    if let (Serving::Found(Found { schema: Some(schema), .. }), 2..) = (&filling.up.server, needs.len()) {
        let what = format!("the groups need {} datasets, and the schema {schema} has room for one", needs.len());
        return Err(Unready::Skip(format!("{what}; {}", Found::ROOM_OF_ITS_OWN)));
    }
    needs.iter().try_for_each(|need| meet_one(filling, need))
}

/// One of them: used as it is where it matches, made where the lab may.
fn meet_one(filling: &mut Filling<'_, '_>, need: &DatasetNeed) -> Result<(), Unready> {
    if let Some(known) = filling.up.datasets.get(&need.name) {
        return known.clone().map(|_| ()).map_err(Unready::Skip);
    }
    let schema = filling.up.server.named_schema().cloned().unwrap_or_else(|| need.schema());
    if let Some(loaded) = as_it_lies(filling, need, &schema)? {
        let record = need.record(&filling.up.key, &schema, loaded, None);
        filling.reporter.notebook.dataset(&record)?;
        let text = format!("{schema}: found as wanted");
        filling.reporter.note(EventKind::DatasetReady, Some(&filling.run.id), text)?;
        filling.up.filled.remove(&need.name);
        filling.up.datasets.insert(need.name.clone(), Ok(schema));
        return Ok(());
    }
    let filled = fill(filling, need, &schema, true)?;
    if let Ok(record) = &filled {
        filling.reporter.notebook.dataset(record)?;
    }
    let up = &mut *filling.up;
    // What lay there before is gone.
    up.datasets.retain(|_, there| there.as_ref() != Ok(&schema));
    let known = filled.map(|_| schema);
    up.datasets.insert(need.name.clone(), known.clone());
    up.filled.insert(need.name.clone());
    up.runs = 0;
    known.map(|_| ()).map_err(Unready::Skip)
}

/// What lies in the schema, where it can be used as it is; `None` where it is to be made anew, and may be.
fn as_it_lies(filling: &Filling<'_, '_>, need: &DatasetNeed, schema: &str) -> Result<Option<Loaded>, Unready> {
    let lying = lying(&filling.up.endpoint, schema, &need.name, need.dataset.as_ref());
    let why = match lying.map_err(|e| Unready::Fail(format!("looking at the schema {schema}: {e}")))? {
        Lying::Nothing | Lying::Ours => return Ok(None),
        // Whoever writes has its data loaded anew, the first of them as all others, so that they begin alike.
        Lying::Matching { ours: true, .. } if filling.writes => return Ok(None),
        Lying::Matching { ours: false, .. } if filling.writes => {
            format!("the schema {schema} was not made by assay, and {} would change it", filling.run.cell)
        }
        Lying::Matching { loaded, .. } => return Ok(Some(loaded)),
        Lying::Others(why) => format!("the schema {schema} is not assay's to fill, and {why}"),
    };
    Err(Unready::Fail(format!("{why}; {}", Found::ROOM_OF_ITS_OWN)))
}

/// Loads it into that schema, which is marked as made by assay in a server of others.
fn fill(
    filling: &mut Filling<'_, '_>,
    need: &DatasetNeed,
    schema: &str,
    marked: bool,
) -> Result<Result<DatasetRecord, String>, Unready> {
    let (name, label, run) = (&need.name, need.label(), Some(&filling.run.id));
    let endpoint = filling.up.endpoint.within(schema);
    let reporter = &mut *filling.reporter;
    reporter.note(EventKind::DatasetLoading, run, format!("{name}: {label}"))?;
    reporter.say(&format!("loading {label}"));
    let fail = |what: &str, e: Fault| Unready::Fail(format!("{what}: {e}"));
    let identity = need.fingerprint();
    // A schema that is not there has nothing to go on with.
    if loader::is_begun(&endpoint, &identity).unwrap_or(false) {
        let text = format!("{name}: an interrupted load is gone on with");
        reporter.say(&text);
        reporter.note(EventKind::Note, run, text)?;
    } else {
        create_schema(&filling.up.endpoint, schema).map_err(|e| fail("no schema for the data", e))?;
        if marked {
            mark(&endpoint, None).map_err(|e| fail("marking the schema as made by assay", e))?;
        }
    }
    let (begun, sessions) = (clock::now(), filling.sessions);
    let load = |at: &(dyn Fn(u64, u64) + Sync), stop: &AtomicBool| {
        loader::load(&endpoint, need.dataset.as_ref(), &identity, sessions, stop, at)
    };
    match reporter.watched(load, &label) {
        Ok(loaded) => {
            let load_time = Nanos(clock::now().0 - begun.0);
            if marked {
                mark(&endpoint, Some(name)).map_err(|e| fail("marking the dataset as complete", e))?;
            }
            let record = need.record(&filling.up.key, schema, loaded, Some(load_time));
            let text = format!("{name}: {} rows in {load_time}", record.rows);
            reporter.note(EventKind::DatasetReady, run, text)?;
            Ok(Ok(record))
        }
        Err(LoadFault::Unsupported(reason)) => Ok(Err(format!("this build cannot: {reason}"))),
        Err(LoadFault::World(reason)) => {
            let died = filling.up.died(NEWS, reporter).map_or(String::new(), |d| format!("; {d}"));
            Err(Unready::Fail(format!("loading {label} failed: {reason}{died}")))
        }
        Err(LoadFault::Stopped) => Err(Unready::Halt(Halt::Interrupted)),
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
