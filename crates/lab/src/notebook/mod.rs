//! The notebook: the writer of a record folder, and the only one at a time. It grows by appending; whole files appear
//! at once or not at all; `run.json` comes last, so its presence says that a run is over and a run without it is
//! repeated. What it writes is what `reading.rs` and `seconds.rs` read; the layout is told in docs/record.md.

mod difference;
mod page;
mod reading;
pub mod reporter;
mod seconds;
pub mod watch;

pub use page::Page;
pub(crate) use page::{read_json, write_json};
pub use reading::read;
pub use seconds::Folder;

use crate::os::digest::digest;
use crate::trouble::Trouble;
use flate2::Compression;
use flate2::write::GzEncoder;
use model::host::Host;
use model::plan::{Plan, RunId};
use model::record::answer::{DatasetRecord, InstanceRecord};
use model::record::canary::Canary;
use model::record::event::{Event, EventKind};
use model::record::profile::{STACKS, Stack, fold};
use model::record::run::RunRecord;
use model::record::series::Line;
use model::record::state::State;
use model::record::tally::Interval;
use page::write_whole;
use rustix::fs::FlockOperation;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Held locked by the one lab that writes; the kernel lets go of it however that lab ends.
const LOCK: &str = ".lock";
/// Added, with a number, to the folder of a run that was interrupted.
const INTERRUPTED: &str = ".interrupted-";
/// The same of a run that was over and is carried out again.
const REPEATED: &str = ".again-";
/// The folder of what held when runs began and ended.
const STATES: &str = "states";
/// Hexadecimal digits by which one is named: collisions among those of one record are out of question.
const NAME: usize = 16;

#[derive(Debug)]
pub struct Notebook {
    folder: PathBuf,
    finished: BTreeSet<RunId>,
    /// Runs that were set aside when they were over.
    repeated: u32,
    notes: Mutex<Page<Event>>,
    _lock: File,
}

/// The pages of one run: the load owns the one, the sampling thread the other. Both are finished before the run is.
#[derive(Debug)]
pub struct RunPages {
    pub intervals: Page<Interval>,
    pub series: Page<Line>,
}

impl Notebook {
    /// Begins a record in an empty or new folder, or goes on with one of the same plan.
    pub fn open_or_create(folder: &Path, plan: &Plan, experiment: &str) -> Result<Self, Trouble> {
        fs::create_dir_all(folder).map_err(Trouble::at("making the record's folder", folder))?;
        let lock = lock(folder)?;
        if folder.join("plan.json").exists() {
            same_plan(folder, plan)?;
        } else {
            begin(folder, plan, experiment)?;
        }
        let runs = folder.join("runs");
        fs::create_dir_all(&runs).map_err(Trouble::at("making", &runs))?;
        let notes = Mutex::new(Page::open(&folder.join("notes.jsonl"))?);
        let repeated = repeated(&runs)?;
        let mut notebook =
            Self { folder: folder.to_path_buf(), finished: BTreeSet::new(), repeated, notes, _lock: lock };
        for run in &plan.runs {
            if notebook.run_folder(&run.id).join("run.json").exists() {
                notebook.finished.insert(run.id.clone());
            } else {
                notebook.move_aside(&run.id)?;
            }
        }
        Ok(notebook)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
    /// Runs that are over.
    pub fn finished(&self) -> &BTreeSet<RunId> {
        &self.finished
    }
    /// As many runs came before the next one, those among them that were set aside.
    pub fn carried_out(&self) -> u32 {
        self.finished.len() as u32 + self.repeated
    }

    /// The record of a run that is over.
    pub fn finished_run(&self, id: &RunId) -> Result<RunRecord, Trouble> {
        read_json(&self.run_folder(id).join("run.json"))
    }

    /// Tells what happened, now.
    pub fn note(&self, kind: EventKind, run: Option<&RunId>, text: impl Into<String>) -> Result<(), Trouble> {
        let event = Event { unix_ms: unix_ms(), kind, run: run.cloned(), text: text.into() };
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).append(&event)
    }

    /// The first host stays; that the record went on elsewhere or changed is told.
    pub fn host(&self, host: &Host) -> Result<(), Trouble> {
        self.keep("host.json", host, &["disk_free", "threads"], "the host")
    }
    /// What the runs that are done went by.
    pub fn earlier_canary(&self) -> Option<Canary> {
        read_json(&self.folder.join("canary.json")).ok()
    }
    pub fn canary(&self, canary: &Canary) -> Result<(), Trouble> {
        write_json(&self.folder.join("canary.json"), canary)
    }
    /// The first instance of a key stays; a later one that came up different is told.
    pub fn instance(&self, instance: &InstanceRecord) -> Result<(), Trouble> {
        let name = format!("instances/{}.json", instance.key);
        self.keep(&name, instance, &["start_time"], &format!("instance {}", instance.key))
    }
    /// The end of an instance's error log, kept when it is stopped or found dead.
    pub fn error_log(&self, instance: &str, tail: &str) -> Result<(), Trouble> {
        let path = self.folder.join("instances").join(instance).join("error.log");
        self.attempt(make_parent(&path).and_then(|()| write_whole(&path, tail.as_bytes())))
    }
    pub fn dataset(&self, dataset: &DatasetRecord) -> Result<(), Trouble> {
        let name = format!("datasets/{}.json", dataset.key);
        self.keep(&name, dataset, &["load_time", "rows_checked"], &format!("dataset {}", dataset.key))
    }

    /// What held at one end of a run, kept once; the name by which the run tells it.
    pub fn state(&self, state: &State) -> Result<String, Trouble> {
        let text = serde_json::to_string(state).expect("records are JSON");
        let name = digest(text.as_bytes())[..NAME].to_string();
        let path = self.folder.join(STATES).join(format!("{name}.json"));
        if !path.exists() {
            self.attempt(make_parent(&path).and_then(|()| write_json(&path, state)))?;
        }
        Ok(name)
    }

    pub fn begin_run(&self, id: &RunId) -> Result<RunPages, Trouble> {
        self.attempt(self.pages(id))
    }
    /// The run is over when this returns; its pages must have been finished.
    pub fn end_run(&mut self, run: &RunRecord) -> Result<(), Trouble> {
        let path = self.run_folder(&run.id).join("run.json");
        self.attempt(make_parent(&path).and_then(|()| write_json(&path, run)))?;
        self.finished.insert(run.id.clone());
        Ok(())
    }

    /// The stacks of a profile run, packed: they are mostly the same names again.
    pub fn stacks(&self, id: &RunId, stacks: &[Stack]) -> Result<(), Trouble> {
        let path = self.run_folder(id).join(STACKS);
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        let packed = packed.write_all(fold(stacks).as_bytes()).and_then(|()| packed.finish());
        self.attempt(packed.map_err(Trouble::at("packing", &path)).and_then(|bytes| write_whole(&path, &bytes)))
    }

    /// Sets a run that is over aside, so that it is carried out again. What it measured is kept under another name, and
    /// the reason is told before anything moves.
    pub fn repeat(&mut self, id: &RunId, why: &str) -> Result<(), Trouble> {
        self.note(EventKind::RunRepeated, Some(id), why)?;
        let (folder, aside) = (self.run_folder(id), self.free(id, REPEATED));
        fs::rename(&folder, &aside).map_err(Trouble::at("moving aside", &folder))?;
        self.finished.remove(id);
        self.repeated += 1;
        Ok(())
    }

    fn run_folder(&self, id: &RunId) -> PathBuf {
        self.folder.join("runs").join(&id.0)
    }
    fn pages(&self, id: &RunId) -> Result<RunPages, Trouble> {
        self.move_aside(id)?;
        let folder = self.run_folder(id);
        fs::create_dir(&folder).map_err(Trouble::at("making", &folder))?;
        Ok(RunPages {
            intervals: Page::open(&folder.join("intervals.jsonl"))?,
            series: Page::open(&folder.join("series.jsonl"))?,
        })
    }
    /// What an interrupted run left is kept under another name: it may tell why.
    fn move_aside(&self, id: &RunId) -> Result<(), Trouble> {
        let folder = self.run_folder(id);
        if !folder.exists() {
            return Ok(());
        }
        fs::rename(&folder, self.free(id, INTERRUPTED)).map_err(Trouble::at("moving aside", &folder))?;
        self.note(EventKind::RunInterrupted, Some(id), format!("{id} was interrupted and is repeated"))
    }
    /// A name for what is moved aside that nothing has yet.
    fn free(&self, id: &RunId, why: &str) -> PathBuf {
        let aside = |n: u32| self.folder.join("runs").join(format!("{id}{why}{n}"));
        (1..).map(aside).find(|p| !p.exists()).expect("there are enough numbers")
    }
    /// Writes a file that is not there yet. One that is stays, and a difference beyond `volatile` keys is told.
    fn keep(&self, name: &str, value: &impl Serialize, volatile: &[&str], what: &str) -> Result<(), Trouble> {
        let path = self.folder.join(name);
        if !path.exists() {
            return self.attempt(make_parent(&path).and_then(|()| write_json(&path, value)));
        }
        let mut there: serde_json::Value = read_json(&path)?;
        let mut here = serde_json::to_value(value).expect("records are JSON");
        for key in volatile {
            there[key] = serde_json::Value::Null;
            here[key] = serde_json::Value::Null;
        }
        match difference::first(&there, &here) {
            Some(text) => self.note(EventKind::Note, None, format!("{what} is not what it was: {text}")),
            None => Ok(()),
        }
    }
    /// Passes a result on, and tries to tell a failure in the record itself: a full disk often has room for a line.
    fn attempt<T>(&self, result: Result<T, Trouble>) -> Result<T, Trouble> {
        if let Err(trouble) = &result {
            let _ = self.note(EventKind::Note, None, trouble.to_string());
        }
        result
    }
}

/// How many runs were set aside when they were over.
fn repeated(runs: &Path) -> Result<u32, Trouble> {
    let entries = fs::read_dir(runs).map_err(Trouble::at("reading", runs))?;
    Ok(entries.flatten().filter(|entry| entry.file_name().to_string_lossy().contains(REPEATED)).count() as u32)
}

fn lock(folder: &Path) -> Result<File, Trouble> {
    let path = folder.join(LOCK);
    let mut lock = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(Trouble::at("opening", &path))?;
    if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        let by = fs::read_to_string(&path).unwrap_or_default();
        return Err(Trouble::new(format!(
            "{} is being written by another assay (process {})",
            folder.display(),
            by.trim()
        ))
        .mend("wait for it, or choose another folder with --out"));
    }
    let told = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id()));
    told.map_err(Trouble::at("writing", &path))?;
    Ok(lock)
}

/// `plan.json` comes last here: a folder that has it has all that a record begins with.
fn begin(folder: &Path, plan: &Plan, experiment: &str) -> Result<(), Trouble> {
    let known = [LOCK, "experiment.toml", "experiment.tmp", "plan.tmp"];
    let entries = fs::read_dir(folder).map_err(Trouble::at("reading", folder))?.flatten();
    if let Some(other) = entries.map(|e| e.file_name()).find(|n| !known.iter().any(|k| n == k)) {
        return Err(Trouble::new(format!("{} holds {} and is not a record", folder.display(), other.display()))
            .mend("choose another folder with --out"));
    }
    write_whole(&folder.join("experiment.toml"), experiment.as_bytes())?;
    write_json(&folder.join("plan.json"), plan)
}

/// A record goes on only with the plan that it began with; what a plan expects to cost may change, and how it was asked
/// for.
fn same_plan(folder: &Path, plan: &Plan) -> Result<(), Trouble> {
    let there: Plan = read_json(&folder.join("plan.json"))?;
    let json = |plan: &Plan| {
        let same = Plan { cost: Default::default(), sets: Vec::new(), cells: plan.chosen_cells(), ..plan.clone() };
        serde_json::to_value(same).expect("a plan is JSON")
    };
    match difference::first(&json(&there), &json(plan)) {
        None => Ok(()),
        Some(text) => Err(Trouble::new(format!("{} is the record of another plan ({text})", folder.display()))
            .mend("choose another folder with --out, or give the experiment as it was")),
    }
}

fn make_parent(path: &Path) -> Result<(), Trouble> {
    let parent = path.parent().expect("a record's files lie in its folder");
    fs::create_dir_all(parent).map_err(Trouble::at("making", parent))
}

/// Milliseconds since 1970 (UTC).
pub fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970").as_millis() as u64
}
