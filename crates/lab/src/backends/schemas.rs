//! Datasets in a server of SQL, each in a schema of its own (of PostgreSQL, a database): brought in by loading, or
//! found in a server that was there before the lab; counted and compared with their generator either way. In a server
//! of others the lab fills only schemas that it made, which a marker table proves.

use super::contract::{Files, Filling};
use super::endpoint::SqlEndpoint;
use super::found::{Found, MARKER};
use super::loading::{LoadFault, Loaded, world};
use super::needs::DatasetNeed;
use super::up::{NEWS, Serving, Up};
use crate::os::clock;
use crate::trouble::{Halt, Unready};
use model::{DatasetRecord, EventKind, Nanos, TableAnswer};
use std::sync::atomic::AtomicBool;
use workload::dataset::{Dataset, Rows, Table};
use workload::session::Fault;

/// A session of the lab's in one of them.
pub(crate) trait Inside {
    /// Tables that are there, by name.
    fn names(&mut self) -> Result<Vec<String>, Fault>;
    fn value(&mut self, sql: &str) -> Result<Option<String>, Fault>;
    /// Tables that the dataset wants to be there; where a script makes its own, those that are.
    fn tables(&mut self, dataset: &dyn Dataset) -> Result<Vec<Table>, Fault>;
    /// Definitions, counts and sizes of tables that are there.
    fn inspect(&mut self, tables: &[Table]) -> Result<Vec<TableAnswer>, LoadFault>;
    /// Reads rows back.
    fn check_spots(&mut self, dataset: &dyn Dataset, tables: &[Table]) -> Result<(u64, u64), LoadFault>;
    fn quit(self: Box<Self>);
}

/// How a family of servers has them.
pub(crate) trait Schemas: Files {
    /// What one is called there.
    fn word(&self) -> &'static str;
    /// Outside of all of them.
    fn home<'a>(&self, up: &'a Up) -> &'a SqlEndpoint;
    /// `None` where it is not there.
    fn inside(&self, home: &SqlEndpoint, schema: &str) -> Result<Option<Box<dyn Inside>>, Fault>;
    /// Makes one, empty: what a failed load left in it goes.
    fn make(&self, home: &SqlEndpoint, schema: &str) -> Result<(), String>;
    /// Whether a load was interrupted in it that can be gone on with.
    fn is_begun(&self, _: &SqlEndpoint, _: &DatasetNeed) -> bool {
        false
    }
    fn put(
        &self,
        inside: &SqlEndpoint,
        need: &DatasetNeed,
        sessions: usize,
        stop: &AtomicBool,
        at: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Loaded, LoadFault>;
    fn say(&self, inside: &SqlEndpoint, sql: &str) -> Result<(), Fault>;
    /// All was put, and is to last.
    fn keep(&self, _: &SqlEndpoint) {}
}

/// Brings data into a server, or finds them there.
pub(crate) fn fill(schemas: &dyn Schemas, filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
    match &filling.up.server {
        Serving::Ours(_) => needs.iter().try_for_each(|need| load_missing(schemas, filling, need)),
        Serving::Found(Found { schema: Some(schema), .. }) if needs.len() > 1 => {
            let (many, word) = (needs.len(), schemas.word());
            let what = format!("the groups need {many} datasets, and the {word} {schema} has room for one");
            Err(Unready::Skip(format!("{what}; {}", Found::ROOM_OF_ITS_OWN)))
        }
        Serving::Found(_) => needs.iter().try_for_each(|need| meet(schemas, filling, need)),
    }
}

/// Before somebody writes into a schema that outlives the lab, it stops being called a dataset: what a run leaves, or a
/// killed one, is none.
pub(crate) fn begin_use(schemas: &dyn Schemas, up: &Up, needs: &[DatasetNeed], writes: bool) -> Result<(), Fault> {
    match &up.server {
        Serving::Found(_) if writes => {
            let unmark =
                |schema: &String| schemas.say(&schemas.home(up).within(schema), &format!("DELETE FROM {MARKER}"));
            up.schemas(needs).try_for_each(unmark)
        }
        Serving::Found(_) | Serving::Ours(_) => Ok(()),
    }
}

/// Reads rows of a copy back: how many were compared, and how many were others.
pub(crate) fn compare(schemas: &dyn Schemas, up: &Up, schema: &str, need: &DatasetNeed) -> Result<(u64, u64), String> {
    let inside = schemas.inside(schemas.home(up), schema).map_err(|e| e.to_string())?;
    let mut inside = inside.ok_or_else(|| format!("there is no {} {schema}", schemas.word()))?;
    let dataset = need.dataset.as_ref();
    let compared = inside.check_spots(dataset, &dataset.tables()).map_err(|e| e.to_string())?;
    inside.quit();
    Ok(compared)
}

/// Into a server of ours, unless it is there.
fn load_missing(schemas: &dyn Schemas, filling: &mut Filling<'_, '_>, need: &DatasetNeed) -> Result<(), Unready> {
    if filling.up.datasets.contains_key(&need.name) {
        return Ok(());
    }
    let loaded = schemas.load(filling, need)?;
    if let Ok(record) = &loaded {
        schemas.nodes_agree(filling.up, record)?;
        filling.reporter.notebook.dataset(record)?;
    }
    filling.up.datasets.insert(need.name.clone(), loaded.map(|record| record.schema));
    Ok(())
}

/// In a server that is not ours: used as it is where it matches, made where the lab may.
fn meet(schemas: &dyn Schemas, filling: &mut Filling<'_, '_>, need: &DatasetNeed) -> Result<(), Unready> {
    if let Some(known) = filling.up.datasets.get(&need.name) {
        return known.clone().map(|_| ()).map_err(Unready::Skip);
    }
    let schema = filling.up.server.named_schema().cloned().unwrap_or_else(|| need.schema());
    if let Some(loaded) = as_it_lies(schemas, filling, need, &schema)? {
        let record = need.record(&filling.up.key, &schema, loaded, None);
        filling.reporter.notebook.dataset(&record)?;
        let text = format!("{schema}: found as wanted");
        filling.reporter.note(EventKind::DatasetReady, Some(&filling.run.id), text)?;
        filling.up.filled.remove(&need.name);
        filling.up.datasets.insert(need.name.clone(), Ok(schema));
        return Ok(());
    }
    let filled = load(schemas, filling, need, &schema, true)?;
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

/// What lies in a schema, seen from one dataset.
enum Lying {
    /// Nothing, or what a lab made and may replace.
    Free,
    /// The dataset. Rows that no lab made (`ours` is false) are counted, and not compared with the generator.
    Matching { ours: bool, loaded: Loaded },
    /// Somebody else's, and why it is not the dataset.
    Others(String),
}

/// What lies there, where it can be used as it is; `None` where it is to be made anew, and may be.
fn as_it_lies(
    schemas: &dyn Schemas,
    filling: &Filling<'_, '_>,
    need: &DatasetNeed,
    schema: &str,
) -> Result<Option<Loaded>, Unready> {
    let word = schemas.word();
    let lying = lying(schemas, schemas.home(filling.up), schema, need);
    let why = match lying.map_err(|e| Unready::Fail(format!("looking at the {word} {schema}: {e}")))? {
        Lying::Free => return Ok(None),
        // Whoever writes has its data loaded anew, the first of them as all others, so that they begin alike.
        Lying::Matching { ours: true, .. } if filling.writes => return Ok(None),
        Lying::Matching { ours: false, .. } if filling.writes => {
            format!("the {word} {schema} was not made by assay, and {} would change it", filling.run.cell)
        }
        Lying::Matching { loaded, .. } => return Ok(Some(loaded)),
        Lying::Others(why) => format!("the {word} {schema} is not assay's to fill, and {why}"),
    };
    Err(Unready::Fail(format!("{why}; {}", Found::ROOM_OF_ITS_OWN)))
}

fn lying(schemas: &dyn Schemas, home: &SqlEndpoint, schema: &str, need: &DatasetNeed) -> Result<Lying, LoadFault> {
    let Some(mut inside) = schemas.inside(home, schema).map_err(world)? else { return Ok(Lying::Free) };
    let names = inside.names().map_err(world)?;
    let there = |name: &str| names.iter().any(|n| n == name);
    let ours = there(MARKER);
    let marked = if ours { inside.value(&format!("SELECT dataset FROM {MARKER}")).map_err(world)? } else { None };
    let dataset = need.dataset.as_ref();
    let mut tables = inside.tables(dataset).map_err(world)?;
    tables.retain(|table| table.name != MARKER);
    let why = match tables.iter().find(|table| !there(&table.name)) {
        None if tables.is_empty() && !ours && matches!(dataset.rows(), Rows::ByItself(_)) => "it has no tables".into(),
        Some(absent) => format!("it has no table {}", absent.name),
        None if ours && marked.as_deref() != Some(need.name.as_str()) => "it holds another dataset".to_string(),
        None => {
            let answers = inside.inspect(&tables)?;
            match answers.iter().find(|t| t.rows != t.rows_wanted) {
                Some(t) => format!("its {} has {} rows where {} are wanted", t.name, t.rows, t.rows_wanted),
                None => {
                    let (rows_checked, rows_wrong) = if ours { inside.check_spots(dataset, &tables)? } else { (0, 0) };
                    inside.quit();
                    let rows = answers.iter().map(|t| t.rows).sum();
                    let loaded = Loaded { tables: answers, rows, rows_checked, rows_wrong };
                    return Ok(Lying::Matching { ours, loaded });
                }
            }
        }
    };
    inside.quit();
    Ok(if ours { Lying::Free } else { Lying::Others(why) })
}

/// Loads it into that schema, which is marked as made by assay in a server of others.
pub(crate) fn load(
    schemas: &dyn Schemas,
    filling: &mut Filling<'_, '_>,
    need: &DatasetNeed,
    schema: &str,
    marked: bool,
) -> Result<Result<DatasetRecord, String>, Unready> {
    let (name, label, run) = (&need.name, need.label(), Some(&filling.run.id));
    let home = schemas.home(filling.up).clone();
    let (inside, reporter) = (home.within(schema), &mut *filling.reporter);
    reporter.note(EventKind::DatasetLoading, run, format!("{name}: {label}"))?;
    reporter.say(&format!("loading {label}"));
    let mark = |sql: &str| {
        let said = if marked { schemas.say(&inside, sql) } else { Ok(()) };
        said.map_err(|e| Unready::Fail(format!("marking the {} as made by assay: {e}", schemas.word())))
    };
    // One that is not there has nothing to go on with.
    if schemas.is_begun(&inside, need) {
        let text = format!("{name}: an interrupted load is gone on with");
        reporter.say(&text);
        reporter.note(EventKind::Note, run, text)?;
    } else {
        schemas.make(&home, schema).map_err(Unready::Fail)?;
        mark(&format!("CREATE TABLE {MARKER} (dataset VARCHAR(100))"))?;
    }
    let (begun, sessions) = (clock::now(), filling.sessions);
    let put = |at: &(dyn Fn(u64, u64) + Sync), stop: &AtomicBool| schemas.put(&inside, need, sessions, stop, at);
    match reporter.watched(put, &label) {
        Ok(loaded) => {
            let load_time = Nanos(clock::now().0 - begun.0);
            mark(&format!("INSERT INTO {MARKER} VALUES ('{name}')"))?;
            schemas.keep(&inside);
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
