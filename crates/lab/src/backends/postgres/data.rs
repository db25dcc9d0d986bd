//! One dataset brought into a PostgreSQL by loading it, or found in one that was there before the lab; counted and
//! compared with its generator either way. Each dataset is a database of its own. In a server of others the lab fills
//! only databases that it made, which a marker table proves.

use super::loader::{self, PATIENCE, check_spots, inspect};
use super::session::control::Control;
use crate::backends::access::Own;
use crate::backends::contract::{Files, Filling};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::found::{Found, MARKER};
use crate::backends::loading::{LoadFault, Loaded, world};
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{NEWS, Up};
use crate::os::clock;
use crate::trouble::{Halt, Unready};
use model::record::answer::DatasetRecord;
use model::record::event::EventKind;
use model::units::Nanos;
use std::sync::atomic::AtomicBool;
use workload::session::Fault;

/// The privilege that a role lacks.
const NOT_ALLOWED: &[u8; 5] = b"42501";
/// There is no such database.
const NO_DATABASE: &[u8; 5] = b"3D000";

pub(super) struct DataDirectory;

impl Files for DataDirectory {
    fn load(
        &self,
        filling: &mut Filling<'_, '_>,
        need: &DatasetNeed,
    ) -> Result<Result<DatasetRecord, String>, Unready> {
        fill(filling, need, &need.schema(), false)
    }

    /// A clean end follows, which writes a checkpoint: nothing is left to recover.
    fn settle(&self, _: &Up, _: &str) -> Result<(), Fault> {
        Ok(())
    }

    fn compare(&self, up: &Up, schema: &str, need: &DatasetNeed) -> Result<(u64, u64), String> {
        let mut control = Control::connect(&own(up).within(schema), PATIENCE).map_err(|e| e.to_string())?;
        let dataset = need.dataset.as_ref();
        let compared = check_spots(&mut control, dataset, &dataset.tables()).map_err(|e| e.to_string())?;
        control.quit();
        Ok(compared)
    }

    /// There are no clusters of it.
    fn nodes_agree(&self, _: &Up, _: &DatasetRecord) -> Result<(), Unready> {
        Ok(())
    }
}

fn own(up: &Up) -> &SqlEndpoint {
    up.own.as_ref().and_then(Own::postgres).expect("it is a PostgreSQL")
}

/// Loads what is not there yet into a server of ours.
pub(super) fn load_missing(filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
    for need in needs {
        if filling.up.datasets.contains_key(&need.name) {
            continue;
        }
        let loaded = DataDirectory.load(filling, need)?;
        if let Ok(record) = &loaded {
            filling.reporter.notebook.dataset(record)?;
        }
        filling.up.datasets.insert(need.name.clone(), loaded.map(|record| record.schema));
    }
    Ok(())
}

/// The data in a server that is not ours: used as they are where they match, made where the lab may.
pub(super) fn meet(filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
    if let (Some(database), 2..) = (filling.up.server.named_schema(), needs.len()) {
        let what = format!("the groups need {} datasets, and the database {database} has room for one", needs.len());
        return Err(Unready::Skip(format!("{what}; {}", Found::ROOM_OF_ITS_OWN)));
    }
    needs.iter().try_for_each(|need| meet_one(filling, need))
}

fn meet_one(filling: &mut Filling<'_, '_>, need: &DatasetNeed) -> Result<(), Unready> {
    if let Some(known) = filling.up.datasets.get(&need.name) {
        return known.clone().map(|_| ()).map_err(Unready::Skip);
    }
    let database = filling.up.server.named_schema().cloned().unwrap_or_else(|| need.schema());
    if let Some(loaded) = as_it_lies(filling, need, &database)? {
        let record = need.record(&filling.up.key, &database, loaded, None);
        filling.reporter.notebook.dataset(&record)?;
        let text = format!("{database}: found as wanted");
        filling.reporter.note(EventKind::DatasetReady, Some(&filling.run.id), text)?;
        filling.up.filled.remove(&need.name);
        filling.up.datasets.insert(need.name.clone(), Ok(database));
        return Ok(());
    }
    let filled = fill(filling, need, &database, true)?;
    if let Ok(record) = &filled {
        filling.reporter.notebook.dataset(record)?;
    }
    let up = &mut *filling.up;
    // What lay there before is gone.
    up.datasets.retain(|_, there| there.as_ref() != Ok(&database));
    let known = filled.map(|_| database);
    up.datasets.insert(need.name.clone(), known.clone());
    up.filled.insert(need.name.clone());
    up.runs = 0;
    known.map(|_| ()).map_err(Unready::Skip)
}

/// What lies in a database, seen from one dataset.
enum Lying {
    /// Nothing, or what a lab made and may replace.
    Free,
    Matching(bool, Loaded),
    /// Somebody else's, and why it is not the dataset.
    Others(String),
}

/// What lies there, where it can be used as it is; `None` where it is to be made anew, and may be.
fn as_it_lies(filling: &Filling<'_, '_>, need: &DatasetNeed, database: &str) -> Result<Option<Loaded>, Unready> {
    let lying = lying(&own(filling.up).within(database), need);
    let why = match lying.map_err(|e| Unready::Fail(format!("looking at the database {database}: {e}")))? {
        Lying::Free => return Ok(None),
        // Whoever writes has its data loaded anew, the first of them as all others, so that they begin alike.
        Lying::Matching(true, _) if filling.writes => return Ok(None),
        Lying::Matching(false, _) if filling.writes => {
            format!("the database {database} was not made by assay, and {} would change it", filling.run.cell)
        }
        Lying::Matching(_, loaded) => return Ok(Some(loaded)),
        Lying::Others(why) => format!("the database {database} is not assay's to fill, and {why}"),
    };
    Err(Unready::Fail(format!("{why}; {}", Found::ROOM_OF_ITS_OWN)))
}

fn lying(endpoint: &SqlEndpoint, need: &DatasetNeed) -> Result<Lying, LoadFault> {
    let mut control = match Control::connect(endpoint, PATIENCE) {
        Ok(control) => control,
        Err(Fault::Server { state, .. }) if state == *NO_DATABASE => return Ok(Lying::Free),
        Err(fault) => return Err(world(fault)),
    };
    let names = "SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid)";
    let names = control.rows(names).map_err(world)?;
    let there = |name: &str| names.iter().flatten().flatten().any(|n| n == name);
    let ours = there(MARKER);
    let marked = if ours { control.value(&format!("SELECT dataset FROM {MARKER}")).map_err(world)? } else { None };
    let (dataset, tables) = (need.dataset.as_ref(), need.dataset.tables());
    let why = match tables.iter().find(|table| !there(&table.name)) {
        Some(absent) => format!("it has no table {}", absent.name),
        None if ours && marked.as_deref() != Some(need.name.as_str()) => "it holds another dataset".to_string(),
        None => {
            let answers = inspect(&mut control, &tables)?;
            match answers.iter().find(|t| t.rows != t.rows_wanted) {
                Some(t) => format!("its {} has {} rows where {} are wanted", t.name, t.rows, t.rows_wanted),
                None => {
                    let checked = if ours { check_spots(&mut control, dataset, &tables)? } else { (0, 0) };
                    control.quit();
                    let rows = answers.iter().map(|t| t.rows).sum();
                    let (rows_checked, rows_wrong) = checked;
                    return Ok(Lying::Matching(ours, Loaded { tables: answers, rows, rows_checked, rows_wrong }));
                }
            }
        }
    };
    control.quit();
    Ok(if ours { Lying::Free } else { Lying::Others(why) })
}

/// Loads it into that database, which is marked as made by assay in a server of others.
fn fill(
    filling: &mut Filling<'_, '_>,
    need: &DatasetNeed,
    database: &str,
    marked: bool,
) -> Result<Result<DatasetRecord, String>, Unready> {
    let (name, label, run) = (&need.name, need.label(), Some(&filling.run.id));
    let home = own(filling.up).clone();
    let (endpoint, reporter) = (home.within(database), &mut *filling.reporter);
    reporter.note(EventKind::DatasetLoading, run, format!("{name}: {label}"))?;
    reporter.say(&format!("loading {label}"));
    create(&home, database).map_err(Unready::Fail)?;
    let marking = |e: Fault| Unready::Fail(format!("marking the database as made by assay: {e}"));
    if marked {
        say(&endpoint, &format!("CREATE TABLE {MARKER} (dataset VARCHAR(100))")).map_err(marking)?;
    }
    let (begun, sessions) = (clock::now(), filling.sessions);
    let load = |at: &(dyn Fn(u64, u64) + Sync), stop: &AtomicBool| {
        loader::load(&endpoint, need.dataset.as_ref(), sessions, stop, at)
    };
    match reporter.watched(load, &label) {
        Ok(loaded) => {
            let load_time = Nanos(clock::now().0 - begun.0);
            if marked {
                say(&endpoint, &format!("INSERT INTO {MARKER} VALUES ('{name}')")).map_err(marking)?;
            }
            // What was written so far is on the disk, so that no run begins with a checkpoint that is due; an account
            // that may not ask for it begins with it.
            let _ = say(&endpoint, "CHECKPOINT");
            let record = need.record(&filling.up.key, database, loaded, Some(load_time));
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

pub(super) fn say(endpoint: &SqlEndpoint, sql: &str) -> Result<(), Fault> {
    let mut control = Control::connect(endpoint, PATIENCE)?;
    control.execute(sql)?;
    control.quit();
    Ok(())
}

/// Takes the word back before somebody writes: what a run leaves, or a killed one, is no dataset.
pub(super) fn unmark(up: &Up, database: &str) -> Result<(), Fault> {
    say(&own(up).within(database), &format!("DELETE FROM {MARKER}"))
}

/// A database of ours, empty: what a failed load left in it goes.
fn create(home: &SqlEndpoint, database: &str) -> Result<(), String> {
    let made = say(home, &format!("DROP DATABASE IF EXISTS {database}"))
        .and_then(|()| say(home, &format!("CREATE DATABASE {database} TEMPLATE template0 ENCODING 'UTF8'")));
    made.map_err(|fault| match fault {
        Fault::Server { state, .. } if state == *NOT_ALLOWED => {
            let user = &home.user;
            format!("the role {user} may create no database for the data; let it: ALTER ROLE {user} CREATEDB")
        }
        fault => format!("no database for the data: {fault}"),
    })
}
