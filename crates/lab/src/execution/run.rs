//! The life of one run, top to bottom: ask what is, let the users in, sample, and write down how it ended. What was
//! measured until a failure is kept with it.

use super::answers;
use super::around;
use super::audit::Auditor;
use super::drain;
use super::groups::{ask, ask_again};
use super::limit_watch::LimitWatch;
use super::recorder::{RunRecorder, Watch, joined, keep_own};
use super::sampling::{Sampling, between, together};
use super::troubles;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::control::Control;
use crate::backends::postgres::provision as postgres;
use crate::campaign::{Halt, Lab};
use crate::disturbances::ends_the_server;
use crate::disturbances::scene::Place;
use crate::disturbances::scene::acting::{Acting, Over};
use crate::load::failure::Cause;
use crate::load::{LoadPlan, Outcome, drive_within};
use crate::notebook::{RunPages, unix_ms};
use crate::os::procfs::children;
use crate::provision::dataset::{SESSIONS_PER_CPU, key};
use crate::provision::instance::{NEWS, Serving, held};
use crate::provision::needs::DatasetNeed;
use crate::provision::{needs, start};
use crate::samplers;
use crate::samplers::client::Workers;
use crate::samplers::{Ask, Dialect, Process, Refused, sources, sources_of_node, sources_of_postgres};
use crate::servers::catalogue;
use crate::servers::placement::place;
use crate::trouble::Trouble;
use model::plan::served::serves;
use model::plan::{Cell, PlannedRun, Stage};
use model::protocol::Protocol;
use model::record::RECORD_SCHEMA;
use model::record::answer::SessionAnswer;
use model::record::event::EventKind;
use model::record::explain::Explain;
use model::record::run::{Ending, Ends, RunRecord, WholeRun};
use model::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use workload::session::Fault;

impl Lab<'_> {
    /// Carries out a run whose instance and dataset are ready.
    pub(crate) fn run(&mut self, planned: &PlannedRun, cell: &Cell, todo: &[PlannedRun]) -> Result<Ending, Halt> {
        let mut record = self.blank(planned);
        let up = self.up.as_ref().expect("an instance is up before its users come");
        let process = up.server.pid().map(Process::of);
        let nodes: Vec<_> = up.nodes.iter().map(|node| (node.endpoint.clone(), node.instance.pid())).collect();
        let mut own: Vec<u32> = up.server.pid().into_iter().chain(nodes.iter().map(|(_, pid)| *pid)).collect();
        record.instance = Some(up.key.clone());
        let wanted = needs::of(self.workloads, cell);
        record.start = start::state(up, &wanted);
        for DatasetNeed { name, .. } in &wanted {
            let key = key(&up.key, name);
            match &record.dataset {
                _ if !up.datasets.contains_key(name) => {}
                None => record.dataset = Some(key),
                Some(first) if *first == key || record.more_datasets.contains(&key) => {}
                Some(_) => record.more_datasets.push(key),
            }
        }
        let load_plans = self.load_plans(planned, cell);
        let up = self.up.as_ref().expect("it was there");
        let has_sql = serves(&up.build.installed.kind, Protocol::MySql);
        let sessions = SESSIONS_PER_CPU * self.host.cpus.len().max(1);
        let user_groups: Vec<_> =
            load_plans.iter().flat_map(|(_, load_plan)| &load_plan.user_groups).cloned().collect();
        let groups: Vec<_> = load_plans.iter().flat_map(|(stage, _)| &stage.groups).cloned().collect();
        let mut auditor = Auditor::of(self.workloads, (&up.key, &cell.server.engine), &user_groups, &groups, sessions);
        record.workers = load_plans.iter().map(|(_, load_plan)| load_plan.workers).max().unwrap_or_default();
        record.load_cpus = place(&cell.server, self.host).load;
        let endpoint = load_plans[0].1.user_groups[0].endpoint.clone();
        match ask(&load_plans[0], cell, answers::PATIENCE) {
            Ok(mut told) => {
                (_, record.session) = told.remove(0);
                record.more_sessions = told.into_iter().collect();
            }
            Err(fault) => {
                let died = self.died(NEWS).map_or(String::new(), |d| format!("; {d}"));
                return self.end(record, Ending::Failed { reason: format!("before the users came: {fault}{died}") });
            }
        }
        if let Err(fault) = self.begin_use(&wanted, needs::writes(self.workloads, cell)) {
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
        let before = around::before(self.host.cpus.len());
        let workers = Workers::default();
        let (sampled, theirs, patience) =
            (endpoint.clone(), workers.clone(), Duration::from_nanos(cell.load.deadline.0));
        let (engine, followed) = (cell.server.engine.clone(), process.clone());
        let wanted_of_server = samplers::SamplerNeeds {
            questions: auditor.watched(),
            engine_counters: cell.server.settings.get("engine_counters").and_then(Value::flag) == Some(true),
            endpoint: user_groups.iter().find_map(|user_group| user_group.past_sql.as_ref()?.keys().cloned()),
        };
        let postgres = postgres::endpoint(&cell.server, &load_plans[0].1.user_groups[0]);
        let all = move || {
            if let Some(endpoint) = &postgres {
                return sources_of_postgres(postgres::asker(endpoint, patience), followed, &theirs);
            }
            let of_node = |(number, (endpoint, pid)): (u32, &(SqlEndpoint, u32))| {
                sources_of_node(number, asker(endpoint, patience), *pid, &engine)
            };
            let asks = has_sql.then(|| asker(&sampled, patience));
            let first = sources(asks, followed, &theirs, &engine, wanted_of_server);
            first.into_iter().chain((2..).zip(&nodes).flat_map(of_node)).collect()
        };
        let sampling = Sampling::begin(all, series);
        let acting = Acting::new(self.scene(cell, &wanted, process));
        let mut recorder = RunRecorder::new(cell, &workers, &sampling, intervals, acting);
        let mut outcome = self.drive_load(planned, todo, &load_plans, &mut recorder, &mut record)?;
        own.extend(self.up.as_ref().and_then(|up| up.server.pid()));
        own.extend(own.clone().into_iter().flat_map(children));
        record.around = Some(before.and_after(&own, &self.folders.home));
        let lost = recorder.limit.as_ref().map(LimitWatch::sentence);
        let (phases, pages) = recorder.close();
        let (missing, written) = sampling.finish();
        pages.and(written)?;
        for sentence in missing {
            self.notebook.note(EventKind::Note, Some(&planned.id), sentence)?;
        }
        record.io = outcome.io.clone();
        record.phases = phases;
        let WholeRun { counters, drain, .. } = std::mem::take(&mut record.whole);
        record.whole = WholeRun { drain, ..whole(&outcome, counters) };
        if cell.phases.iter().any(|phase| ends_the_server(phase.disturb.as_ref())) {
            keep_own(&mut record.whole.counters);
        }
        if let (true, Some(trial)) = (outcome.cut, &mut record.trial) {
            trial.cut = lost;
        }
        if outcome.stopped && self.visit.is_some() {
            // Nobody goes on with it.
            outcome.failure = Some("stopped as asked, before its end".into());
        } else if outcome.stopped {
            // Left without an ending: the same command repeats it.
            return Err(Halt::Interrupted);
        }
        if let Some(sentence) = troubles::sentence(&outcome.whole) {
            self.notebook.note(EventKind::Note, Some(&planned.id), sentence)?;
        }
        record.audits = auditor.after(&outcome.counted);
        let patience = if outcome.failure.is_some() { NEWS } else { Duration::ZERO };
        let failure = outcome.failure.map(|why| match outcome.cause {
            Cause::Full => troubles::with_limit(&endpoint, why),
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

    /// One load after the other, until one of them ends the run. When a stage begins its plans are asked for, and again
    /// when it is over: each sees other data. What that asks of the server is counted with none of them.
    fn drive_load(
        &mut self,
        run: &PlannedRun,
        todo: &[PlannedRun],
        load_plans: &[(Stage, LoadPlan)],
        recorder: &mut RunRecorder<'_>,
        record: &mut RunRecord,
    ) -> Result<Outcome, Trouble> {
        let (stop, cell) = (self.stop, recorder.cell);
        let mut outcomes: Vec<Outcome> = Vec::new();
        let (mut windows, mut rested) = (Vec::new(), None);
        for pair @ (stage, load_plan) in load_plans {
            if let Some(before) = outcomes.last_mut() {
                match ask(pair, cell, answers::PATIENCE_BETWEEN) {
                    Ok(told) => record.more_sessions.extend(told),
                    Err(fault) => {
                        before.failure = Some(format!("before {}: {fault}", load_plan.phases[0].name));
                        break;
                    }
                }
            }
            let quiet = recorder.mark();
            let rested = rested.get_or_insert_with(|| quiet.clone());
            let mut watch =
                Watch { recorder: &mut *recorder, lab: &mut *self, run, todo, stage, workers: load_plan.workers };
            let at_most = watch.lab.visit.as_ref().and_then(|visit| visit.at_most);
            let outcome = drive_within(load_plan, at_most, stop, &mut watch);
            let mut outcome = outcome.map_err(|e| Trouble::new("the load could not run").because(e))?;
            for Over { record, trouble, .. } in recorder.rest() {
                let text = format!("{}: {}", record.what, trouble.unwrap_or(record.sentence));
                self.notebook.note(EventKind::DisturbanceEnded, Some(&run.id), text)?;
            }
            if windows.len() + 1 == load_plans.len() && outcome.failure.is_none() && !outcome.stopped {
                record.whole.drain = cell.load.drain.map(|most| drain::wait(recorder.sampling, rested, most, stop));
            }
            let start = outcomes.first().map_or(outcome.start, |first| first.start);
            windows.push(between(&quiet, &recorder.mark(), start));
            if load_plans.len() > 1 {
                // Which step failed is half of why.
                let phase = &load_plan.phases[outcome.phases.len().saturating_sub(1)].name;
                outcome.failure = outcome.failure.map(|why| format!("in {phase}: {why}"));
            }
            if outcome.failure.is_none() && !outcome.stopped {
                ask_again(pair, cell, record);
            }
            let is_over = outcome.failure.is_some() || outcome.stopped || outcome.cut;
            outcomes.push(outcome);
            if is_over {
                break;
            }
        }
        record.whole.counters = together(windows);
        let outcome = joined(outcomes);
        if let Some(visit) = &mut self.visit {
            visit.outcome = Some(outcome.clone());
        }
        Ok(outcome)
    }

    /// Where disturbances of this run would act.
    fn scene(&self, cell: &Cell, wanted: &[DatasetNeed], process: Option<Process>) -> Place {
        let up = self.up.as_ref().expect("an instance is up before its users come");
        let schemas = wanted.iter().filter_map(|w| up.datasets.get(&w.name)?.as_ref().ok()).cloned();
        let (cpus, build, instance) = match &up.server {
            Serving::Ours(instance) => {
                let alone = up.nodes.is_empty().then(|| Arc::clone(instance));
                (held(instance).cpus().to_vec(), catalogue::find(&cell.server.build).ok(), alone)
            }
            Serving::Found(_) => (Vec::new(), None, None),
        };
        Place {
            endpoint: up.endpoint.clone(),
            schemas: schemas.collect(),
            engine: cell.server.engine.clone(),
            cpus,
            build,
            instance,
            process: process.unwrap_or_else(|| Process::of(0)),
            folders: self.folders.clone(),
            guard: self.guard.clone(),
        }
    }

    /// A run that had no load: skipped, or failed before it.
    pub(crate) fn without_load(&mut self, planned: &PlannedRun, ending: Ending) -> Result<Ending, Halt> {
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
        // The run is over when its `run.json` is there, and only then is it said: a lab that is killed between the two
        // has a run that is over and was not told, never one that is told twice.
        self.notebook.end_run(&record)?;
        self.notebook.note(kind, Some(&record.id), text)?;
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
            around: None,
            phases: Vec::new(),
            whole: WholeRun::default(),
            audits: Vec::new(),
        }
    }
}

/// The sampler's own session; without one, what the server counts is not measured, and the samplers say so.
fn asker(endpoint: &SqlEndpoint, patience: Duration) -> Box<dyn Ask> {
    match Control::connect_with(endpoint, patience) {
        Ok(control) => {
            let dialect = control.dialect();
            Box::new(Asking { endpoint: endpoint.clone(), patience, dialect, control: Some(control) })
        }
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

/// A session that comes back when the server does.
struct Asking {
    endpoint: SqlEndpoint,
    patience: Duration,
    dialect: Option<Dialect>,
    control: Option<Control>,
}

impl Ask for Asking {
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        let mut control = match self.control.take() {
            Some(control) => control,
            None => Control::connect_with(&self.endpoint, self.patience).map_err(|e| e.to_string())?,
        };
        let rows = control.rows(sql);
        if rows.as_ref().err().is_none_or(Fault::session_survives) {
            self.control = Some(control);
        }
        rows.map_err(|e| e.to_string())
    }
    fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }
}

fn whole(outcome: &Outcome, counters: BTreeMap<String, Ends>) -> WholeRun {
    WholeRun {
        writes: Some(outcome.writes),
        questions: outcome.questions,
        commits: outcome.whole.commits,
        rollbacks: outcome.whole.rollbacks,
        rows: outcome.rows,
        connects: outcome.whole.connects,
        reconnects: outcome.whole.reconnects,
        connect_time: outcome.whole.connect_time.clone(),
        counters,
        timer_error: Some(outcome.timer_error.clone()),
        scheduling: Some(outcome.scheduling.clone()),
        drain: None,
    }
}
