//! A record folder read back: everything a judge needs in memory, and what lies per second when asked for. Reading
//! needs no lock and changes nothing; a record that is still being written, or was torn by a kill, reads up to its last
//! line.

use super::page::{self, read_json};
use super::seconds::Folder;
use super::{INTERRUPTED, REPEATED, STATES};
use crate::trouble::Trouble;
use model::load::PhaseKind;
use model::plan::{PLAN_SCHEMA, Plan};
use model::record::run::RunRecord;
use model::record::state::State;
use model::record::{RECORD_SCHEMA, Record};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

/// Reads everything but the seconds, which the folder gives when asked.
pub fn read(folder: &Path) -> Result<(Record, Folder), Trouble> {
    let experiment = folder.join("experiment.toml");
    let experiment = fs::read_to_string(&experiment).map_err(|e| {
        Trouble::new(format!("{} is not a record", folder.display()))
            .because(e)
            .mend("name a folder that assay run made")
    })?;
    let plan: Plan = read_json(&folder.join("plan.json"))?;
    known_schema(folder, plan.schema, PLAN_SCHEMA)?;
    let (events, damage) = page::read(&folder.join("notes.jsonl"));
    damage.map_or(Ok(()), Err)?;
    let canary = folder.join("canary.json");
    let mut runs = runs(folder)?;
    runs.iter().try_for_each(|r| known_schema(folder, r.schema, RECORD_SCHEMA))?;
    runs.sort_by_key(|r| r.position);
    let mut record = Record {
        experiment,
        plan,
        // A record that ended before it was surveyed has a host of which nothing is known.
        host: if folder.join("host.json").exists() {
            read_json(&folder.join("host.json"))?
        } else {
            Default::default()
        },
        canary: if canary.exists() { Some(read_json(&canary)?) } else { None },
        events,
        instances: whole_files(&folder.join("instances"))?,
        datasets: whole_files(&folder.join("datasets"))?,
        runs,
        states: states(&folder.join(STATES))?,
    };
    record.tell_protocols();
    Ok((record, Folder::new(folder)))
}

/// What is known of the machine and its servers, with this run as the only one.
pub(super) fn of_run(folder: &Path, plan: Plan, run: RunRecord) -> Result<Record, Trouble> {
    let [host, canary] = ["host.json", "canary.json"].map(|name| folder.join(name));
    let mut record = Record {
        experiment: String::new(),
        plan,
        host: if host.exists() { read_json(&host)? } else { Default::default() },
        canary: if canary.exists() { Some(read_json(&canary)?) } else { None },
        events: Vec::new(),
        instances: Vec::new(),
        datasets: Vec::new(),
        runs: vec![run],
        states: BTreeMap::new(),
    };
    record.tell_protocols();
    Ok(record)
}

/// Those that are over. A long record has more than a hundred megabytes of them, and each is read by itself: by all
/// CPUs.
fn runs(folder: &Path) -> Result<Vec<RunRecord>, Trouble> {
    let is_aside = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        [INTERRUPTED, REPEATED].iter().any(|aside| name.contains(aside))
    };
    let folders = entries(&folder.join("runs"))?.into_iter().filter(|path| !is_aside(path));
    let paths: Vec<PathBuf> = folders.map(|path| path.join("run.json")).filter(|path| path.exists()).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let one = |path: &PathBuf| read_json(path).map(without_unmeasured_latencies);
    let all = |paths: &[PathBuf]| paths.iter().map(one).collect::<Result<Vec<RunRecord>, Trouble>>();
    let parts: Vec<_> = thread::scope(|scope| {
        let part = |paths| scope.spawn(move || all(paths));
        let parts: Vec<_> = paths.chunks(paths.len().div_ceil(threads).max(1)).map(part).collect();
        parts.into_iter().map(|part| part.join().expect("reading does not panic")).collect()
    });
    let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(parts.into_iter().flatten().collect())
}

/// Nobody reads how long operations of a warm-up took, and it is as much to keep as what was measured. Of an explain
/// run they are kept: its waits are those of all phases.
fn without_unmeasured_latencies(mut run: RunRecord) -> RunRecord {
    if run.explain.is_none() {
        for phase in run.phases.iter_mut().filter(|p| p.kind != PhaseKind::Measure) {
            phase.groups.values_mut().for_each(|group| group.tally.forget_latencies());
        }
    }
    run
}

fn known_schema(folder: &Path, found: u32, known: u32) -> Result<(), Trouble> {
    if found <= known {
        return Ok(());
    }
    Err(Trouble::new(format!("{} has schema {found}; this assay reads up to {known}", folder.display()))
        .mend("read it with the assay that wrote it, or a later one"))
}

/// The entries of a folder in order of name; none of a folder that is not there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Trouble> {
    if !folder.exists() {
        return Ok(vec![]);
    }
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(Trouble::at("reading", folder))? {
        paths.push(entry.map_err(Trouble::at("reading", folder))?.path());
    }
    paths.sort();
    Ok(paths)
}

/// By the names that runs tell.
fn states(folder: &Path) -> Result<BTreeMap<String, State>, Trouble> {
    let named = |path: &PathBuf| Some((path.file_stem()?.to_str()?.to_string(), read_json(path)));
    let paths = entries(folder)?.into_iter().filter(|path| path.extension().is_some_and(|e| e == "json"));
    paths.filter_map(|path| named(&path)).map(|(name, state)| Ok((name, state?))).collect()
}

fn whole_files<T: DeserializeOwned>(folder: &Path) -> Result<Vec<T>, Trouble> {
    entries(folder)?.iter().filter(|p| p.extension().is_some_and(|e| e == "json")).map(|p| read_json(p)).collect()
}
