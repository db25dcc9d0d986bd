//! Carries a plan out: for each run the instance, the dataset, the users, and the record of it. A run that fails is a
//! result and the plan goes on; only what makes every further run pointless (a full disk, a notebook that cannot be
//! written, a wish to stop) ends it.

pub mod ceiling;
pub mod scripts;
pub(crate) mod trial;
pub(crate) mod visit;

use crate::backends::memcached::found as found_cache;
use crate::backends::mongodb::provision as documents;
use crate::backends::mysql::found;
use crate::execution::explain;

pub use crate::backends::mysql::plugins::free_port;
pub use visit::Noting;

use crate::notebook::Notebook;
use crate::os::process::Guard;
use crate::provision::instance::Up;
use crate::provision::snapshots::{Store, StoredSnapshot};
use crate::servers::process::folders::{Folders, free_bytes, private_folder};
use crate::trouble::Trouble;
use model::dsn;
use model::host::Host;
use model::plan::{Cell, CellId, Plan, PlannedRun};
use model::protocol::Protocol;
use model::record::event::EventKind;
use model::record::run::{Ending, RunRecord};
use model::search::{Step, Trial};
use model::units::{Nanos, Users};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use visit::Visit;
use workload::Workloads;

/// What a person sees meanwhile.
pub trait Progress: Send {
    /// One line that stays.
    fn say(&mut self, line: &str);
    /// How far it is: `done` of `of` runs, what happens now, and the time left.
    fn at(&mut self, done: u64, of: u64, what: &str, left: Duration);
}

/// Why a plan ended early.
#[derive(Debug)]
pub enum Halt {
    /// Asked to stop; the same command goes on.
    Interrupted,
    /// The world failed in a way that concerns every run.
    World(Trouble),
}

impl std::fmt::Display for Halt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Interrupted => f.write_str("asked to stop"),
            Self::World(trouble) => trouble.fmt(f),
        }
    }
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Self {
        Self::World(trouble)
    }
}

/// Room that a data disk must keep free beyond the plan, because a full disk takes others down with it.
const SPARE_DISK: u64 = 1 << 30;

/// The state of a lab between runs.
pub struct Lab<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) host: &'a Host,
    pub(crate) workloads: &'a Workloads,
    pub(crate) folders: Folders,
    pub(crate) guard: Guard,
    pub(crate) notebook: &'a mut Notebook,
    pub(crate) progress: &'a mut dyn Progress,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) up: Option<Up>,
    /// Those of an explain run while it is under way.
    pub(crate) instruments: Option<explain::Instruments>,
    pub(crate) store: Store,
    /// Snapshots that this lab uses, and the names of those that it made.
    pub(crate) kept: BTreeMap<String, Rc<StoredSnapshot>>,
    pub(crate) made: BTreeSet<String>,
    /// Digests of binaries by path.
    pub(crate) binaries: BTreeMap<String, String>,
    /// Servers that would not start and data that would not load, so that they are not tried again for each of their
    /// runs.
    pub(crate) refused: BTreeMap<String, String>,
    /// Why the last failed run failed: an error log is shown once, not for each run that it fails.
    told: String,
    pace: Pace,
    next: Next,
    /// What the run under way is for, where its cell searches.
    pub(crate) trial: Option<Trial>,
    /// By searching cell: its finished runs in order.
    trials: BTreeMap<CellId, Vec<RunRecord>>,
    /// The run is somebody else's.
    pub(crate) visit: Option<Visit<'a>>,
}

/// What the runs so far cost beyond their phases, for the time left.
struct Pace {
    begun: Instant,
    done: u32,
    planned: Nanos,
}

/// Which level the next run of a searching cell takes, by its finished runs: a rule of the judge's that the lab only
/// follows.
pub type Next = fn(&Cell, &[&RunRecord]) -> Step;

/// Carries out what is not yet recorded of the plan, which names none but these workloads.
#[allow(clippy::too_many_arguments)] // said once, by the verb that runs
pub fn carry_out(
    plan: &Plan,
    host: &Host,
    workloads: &Workloads,
    next: Next,
    guard: Guard,
    notebook: &mut Notebook,
    progress: &mut dyn Progress,
    stop: &AtomicBool,
) -> Result<(), Halt> {
    let lab = Lab::new(plan, host, workloads, next, guard, notebook, progress, stop, None)?;
    carried_out(lab).1
}

/// Carries out and takes down; gives the lab back with what it knows.
fn carried_out(mut lab: Lab<'_>) -> (Lab<'_>, Result<(), Halt>) {
    let outcome = lab.recall().map_err(Halt::from).and_then(|()| lab.carry_out());
    if let Err(halt) = &outcome {
        // A full disk may not take this word either.
        let _ = lab.notebook.note(EventKind::LabStopped, None, halt.to_string());
    }
    lab.take_down();
    // What cannot be swept now is swept by whoever comes next.
    let _ = lab.folders.sweep();
    lab.kept.clear();
    // What cannot make room now makes room next time.
    let _ = lab.shrink();
    (lab, outcome)
}

/// What can be refused before a record is begun, so that nothing is left behind: a server that is not there, a disk
/// without room for the plan's data.
pub fn check(plan: &Plan) -> Result<(), Trouble> {
    let named: BTreeSet<_> = plan.cells.iter().filter_map(|c| c.server.on.as_deref()).collect();
    named.into_iter().try_for_each(|dsn| match dsn::protocol(dsn) {
        Protocol::MongoDb => documents::named(dsn).map(drop),
        Protocol::Memcached | Protocol::PostgreSql => found_cache::look(dsn),
        Protocol::MySql | Protocol::HandlerSocket => found::has_room(dsn, most_users(plan, dsn)),
    })?;
    check_disk(plan)
}

/// The most users that a server named by that DSN is to take at a time; a search finds out by itself how many that are.
fn most_users(plan: &Plan, dsn: &str) -> Users {
    let there = plan.cells.iter().filter(|cell| cell.server.on.as_deref() == Some(dsn) && cell.search.is_none());
    there.map(Cell::most_users).max().unwrap_or(Users(0))
}

fn check_disk(plan: &Plan) -> Result<(), Trouble> {
    let folders = Folders::from_environment()?;
    private_folder(&folders.home)?;
    let (free, needed) = (free_bytes(&folders.home)?, plan.cost.disk);
    if free.0 < needed.0.saturating_add(SPARE_DISK) {
        let what = format!("the plan needs about {needed} at {} and {free} are free there", folders.home.display());
        let mend = "free some space, set ASSAY_HOME to a folder on a larger disk, or choose a smaller scale";
        return Err(Trouble::new(what).mend(mend));
    }
    Ok(())
}

impl<'a> Lab<'a> {
    #[allow(clippy::too_many_arguments)] // said once, by two callers
    fn new(
        plan: &'a Plan,
        host: &'a Host,
        workloads: &'a Workloads,
        next: Next,
        guard: Guard,
        notebook: &'a mut Notebook,
        progress: &'a mut dyn Progress,
        stop: &'a AtomicBool,
        visit: Option<Visit<'a>>,
    ) -> Result<Self, Trouble> {
        let folders = Folders::from_environment()?;
        private_folder(&folders.home)?;
        let store = Store::of(&folders)?;
        let pace = Pace { begun: Instant::now(), done: 0, planned: Nanos(0) };
        Ok(Self {
            plan,
            host,
            workloads,
            folders,
            guard,
            notebook,
            progress,
            stop,
            up: None,
            instruments: None,
            store,
            kept: BTreeMap::new(),
            made: BTreeSet::new(),
            binaries: BTreeMap::new(),
            refused: BTreeMap::new(),
            told: String::new(),
            pace,
            next,
            trial: None,
            trials: BTreeMap::new(),
            visit,
        })
    }
}

impl Lab<'_> {
    fn carry_out(&mut self) -> Result<(), Halt> {
        let mut todo: Vec<PlannedRun> =
            self.plan.runs.iter().filter(|r| !self.notebook.finished().contains(&r.id)).cloned().collect();
        todo.retain(|run| !matches!(self.step(run), Some(Step::Over { .. })));
        let total = self.plan.runs.len();
        if todo.is_empty() {
            let runs = self.notebook.finished().len();
            self.progress.say(&format!("all {runs} runs are in {}", self.notebook.folder().display()));
            return Ok(());
        }
        let found = self.notebook.finished().len();
        let resumed = if found > 0 { format!(", {found} of them done before") } else { String::new() };
        let most = if self.plan.searches() { "at most " } else { "" };
        self.progress.say(&format!("{most}{total} runs{resumed}; the record is {}", self.notebook.folder().display()));
        self.notebook.host(self.host)?;
        self.notebook.note(EventKind::LabStarted, None, format!("{} runs to do{resumed}", todo.len()))?;
        self.find_ceiling()?;
        while let Some(run) = todo.get(self.pace.done as usize).cloned() {
            self.check_stop()?;
            let trial = match self.step(&run) {
                None => None,
                Some(Step::Run { level, why }) => Some(Trial { level, why, cut: None }),
                Some(Step::Over { why, .. }) => {
                    self.search_is_over(&run, &why)?;
                    let mut at = 0..;
                    todo.retain(|r| at.next() < Some(self.pace.done as usize) || r.cell != run.cell);
                    continue;
                }
            };
            self.tell_where(&todo, "");
            self.one(&run, trial, &todo)?;
        }
        self.notebook.note(EventKind::LabStopped, None, "every run of the plan is over")?;
        Ok(())
    }

    pub(crate) fn check_stop(&self) -> Result<(), Halt> {
        if !self.stop.load(Relaxed) {
            return Ok(());
        }
        Err(Halt::Interrupted)
    }

    /// The machine's own ceiling and floor, measured once and kept.
    fn find_ceiling(&mut self) -> Result<(), Halt> {
        let canary = ceiling::find(&self.folders, self.host, self.stop, &mut |line| self.progress.say(line))?;
        Ok(self.notebook.canary(&canary)?)
    }

    /// One run from "its server is up" to "it is in the record".
    fn one(&mut self, planned: &PlannedRun, trial: Option<Trial>, todo: &[PlannedRun]) -> Result<(), Halt> {
        let cell = self.plan.cell(&planned.cell);
        let cell = trial.as_ref().map_or_else(|| cell.clone(), |trial| cell.at(trial.level));
        if let (Some(trial), Some(search)) = (&trial, &cell.search) {
            self.progress.say(&format!("{} at {}: {}", planned.id, search.shown(trial.level), trial.why));
        }
        self.trial = trial;
        let prepared = self.prepare(&cell, planned);
        let ending = match prepared {
            Ok(()) if planned.explain => match self.instrument(&cell) {
                Ok(()) => self.run(planned, &cell, todo)?,
                Err(reason) => self.without_load(planned, Ending::Skipped { reason })?,
            },
            Ok(()) => self.run(planned, &cell, todo)?,
            Err(Unready::Halt(halt)) => return Err(halt),
            Err(Unready::Skip(reason)) => self.without_load(planned, Ending::Skipped { reason })?,
            Err(Unready::Fail(reason)) => self.without_load(planned, Ending::Failed { reason })?,
        };
        self.pace.done += 1;
        self.pace.planned = Nanos(self.pace.planned.0 + phases_time(&cell).0);
        if let Ending::Failed { reason } = &ending {
            let told = if *reason == self.told { "for the same reason" } else { reason };
            self.progress.say(&format!("{} failed: {told}", planned.id));
            self.told.clone_from(reason);
        }
        Ok(())
    }

    pub(crate) fn tell_where(&mut self, todo: &[PlannedRun], what: &str) {
        let total = self.plan.runs.len() as u64;
        let done = total - (todo.len() as u64 - u64::from(self.pace.done));
        let ahead = todo[self.pace.done as usize..].iter().map(|r| phases_time(self.plan.cell(&r.cell)).seconds());
        let planned = self.pace.planned.seconds();
        let overhead = match self.pace.done {
            0 => 0.05,
            n => ((self.pace.begun.elapsed().as_secs_f64() - planned) / f64::from(n)).max(0.0),
        };
        let left = ahead.map(|s| s + overhead).sum::<f64>();
        self.progress.at(done, total, what, Duration::from_secs_f64(left));
    }
}

/// Why a run cannot begin.
pub(crate) enum Unready {
    /// The build cannot do this; the cell has no number and a reason.
    Skip(String),
    Fail(String),
    Halt(Halt),
}

impl From<Trouble> for Unready {
    fn from(trouble: Trouble) -> Self {
        Self::Halt(Halt::World(trouble))
    }
}

fn phases_time(cell: &Cell) -> Nanos {
    Nanos(
        cell.phases
            .iter()
            .map(|p| match p.until {
                model::load::Until::Time(t) => t.0,
                model::load::Until::Count(_) => 0,
            })
            .sum(),
    )
}
