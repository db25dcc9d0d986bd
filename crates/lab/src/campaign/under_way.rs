//! A plan on its way: how it begins, how one run of it is prepared, carried out and told, and how it is closed.

use super::pace::Pace;
use super::{ceiling, reach};
use crate::backends::access::LoadPlan;
use crate::backends::up::Up;
use crate::execution::driving::Caller;
use crate::execution::ranks::{Led, RankPlace};
use crate::execution::run::{Assignment, Run, without_load};
use crate::notebook::reporter::{Progress, Reporter};
use crate::os::process::Guard;
use crate::provision::Provision;
use crate::provision::needs::RunNeeds;
use crate::ranks::peers::Peers;
use crate::trouble::{Halt, Trouble, Unready};
use model::host::Host;
use model::load::{Io, Waiting};
use model::plan::{CellId, Plan, PlannedRun, Stage};
use model::record::canary::Canary;
use model::record::event::EventKind;
use model::record::run::{Ending, RunRecord};
use model::search::Trial;
use std::collections::BTreeMap;
use workload::Workloads;

/// Usual in a container, whose rules of system calls leave io_uring out.
const BY_EPOLL: &str = "io_uring is refused here, so the load takes epoll, which costs it more CPU per statement; \
     assay doctor says what allows io_uring";

/// A plan on its way: what is asked, who is told, and what serves.
pub(crate) struct Campaign<'a> {
    pub plan: &'a Plan,
    pub host: &'a Host,
    pub workloads: &'a Workloads,
    pub reporter: Reporter<'a>,
    pub provision: Provision<'a>,
    /// Those of cells whose runs take turns.
    pub turns: BTreeMap<CellId, Provision<'a>>,
    pub guard: Guard,
    pub pace: Pace,
    canary: Option<Canary>,
    /// The other ranks, where there are some.
    pub peers: Option<&'a mut Peers>,
    /// Why the last failed run failed: an error log is shown once, not for each run that it fails.
    pub told: String,
}

impl<'a> Campaign<'a> {
    pub fn new(
        plan: &'a Plan,
        host: &'a Host,
        workloads: &'a Workloads,
        guard: Guard,
        reporter: Reporter<'a>,
    ) -> Result<Self, Trouble> {
        let provision = Provision::new(host, guard.clone())?;
        Ok(Self {
            plan,
            host,
            workloads,
            reporter,
            provision,
            turns: BTreeMap::new(),
            guard,
            pace: Pace::new(),
            canary: None,
            peers: None,
            told: String::new(),
        })
    }

    /// Says what is to be done and by which machine; the machine's own ceiling and floor are measured once and kept.
    pub fn begin(&mut self, todo: &[PlannedRun]) -> Result<(), Halt> {
        let found = self.reporter.notebook.finished().len();
        let resumed = if found > 0 { format!(", {found} of them done before") } else { String::new() };
        let most = if self.plan.is_at_most() { "at most " } else { "" };
        let (total, folder) = (self.plan.runs.len(), self.reporter.notebook.folder().display().to_string());
        self.reporter.say(&format!("{most}{total} runs{resumed}; the record is {folder}"));
        if !self.host.io_uring && self.plan.cells.iter().any(|cell| cell.load.io == Io::Auto) {
            self.reporter.say(BY_EPOLL);
        }
        self.reporter.notebook.host(self.host)?;
        self.reporter.note(EventKind::LabStarted, None, format!("{} runs to do{resumed}", todo.len()))?;
        let Reporter { notebook, progress, stop } = &mut self.reporter;
        let mut canary = ceiling::find(self.provision.folders(), self.host, stop, &mut |line| progress.say(line))?;
        // The runs of one record are compared, so they go by one choice.
        if let Some(earlier) = notebook.earlier_canary().filter(|earlier| earlier.choice.is_some()) {
            canary = earlier;
        }
        notebook.canary(&canary)?;
        self.canary = Some(canary);
        Ok(())
    }

    pub fn show(&mut self, todo: &[PlannedRun], what: &str) {
        self.pace.show(self.plan, todo, self.reporter.progress, what);
    }

    /// How the users of this run wait for their answers, once its server is up.
    pub fn waiting(&mut self, needs: &RunNeeds<'_>) -> Result<Waiting, Halt> {
        let named = Waiting::by(needs.cell.load.io);
        let Some(mut canary) = self.canary.take() else { return Ok(named) };
        if canary.choice.is_none() {
            let provision = self.turns.get(&needs.run.cell).unwrap_or(&self.provision);
            reach::choose(&mut canary, self.plan, needs, provision, self.host, &mut self.reporter)?;
            self.reporter.notebook.canary(&canary)?;
        }
        let waiting = canary.choice.as_ref().map_or(named, |choice| choice.waiting(needs.cell));
        self.canary = Some(canary);
        Ok(waiting)
    }

    /// One run from "its server is up" to "it is in the record".
    pub fn one(
        &mut self,
        needs: &RunNeeds<'_>,
        trial: Option<Trial>,
        todo: &[PlannedRun],
        prepared: Result<(), Unready>,
        coming: Coming<'_, '_>,
    ) -> Result<RunRecord, Halt> {
        let assignment = Assignment { needs, host: self.host, trial };
        let ending = without(prepared)?;
        let record = match ending {
            Some(ending) => without_load(&assignment, self.provision.still_up(), ending, &mut self.reporter)?,
            None => {
                let stages = (coming.stages)(self.provision.up());
                let (plan, pace) = (self.plan, &self.pace);
                let show = |progress: &mut dyn Progress, what: &str| pace.show(plan, todo, progress, what);
                let provision = &mut self.provision;
                let led = self.peers.as_deref_mut().zip(coming.places).map(|(peers, places)| Led::new(peers, places));
                let run = Run { assignment, provision, caller: coming.caller, led, beside: Vec::new() };
                run.carry_out(&stages, &show, &mut self.reporter)?
            }
        };
        self.passed(needs, &record);
        match self.peers.as_ref().and_then(|peers| peers.lost.clone()) {
            Some(why) => Err(Halt::World(Trouble::new(why))),
            None => Ok(record),
        }
    }

    /// One more run is in the record.
    pub fn passed(&mut self, needs: &RunNeeds<'_>, record: &RunRecord) {
        self.pace.passed(needs.cell);
        if let Ending::Failed { reason } = &record.ending {
            let told = if *reason == self.told { "for the same reason" } else { reason };
            self.reporter.say(&format!("{} failed: {told}", needs.run.id));
            self.told.clone_from(reason);
        }
    }

    /// A private server listens in a folder of this machine.
    pub fn all_reach_the_servers(&self) -> Result<(), Trouble> {
        let Some(peers) = &self.peers else { return Ok(()) };
        let is_elsewhere = |rank: &u32| !peers.hellos[*rank as usize].shares_a_machine_with(&peers.hellos[0]);
        let is_private = self.plan.cells.iter().any(|cell| cell.server.on.is_none());
        match (1..peers.size()).find(is_elsewhere).filter(|_| is_private) {
            None => Ok(()),
            Some(rank) => Err(Trouble::new(format!(
                "{} is on another machine than the private server that this experiment starts",
                peers.name(rank)
            ))
            .mend("name a server that all hosts reach, by --on DSN, or start all ranks on one machine")),
        }
    }

    /// Takes down whatever is up.
    pub fn close(&mut self, outcome: &Result<(), Halt>) {
        if let Err(halt) = outcome {
            // A full disk may not take this word either.
            let _ = self.reporter.note(EventKind::LabStopped, None, halt.to_string());
        }
        self.end_turns();
        self.provision.close(&mut self.reporter);
    }
}

/// How a run ends that was not prepared.
pub(super) fn without(prepared: Result<(), Unready>) -> Result<Option<Ending>, Halt> {
    match prepared {
        Ok(()) => Ok(None),
        Err(Unready::Halt(halt)) => Err(halt),
        Err(Unready::Skip(reason)) => Ok(Some(Ending::Skipped { reason })),
        Err(Unready::Fail(reason)) => Ok(Some(Ending::Failed { reason })),
    }
}

/// Who comes in a run: the users of each stage, once the instance is up, and whoever asked for it.
pub(crate) struct Coming<'c, 'w> {
    pub stages: &'c dyn Fn(&Up) -> Vec<(Stage, LoadPlan)>,
    pub caller: Option<&'c mut Caller<'w>>,
    /// The places of all ranks, where there are several.
    pub places: Option<Vec<RankPlace>>,
}
