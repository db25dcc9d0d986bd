//! The life of one run, top to bottom: ask what is, let the users in, sample, and write down how it ended. What was
//! measured until a failure is kept with it.

use super::audit::Auditor;
use super::dataset::{SESSIONS_PER_CPU, key};
use super::instance::NEWS;
use super::placement::place;
use super::trial::LimitWatch;
use super::wanted::{Wanted, identity};
use super::{Halt, Lab, answers, start, troubles, wanted};
use crate::load::failure::Cause;
use crate::load::{Crew, Outcome, Voyage, Witness, drive};
use crate::notebook::{Page, RunPages, unix_ms};
use crate::samplers::client::Workers;
use crate::samplers::{Ask, Dialect, Refused, sources, sources_of_node};
use crate::sampling::{Readings, Sampling, between};
use crate::sessions::address::Door;
use crate::sessions::control::Control;
use crate::trouble::Trouble;
use model::load::{Group, PhaseKind, Work};
use model::plan::{Cell, PlannedRun};
use model::record::RECORD_SCHEMA;
use model::record::answer::SessionAnswer;
use model::record::event::EventKind;
use model::record::explain::Explain;
use model::record::run::{Ending, GroupRecord, PhaseRecord, RunRecord, WholeRun};
use model::record::tally::{Interval, Tally};
use model::units::Nanos;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use workload::session::Fault;

impl Lab<'_> {
    /// Carries out a run whose instance and dataset are ready.
    pub(super) fn run(&mut self, planned: &PlannedRun, cell: &Cell, todo: &[PlannedRun]) -> Result<Ending, Halt> {
        let mut record = self.blank(planned);
        let up = self.up.as_ref().expect("an instance is up before its users come");
        let pid = up.server.pid();
        let nodes: Vec<_> = up.nodes.iter().map(|node| (node.door.clone(), node.instance.pid())).collect();
        record.instance = Some(up.key.clone());
        let wanted = wanted::of(cell);
        record.start = start::state(up, &wanted);
        for Wanted { name, .. } in &wanted {
            let key = key(&up.key, name);
            match &record.dataset {
                _ if !up.datasets.contains_key(name) => {}
                None => record.dataset = Some(key),
                Some(first) if *first == key || record.more_datasets.contains(&key) => {}
                Some(_) => record.more_datasets.push(key),
            }
        }
        let voyage = self.voyage(planned, cell);
        let up = self.up.as_ref().expect("it was there");
        let sessions = SESSIONS_PER_CPU * self.host.cpus.len().max(1);
        let mut auditor = Auditor::of(&up.key, &cell.server.engine, &voyage.crews, &cell.groups(), sessions);
        record.workers = voyage.workers;
        record.load_cpus = place(&cell.server, self.host).load;
        let door = voyage.crews[0].door.clone();
        match ask(&voyage, cell) {
            Ok((first, others)) => (record.session, record.more_sessions) = (first, others),
            Err(fault) => {
                let died = self.died(NEWS).map_or(String::new(), |d| format!("; {d}"));
                return self.end(record, Ending::Failed { reason: format!("before the users came: {fault}{died}") });
            }
        }
        if let Err(fault) = self.begin_use(&wanted, wanted::writes(cell)) {
            return self.end(record, Ending::Failed { reason: format!("before the users came: {fault}") });
        }
        auditor.before();
        self.notebook.note(
            EventKind::RunStarted,
            Some(&planned.id),
            format!("{} with {}", cell.workload, cell.load.users),
        )?;
        record.started_unix_ms = unix_ms();
        let RunPages { intervals, series } = self.notebook.begin_run(&planned.id)?;
        let workers = Workers::default();
        let (sampled, theirs, patience) = (door.clone(), workers.clone(), Duration::from_nanos(cell.load.deadline.0));
        let engine = cell.server.engine.clone();
        let watched = auditor.watched();
        let all = move || {
            let of_node = |(number, (door, pid)): (u32, &(Door, u32))| {
                sources_of_node(number, asker(door, patience), *pid, &engine)
            };
            let first = sources(Some(asker(&sampled, patience)), pid, &theirs, &engine, watched);
            first.into_iter().chain((2..).zip(&nodes).flat_map(of_node)).collect()
        };
        let sampling = Sampling::begin(all, series);
        let quiet = sampling.mark().wait();
        let mut scribe = Scribe::new(cell, &workers, &sampling, intervals);
        let mut watch = Watch { scribe: &mut scribe, lab: self, todo };
        let stop = watch.lab.stop;
        let outcome =
            drive(&voyage, stop, &mut watch).map_err(|e| Trouble::new("the load could not run").because(e))?;
        let still = sampling.mark().wait();
        let lost = scribe.limit.as_ref().map(LimitWatch::sentence);
        let (phases, pages) = scribe.close(&outcome);
        let (missing, written) = sampling.finish();
        pages.and(written)?;
        for sentence in missing {
            self.notebook.note(EventKind::Note, Some(&planned.id), sentence)?;
        }
        record.io = outcome.io.clone();
        record.phases = phases;
        record.whole = whole(&outcome, &quiet, &still);
        if let (true, Some(trial)) = (outcome.cut, &mut record.trial) {
            trial.cut = lost;
        }
        if outcome.stopped {
            // Left without an ending: the same command repeats it.
            return Err(Halt::Interrupted);
        }
        if let Some(sentence) = troubles::sentence(&outcome.whole) {
            self.notebook.note(EventKind::Note, Some(&planned.id), sentence)?;
        }
        record.audits = auditor.after(&outcome.counted);
        let patience = if outcome.failure.is_some() { NEWS } else { Duration::ZERO };
        let failure = outcome.failure.map(|why| match outcome.cause {
            Cause::Full => troubles::with_limit(&door, why),
            Cause::Stalled | Cause::Other => why,
        });
        let died = self.died(patience);
        if outcome.cause == Cause::Stalled {
            self.take_down_within(Duration::ZERO);
        }
        let ending = match (failure, died) {
            (None, None) => Ending::Done,
            (Some(reason), None) | (None, Some(reason)) => Ending::Failed { reason },
            (Some(failure), Some(death)) => Ending::Failed { reason: format!("{death}; {failure}") },
        };
        self.end(record, ending)
    }

    /// A run that had no load: skipped, or failed before it.
    pub(super) fn without_load(&mut self, planned: &PlannedRun, ending: Ending) -> Result<Ending, Halt> {
        let mut record = self.blank(planned);
        let RunPages { intervals, series } = self.notebook.begin_run(&planned.id)?;
        intervals.finish()?;
        series.finish()?;
        record.instance = self.up.as_ref().map(|up| up.key.clone());
        self.end(record, ending)
    }

    fn end(&mut self, mut record: RunRecord, ending: Ending) -> Result<Ending, Halt> {
        let (kind, text) = match &ending {
            Ending::Done => (EventKind::RunDone, String::new()),
            Ending::Failed { reason } => (EventKind::RunFailed, reason.clone()),
            Ending::Skipped { reason } => (EventKind::RunSkipped, reason.clone()),
        };
        record.ended_unix_ms = unix_ms();
        record.explain = self.explained().or(record.explain);
        record.ending = ending.clone();
        self.notebook.note(kind, Some(&record.id), text)?;
        self.notebook.end_run(&record)?;
        self.remember(record);
        Ok(ending)
    }

    fn blank(&self, planned: &PlannedRun) -> RunRecord {
        RunRecord {
            schema: RECORD_SCHEMA,
            id: planned.id.clone(),
            cell: planned.cell.clone(),
            repetition: planned.repetition,
            block: planned.block,
            position: self.notebook.finished().len() as u32,
            seed: planned.seed,
            trial: self.trial.clone(),
            explain: planned.explain.then(Explain::default),
            ending: Ending::Done,
            started_unix_ms: unix_ms(),
            ended_unix_ms: 0,
            instance: None,
            dataset: None,
            more_datasets: Vec::new(),
            io: String::new(),
            workers: 0,
            load_cpus: Vec::new(),
            session: SessionAnswer::default(),
            more_sessions: BTreeMap::new(),
            start: None,
            phases: Vec::new(),
            whole: WholeRun::default(),
            audits: Vec::new(),
        }
    }

    fn voyage(&self, planned: &PlannedRun, cell: &Cell) -> Voyage {
        let placement = place(&cell.server, self.host);
        Voyage {
            crews: cell.groups().into_iter().map(|group| self.crew(planned, cell, group)).collect(),
            io: cell.load.io,
            phases: cell.phases.clone(),
            workers: placement.workers(cell.load.users.0),
            cpus: if placement.apart { placement.load } else { Vec::new() },
        }
    }

    fn crew(&self, planned: &PlannedRun, cell: &Cell, group: Group) -> Crew {
        let up = self.up.as_ref().expect("an instance is up before its users come");
        let workload = workload::by_name(&group.work.workload).expect("a plan names only known workloads");
        let parameters = Arc::new(group.work.parameters.clone());
        let door = up.doors.of(cell.load.transport, &up.door);
        let inside = |door: &Door| match up.datasets.get(&identity(&group.work, &cell.server.engine).0) {
            Some(Ok(schema)) => door.within(schema),
            Some(Err(_)) | None => door.clone(),
        };
        Crew {
            setup: workload.session_setup(&parameters),
            door: inside(door),
            others: up.nodes.iter().map(|node| inside(&node.door)).collect(),
            workload,
            parameters,
            seed: if cell.groups.is_empty() { planned.seed } else { planned.seed.child("groups").child(&group.name) },
            users: group.users.0,
            arrivals: group.arrivals,
            pause: group.pause,
            deadline: cell.load.deadline,
            reconnect_every: cell.load.reconnect_every,
            errors: cell.load.errors.clone(),
        }
    }
}

/// What a session of the first group says, and sessions of those that do other work, by name.
fn ask(voyage: &Voyage, cell: &Cell) -> Result<(SessionAnswer, BTreeMap<String, SessionAnswer>), Fault> {
    let mut told: Vec<Work> = Vec::new();
    let mut answers = Vec::new();
    for (crew, group) in voyage.crews.iter().zip(cell.groups()) {
        if !told.contains(&group.work) {
            let probes = crew.workload.probes(&crew.parameters, crew.seed);
            answers.push((group.name, answers::ask(&crew.door, &crew.setup, &probes)?));
            told.push(group.work);
        }
    }
    let (_, first) = answers.remove(0);
    Ok((first, answers.into_iter().collect()))
}

/// The sampler's own session; without one, what the server counts is not measured, and the samplers say so.
fn asker(door: &Door, patience: Duration) -> Box<dyn Ask> {
    match Control::connect_with(door, patience) {
        Ok(control) => Box::new(control),
        Err(fault) => Box::new(Refused(fault.to_string())),
    }
}

impl Ask for Control {
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        Control::rows(self, sql).map_err(|e| e.to_string())
    }
    fn dialect(&self) -> Option<Dialect> {
        Dialect::of(self.version())
    }
}

fn whole(outcome: &Outcome, quiet: &Readings, still: &Readings) -> WholeRun {
    WholeRun {
        writes: Some(outcome.writes),
        questions: outcome.questions,
        commits: outcome.whole.commits,
        rollbacks: outcome.whole.rollbacks,
        rows: outcome.rows,
        connects: outcome.whole.connects,
        reconnects: outcome.whole.reconnects,
        connect_time: outcome.whole.connect_time.clone(),
        counters: between(quiet, still, outcome.start),
        timer_error: Some(outcome.timer_error.clone()),
        scheduling: Some(outcome.scheduling.clone()),
    }
}

/// Writes down what the load tells, and sets the sampler's marks at the phases' ends.
struct Scribe<'a> {
    cell: &'a Cell,
    workers: &'a Workers,
    sampling: &'a Sampling,
    intervals: Page<Interval>,
    written: Result<(), Trouble>,
    start: Nanos,
    /// What was read at each boundary: the begin of the first phase and the end of each.
    marks: Vec<Readings>,
    groups: Vec<Group>,
    phases: Vec<Sum>,
    /// Of a run that tries a rate.
    limit: Option<LimitWatch>,
}

/// One phase as the workers cut it.
struct Sum {
    from: Option<Nanos>,
    /// Over all workers.
    length: u64,
    /// By group, in the order of the cell.
    tallies: Vec<Tally>,
}

impl<'a> Scribe<'a> {
    fn new(cell: &'a Cell, workers: &'a Workers, sampling: &'a Sampling, intervals: Page<Interval>) -> Self {
        Self {
            cell,
            workers,
            sampling,
            intervals,
            written: Ok(()),
            start: Nanos(0),
            marks: Vec::new(),
            groups: cell.groups(),
            phases: Vec::new(),
            limit: LimitWatch::of(cell),
        }
    }

    fn since(&self, at: Nanos) -> Nanos {
        Nanos(at.0.saturating_sub(self.start.0))
    }

    fn sum(&mut self, phase: usize) -> &mut Sum {
        while self.phases.len() <= phase {
            self.phases.push(Sum { from: None, length: 0, tallies: vec![Tally::default(); self.groups.len()] });
        }
        &mut self.phases[phase]
    }

    /// The phases with what was read at their ends, and whether every interval was written.
    fn close(self, outcome: &Outcome) -> (Vec<PhaseRecord>, Result<(), Trouble>) {
        let workers = u64::from(outcome.workers.max(1));
        let phases = self.phases.into_iter().zip(&self.cell.phases).enumerate().map(|(k, (sum, phase))| {
            let from = Nanos(sum.from.unwrap_or_default().0.saturating_sub(self.start.0));
            let groups = self.groups.iter().zip(sum.tallies).map(|(group, tally)| {
                let workload = group.work.workload.clone();
                (group.name.clone(), GroupRecord { users: group.users.0, workload, tally })
            });
            let counters = match (phase.kind, self.marks.get(k), self.marks.get(k + 1)) {
                (PhaseKind::Measure, Some(begin), Some(end)) => between(begin, end, self.start),
                (PhaseKind::Measure | PhaseKind::WarmUp, _, _) => BTreeMap::new(),
            };
            PhaseRecord {
                name: phase.name.clone(),
                kind: phase.kind,
                disturb: phase.disturb.clone(),
                from,
                to: Nanos(from.0 + sum.length / workers),
                groups: groups.collect(),
                counters,
            }
        });
        (phases.collect(), self.written.and(self.intervals.finish()))
    }
}

/// A scribe that also shows how far the run is.
struct Watch<'w, 's, 'l> {
    scribe: &'w mut Scribe<'s>,
    lab: &'w mut Lab<'l>,
    todo: &'w [PlannedRun],
}

impl Witness for Watch<'_, '_, '_> {
    fn workers(&mut self, threads: &[i32]) {
        self.scribe.workers.set(threads.iter().map(|t| *t as u32).collect());
    }

    fn phase_begins(&mut self, phase: usize, at: Nanos) {
        if phase == 0 {
            self.scribe.start = at;
            self.scribe.sampling.start(at);
            self.scribe.marks.push(self.scribe.sampling.mark().wait());
        }
    }

    fn phase_ends(&mut self, _: usize, _: Nanos) {
        self.scribe.marks.push(self.scribe.sampling.mark().wait());
    }

    fn interval(&mut self, crew: usize, phase: usize, from: Nanos, to: Nanos, tally: Tally) {
        let kind = self.scribe.cell.phases[phase].kind;
        if let Some(limit) = self.scribe.limit.as_mut().filter(|_| kind == PhaseKind::Measure) {
            limit.saw(&tally);
        }
        let sum = self.scribe.sum(phase);
        sum.from = Some(sum.from.map_or(from, |f| f.min(from)));
        // A worker cuts all crews at the same moments.
        sum.length += if crew == 0 { to.0 - from.0 } else { 0 };
        sum.tallies[crew].merge(&tally);
        let interval = Interval {
            from: self.scribe.since(from),
            to: self.scribe.since(to),
            phase: self.scribe.cell.phases[phase].name.clone(),
            group: self.scribe.groups[crew].name.clone(),
            tally,
        };
        if self.scribe.written.is_ok() {
            self.scribe.written = self.scribe.intervals.append(&interval);
        }
    }

    fn is_certain(&self) -> bool {
        self.scribe.limit.as_ref().is_some_and(LimitWatch::is_lost)
    }

    fn progress(&mut self, _: f64) {
        let cell = self.scribe.cell;
        self.lab.tell_where(self.todo, &format!("{} · {}", cell.workload, cell.load.users));
    }
}
