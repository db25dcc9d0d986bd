//! A record folder read back: everything a judge needs in memory, and what lies per second when asked for. Reading needs
//! no lock and changes nothing; a record that is still being written, or was torn by a kill, reads up to its last line.

use super::INTERRUPTED;
use super::page::{self, read_json};
use crate::trouble::Trouble;
use model::plan::{PLAN_SCHEMA, Plan, RunId};
use model::record::run::RunRecord;
use model::record::series::{Line, Metric, Series};
use model::record::tally::Interval;
use model::record::{Details, RECORD_SCHEMA, Record};
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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
    let mut runs: Vec<RunRecord> = Vec::new();
    for path in entries(&folder.join("runs"))? {
        if path.join("run.json").exists() && !path.to_string_lossy().contains(INTERRUPTED) {
            runs.push(read_json(&path.join("run.json"))?);
        }
    }
    runs.iter().try_for_each(|r| known_schema(folder, r.schema, RECORD_SCHEMA))?;
    runs.sort_by_key(|r| r.position);
    let record = Record {
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
    };
    Ok((record, Folder::new(folder)))
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

fn whole_files<T: DeserializeOwned>(folder: &Path) -> Result<Vec<T>, Trouble> {
    entries(folder)?.iter().filter(|p| p.extension().is_some_and(|e| e == "json")).map(|p| read_json(p)).collect()
}

/// The seconds of a record, read from its folder when asked for.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    damage: Mutex<Vec<String>>,
}

impl Folder {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), damage: Mutex::new(vec![]) }
    }
    /// Pages that could be read only in part, as far as they were asked for: whoever judges from them must say so.
    pub fn damage(&self) -> Vec<String> {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn page<T: DeserializeOwned>(&self, run: &RunId, name: &str) -> Vec<T> {
        let (lines, damage) = page::read(&self.path.join("runs").join(&run.0).join(name));
        let mut known = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(damage) = damage.map(|d| d.to_string()).filter(|d| !known.contains(d)) {
            known.push(damage);
        }
        lines
    }
}

impl Details for Folder {
    fn intervals(&self, run: &RunId) -> Vec<Interval> {
        let mut intervals: Vec<Interval> = self.page(run, "intervals.jsonl");
        intervals.sort_by_key(|i| i.from);
        intervals
    }
    fn series(&self, run: &RunId, metrics: &[&str]) -> Vec<Series> {
        unfold(self.page(run, "series.jsonl"), |m| metrics.contains(&m.name.as_str()))
    }
}

/// Series from lines that carry changes only: a column without a change in a sample keeps its value.
fn unfold(lines: Vec<Line>, wanted: impl Fn(&Metric) -> bool) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    // By source: for each column its series, where it is wanted, and its last value.
    let mut sources = std::collections::HashMap::<String, Vec<(Option<usize>, Option<f64>)>>::new();
    for line in lines {
        match line {
            Line::Source { source, metrics } => {
                let columns = metrics.into_iter().map(|metric| {
                    let place = wanted(&metric).then(|| {
                        all.iter().position(|s| s.metric == metric).unwrap_or_else(|| {
                            all.push(Series { metric, readings: vec![] });
                            all.len() - 1
                        })
                    });
                    (place, None)
                });
                let columns = columns.collect();
                sources.insert(source, columns);
            }
            Line::Sample(sample) => {
                let Some(columns) = sources.get_mut(&sample.source) else { continue };
                for (column, value) in sample.changed {
                    if let Some(column) = columns.get_mut(column as usize) {
                        column.1 = Some(value);
                    }
                }
                for (place, value) in columns {
                    if let (Some(place), Some(value)) = (place, value) {
                        all[*place].readings.push((sample.at, *value));
                    }
                }
            }
        }
    }
    all
}
