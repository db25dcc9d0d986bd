//! The life of one run, top to bottom: ask what is, let the users in, sample, and write down how it ended. What was
//! measured until a failure is kept with it.

use super::around::{self, Before};
use super::audit::Auditor;
use super::driving::{Caller, Driving, SoFar};
use super::groups::{PATIENCE, ask};
use super::limit_watch::LimitWatch;
use super::ranks::Led;
use super::record::{blank, end, name_datasets, whole, without_pages};
use super::recorder::{RunRecorder, Show, keep_own};
use super::sampling::Sampling;
use super::way::Floor;
use super::{sources, states, troubles};
use crate::backends::access::LoadPlan;
use crate::backends::up::{NEWS, Serving, Up, held};
use crate::backends::{Instruments, loading, of_up};
use crate::disturbances::ends_the_server;
use crate::disturbances::scene::Place;
use crate::disturbances::scene::acting::Acting;
use crate::load::Outcome;
use crate::load::failure::Cause;
use crate::notebook::reporter::Reporter;
use crate::notebook::{RunPages, unix_ms};
use crate::os::placement::place;
use crate::os::procfs::children;
use crate::os::{sync_probe, write_back};
use crate::profiler::Profiler;
use crate::provision::Provision;
use crate::provision::needs::RunNeeds;
use crate::samplers::Process;
use crate::samplers::Workers;
use crate::servers::catalogue;
use crate::trouble::{Halt, Trouble};
use model::host::Host;
use model::plan::{Cell, Stage};
use model::record::around::{Around, Syncs};
use model::record::event::EventKind;
use model::record::run::{Ending, RunRecord, WholeRun};
use model::record::state::{Facet, States};
use model::search::Trial;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use workload::session::Fault;

/// What one run is to do.
pub struct Assignment<'a> {
    pub needs: &'a RunNeeds<'a>,
    pub host: &'a Host,
    /// What it is for, where its cell searches.
    pub trial: Option<Trial>,
}

/// One run on an instance that is up, which it borrows.
pub struct Run<'a, 'p, 'c> {
    pub assignment: Assignment<'a>,
    pub provision: &'a mut Provision<'p>,
    pub caller: Option<&'a mut Caller<'c>>,
    pub led: Option<Led<'a>>,
    /// Processes of servers whose runs take turns with it.
    pub beside: Vec<u32>,
}

/// Whether its users may come.
pub enum Begun<'a> {
    /// They may not, and it is over.
    Over(Box<RunRecord>),
    UnderWay(Box<UnderWay<'a>>),
}

/// What is seen of a run while its users come and go.
pub struct UnderWay<'a> {
    record: RunRecord,
    instruments: Option<Box<dyn Instruments>>,
    auditor: Auditor,
    profiler: Option<Profiler>,
    before: Before,
    floor: Floor,
    own: Vec<u32>,
    pub(crate) recorder: RunRecorder<'a>,
    so_far: SoFar,
}

/// A run that had no load: skipped, or failed before it.
pub fn without_load(
    assignment: &Assignment<'_>,
    up: Option<&Up>,
    ending: Ending,
    reporter: &mut Reporter<'_>,
) -> Result<RunRecord, Halt> {
    let mut record = blank(assignment.needs.run, assignment.trial.clone(), reporter);
    without_pages(assignment.needs.run, reporter)?;
    record.instance = up.map(|up| up.key.clone());
    record.ended_unix_ms = unix_ms();
    end(record, ending, reporter)
}

impl<'a> Run<'a, '_, '_> {
    /// Carries out a run whose instance and dataset are ready.
    pub fn carry_out(
        mut self,
        stages: &[(Stage, LoadPlan)],
        show: Show<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Result<RunRecord, Halt> {
        let mut under_way = match self.begin(stages, reporter)? {
            Begun::Over(record) => return Ok(*record),
            Begun::UnderWay(under_way) => under_way,
        };
        while self.stage(stages, &mut under_way, show, reporter)? {}
        self.finish(stages, *under_way, reporter)
    }

    /// Brings it to where its users may come.
    pub fn begin(&mut self, stages: &[(Stage, LoadPlan)], reporter: &mut Reporter<'_>) -> Result<Begun<'a>, Halt> {
        let RunNeeds { run: planned, cell, .. } = *self.assignment.needs;
        let up = self.provision.up();
        let users: Vec<_> = stages.iter().flat_map(|(_, load_plan)| &load_plan.user_groups).collect();
        let instruments = match planned.explain.then(|| of_up(up).instruments(up, cell, &users)).transpose() {
            Ok(instruments) => instruments,
            Err(reason) => return self.skipped(reason, reporter),
        };
        let mut record = blank(planned, self.assignment.trial.clone(), reporter);
        let auditor = match self.before_users(stages, &mut record, reporter) {
            Ok(auditor) => auditor,
            Err(reason) => {
                let record = ended(record, instruments, Ending::Failed { reason }, reporter)?;
                return Ok(Begun::Over(Box::new(record)));
            }
        };
        match self.profiler() {
            Ok(profiler) => {
                let under_way = self.with_users(stages, (auditor, profiler), (record, instruments), reporter)?;
                Ok(Begun::UnderWay(Box::new(under_way)))
            }
            Err(reason) => self.skipped(reason, reporter),
        }
    }

    fn skipped(&self, reason: String, reporter: &mut Reporter<'_>) -> Result<Begun<'a>, Halt> {
        let up = self.provision.still_up();
        let record = without_load(&self.assignment, up, Ending::Skipped { reason }, reporter)?;
        Ok(Begun::Over(Box::new(record)))
    }

    /// Asks what is, before anybody comes; why nobody can.
    fn before_users(
        &mut self,
        stages: &[(Stage, LoadPlan)],
        record: &mut RunRecord,
        reporter: &mut Reporter<'_>,
    ) -> Result<Auditor, String> {
        let Assignment { needs, host, .. } = self.assignment;
        let (cell, datasets) = (needs.cell, &needs.datasets);
        let up = self.provision.up();
        record.instance = Some(up.key.clone());
        record.start = of_up(up).state(up, datasets);
        name_datasets(record, up, datasets);
        record.workers = stages.iter().map(|(_, load_plan)| load_plan.workers()).max().unwrap_or_default();
        let of_ranks = self.led.as_ref().map(Led::cpus_here).filter(|cpus| !cpus.is_empty());
        record.load_cpus = of_ranks.unwrap_or_else(|| place(&cell.server, host).load);
        let mut auditor =
            Auditor::of(needs.workloads, &up.key, &cell.server, stages, loading::sessions(host.cpus.len()));
        let before = |fault: Fault| format!("before the users came: {fault}");
        let mut told = ask(&stages[0], needs.workloads, cell, PATIENCE).map_err(|fault| {
            let died = self.provision.died(NEWS, reporter).map_or(String::new(), |d| format!("; {d}"));
            before(fault) + &died
        })?;
        (_, record.session) = told.remove(0);
        record.more_sessions = told.into_iter().collect();
        self.provision.begin_use(datasets, needs.writes).map_err(before)?;
        auditor.before();
        self.settle(record);
        Ok(auditor)
    }

    /// What watches the users who are about to come.
    fn with_users(
        &mut self,
        stages: &[(Stage, LoadPlan)],
        (auditor, profiler): (Auditor, Option<Profiler>),
        (mut record, instruments): (RunRecord, Option<Box<dyn Instruments>>),
        reporter: &mut Reporter<'_>,
    ) -> Result<UnderWay<'a>, Trouble> {
        let Assignment { needs: RunNeeds { run: planned, cell, .. }, host, .. } = self.assignment;
        record.states = Some(States { begin: self.states(stages, reporter)?, ..States::default() });
        let text = format!("{} with {}", cell.workload, cell.load.users);
        reporter.note(EventKind::RunStarted, Some(&planned.id), text)?;
        record.started_unix_ms = unix_ms();
        let RunPages { intervals, series } = reporter.notebook.begin_run(&planned.id)?;
        let before = around::before(host.cpus.len());
        let is_wanted = self.caller.is_none() && !planned.is_beside();
        let floor = Floor::before(&stages[0].1, is_wanted, reporter.stop);
        self.led.iter_mut().filter(|_| is_wanted).for_each(|led| led.take_floors(&stages[0].1));
        let (up, workers) = (self.provision.up(), Workers::default());
        let own = own_processes(up);
        let process = up.server.pid().map(Process::of);
        let all = sources::of_run(up, cell, stages, &auditor, process.clone(), workers.clone());
        let sampling = Sampling::begin(all, series);
        let acting = Acting::new(self.scene(process));
        let recorder = RunRecorder::new(cell, workers, sampling, intervals, acting);
        let so_far = SoFar::default();
        Ok(UnderWay { record, instruments, auditor, profiler, before, floor, own, recorder, so_far })
    }

    /// Lets the users of the next stage in; whether another comes behind it.
    pub fn stage(
        &mut self,
        stages: &[(Stage, LoadPlan)],
        under_way: &mut UnderWay<'a>,
        show: Show<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Result<bool, Trouble> {
        let UnderWay { record, recorder, so_far, .. } = under_way;
        let (needs, up) = (self.assignment.needs, self.provision.up());
        let rest = &|| of_up(up).settling(up, &needs.datasets, &needs.cell.server.engine);
        recorder.wake();
        let caller = self.caller.as_deref_mut();
        let driving = Driving { needs, recorder, reporter, show, caller, led: self.led.as_mut(), rest, record };
        driving.stage(stages, so_far)
    }

    /// Writes down what the users did, once they have left.
    pub fn finish(
        mut self,
        stages: &[(Stage, LoadPlan)],
        under_way: UnderWay<'a>,
        reporter: &mut Reporter<'_>,
    ) -> Result<RunRecord, Halt> {
        let UnderWay { mut record, instruments, auditor, profiler, before, floor, own, recorder, so_far } = under_way;
        let Assignment { needs: RunNeeds { run: planned, cell, .. }, .. } = self.assignment;
        let outcome = so_far.joined(&mut record, self.caller.as_deref_mut());
        let lab = profiler.as_ref().map(|_| sources::of_the_lab(self.provision.still_up(), stages)).unwrap_or_default();
        let way = if outcome.failure.is_none() { floor.and_after(&stages[0].1, reporter.stop) } else { None };
        if way.is_some() {
            self.led.iter_mut().for_each(|led| led.take_floors(&stages[0].1));
        }
        record.around = Some(Around { way, syncs: self.syncs(), ..self.around(before, own) });
        let (start, lost) = (recorder.start(), recorder.limit.as_ref().map(LimitWatch::sentence));
        let (phases, sampled) = recorder.close();
        sampled.written?;
        for sentence in sampled.missing {
            reporter.note(EventKind::Note, Some(&planned.id), sentence)?;
        }
        states::keep_meanwhile(reporter.notebook, &sampled.states, &mut record)?;
        record.phases = phases;
        if let Some(profiler) = profiler {
            let (profile, stacks) = profiler.finish(start, &record.phases, &lab);
            reporter.notebook.stacks(&planned.id, &stacks)?;
            record.profile = Some(profile);
        }
        sum_up(&mut record, &outcome, cell);
        self.led.iter_mut().for_each(|led| led.put_ways(&mut record.ranks));
        if let (true, Some(trial)) = (outcome.cut, &mut record.trial) {
            trial.cut = lost;
        }
        let ending = self.after_users(stages, auditor, outcome, &mut record, reporter)?;
        ended(record, instruments, ending, reporter)
    }

    /// What can be asked when they have left, and how the run ended.
    fn after_users(
        &mut self,
        stages: &[(Stage, LoadPlan)],
        auditor: Auditor,
        mut outcome: Outcome,
        record: &mut RunRecord,
        reporter: &mut Reporter<'_>,
    ) -> Result<Ending, Halt> {
        if outcome.stopped && self.caller.is_some() {
            // Nobody goes on with it.
            outcome.failure = Some("stopped as asked, before its end".into());
        } else if outcome.stopped {
            // Left without an ending: the same command repeats it.
            return Err(Halt::Interrupted);
        }
        // One that does not answer its users does not answer us.
        // And where a rank is gone, its launcher leaves us a second.
        let is_asked = !matches!(outcome.cause, Cause::Stalled | Cause::Lost);
        if let Some(states) = record.states.as_mut().filter(|_| is_asked) {
            states.end = self.states(stages, reporter)?;
        }
        if let Some(sentence) = troubles::sentence(&outcome.whole) {
            reporter.note(EventKind::Note, Some(&record.id), sentence)?;
        }
        record.audits = auditor.after(&outcome.counted);
        let patience = if outcome.failure.is_some() && outcome.cause != Cause::Lost { NEWS } else { Duration::ZERO };
        let failure = outcome.failure.map(|why| match outcome.cause {
            Cause::Full => {
                let limit = of_up(self.provision.up()).session_limit(&stages[0].1.user_groups[0]);
                troubles::with_limit(limit, &why)
            }
            Cause::Stalled | Cause::Lost | Cause::Other => why,
        });
        let died = self.provision.died(patience, reporter);
        if outcome.cause == Cause::Stalled {
            self.provision.take_down_within(Duration::ZERO, reporter);
        }
        Ok(match (failure, died) {
            (None, None) => Ending::Done,
            (Some(reason), None) | (None, Some(reason)) => Ending::Failed { reason },
            (Some(failure), Some(death)) => Ending::Failed { reason: format!("{death}; {failure}") },
        })
    }

    /// Begins to profile the server, where the run is for that.
    fn profiler(&self) -> Result<Option<Profiler>, String> {
        let planned = self.assignment.needs.run;
        let begin = |hz| Profiler::begin(own_processes(self.provision.up()), hz, planned.spent);
        planned.profile.filter(|hz| *hz > 0).map(begin).transpose()
    }

    /// What holds now; nothing of a server that is gone.
    fn states(
        &self,
        stages: &[(Stage, LoadPlan)],
        reporter: &mut Reporter<'_>,
    ) -> Result<BTreeMap<Facet, String>, Trouble> {
        let Some(up) = self.provision.still_up() else { return Ok(BTreeMap::new()) };
        states::keep(reporter.notebook, up, stages, &self.assignment.needs.datasets)
    }

    /// What was around the load; a server that was started again meanwhile has another process.
    fn around(&self, before: Before, mut own: Vec<u32>) -> Around {
        own.extend(self.provision.still_up().and_then(|up| up.server.pid()));
        own.extend(&self.beside);
        own.extend(self.led.iter().flat_map(Led::pids_here));
        own.extend(own.clone().into_iter().flat_map(children));
        before.and_after(&own, &self.provision.folders().home)
    }

    /// Sends to the disk what loading, copying or an earlier run left, so that it is not written while users are there.
    fn settle(&self, record: &RunRecord) {
        let needs = self.assignment.needs;
        let is_first = record.start.as_ref().is_none_or(|start| start.runs_before == 0);
        if needs.cell.server.on.is_none() && (is_first || needs.writes) {
            write_back::finish(&self.provision.folders().home);
        }
    }

    /// What a sync takes where the data of a server of ours lie, after users who wrote.
    fn syncs(&self) -> Option<Syncs> {
        let is_ours = self.assignment.needs.cell.server.on.is_none();
        (is_ours && self.assignment.needs.writes).then(|| sync_probe::take(&self.provision.folders().home)).flatten()
    }

    /// Where disturbances of this run would act.
    fn scene(&self, process: Option<Process>) -> Place {
        let needs = self.assignment.needs;
        let (up, server) = (self.provision.up(), &needs.cell.server);
        let (cpus, build, instance) = match &up.server {
            Serving::Ours(instance) => {
                let alone = up.nodes.is_empty().then(|| Arc::clone(instance));
                (held(instance).cpus().to_vec(), catalogue::find(&server.build).ok(), alone)
            }
            Serving::Found(_) => (Vec::new(), None, None),
        };
        Place {
            target: of_up(up).target(up, &needs.datasets),
            schemas: up.schemas(&needs.datasets).cloned().collect(),
            engine: server.engine.clone(),
            cpus,
            build,
            instance,
            process: process.unwrap_or_else(|| Process::of(0)),
            folders: self.provision.folders().clone(),
            guard: self.provision.guard().clone(),
        }
    }
}

/// Writes a run down that is over now, with what its instruments tell.
fn ended(
    mut record: RunRecord,
    instruments: Option<Box<dyn Instruments>>,
    ending: Ending,
    reporter: &mut Reporter<'_>,
) -> Result<RunRecord, Halt> {
    record.ended_unix_ms = unix_ms();
    record.explain = instruments.map(|instruments| instruments.explained()).or(record.explain);
    end(record, ending, reporter)
}

/// Processes of the server's nodes.
pub fn own_processes(up: &Up) -> Vec<u32> {
    up.server.pid().into_iter().chain(up.nodes.iter().map(|node| node.instance.pid())).collect()
}

/// What the load came to as a whole.
fn sum_up(record: &mut RunRecord, outcome: &Outcome, cell: &Cell) {
    record.io = outcome.io.clone();
    record.ranks = outcome.ranks.clone();
    let WholeRun { counters, drain, .. } = std::mem::take(&mut record.whole);
    record.whole = WholeRun { drain, ..whole(outcome, counters) };
    if cell.phases.iter().any(|phase| ends_the_server(phase.disturb.as_ref())) {
        keep_own(&mut record.whole.counters);
    }
}
