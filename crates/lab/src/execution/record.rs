//! The record of one run, from a blank to its last word.

use crate::backends::needs::{DatasetNeed, key};
use crate::backends::up::Up;
use crate::load::Outcome;
use crate::notebook::reporter::Reporter;
use crate::notebook::{RunPages, unix_ms};
use crate::trouble::{Halt, Trouble};
use model::record::RECORD_SCHEMA;
use model::record::explain::Explain;
use model::record::profile::Profile;
use model::record::run::Ends;
use model::search::Trial;
use model::{Ending, EventKind, PlannedRun, RunRecord, SessionAnswer, WholeRun};
use std::collections::BTreeMap;

pub(crate) fn blank(planned: &PlannedRun, trial: Option<Trial>, reporter: &Reporter<'_>) -> RunRecord {
    RunRecord {
        schema: RECORD_SCHEMA,
        id: planned.id.clone(),
        cell: planned.cell.clone(),
        repetition: planned.repetition,
        block: planned.block,
        position: reporter.notebook.carried_out(),
        seed: planned.seed,
        trial,
        explain: planned.explain.then(Explain::default),
        profile: planned.profile.map(|_| Profile { spent: planned.spent, ..Profile::default() }),
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
        states: None,
        around: None,
        phases: Vec::new(),
        whole: WholeRun::default(),
        ranks: Vec::new(),
        audits: Vec::new(),
    }
}

/// Which datasets of the instance it is about.
pub(crate) fn name_datasets(record: &mut RunRecord, up: &Up, needs: &[DatasetNeed]) {
    for DatasetNeed { name, .. } in needs {
        let key = key(&up.key, name);
        match &record.dataset {
            _ if !up.datasets.contains_key(name) => {}
            None => record.dataset = Some(key),
            Some(first) if *first == key || record.more_datasets.contains(&key) => {}
            Some(_) => record.more_datasets.push(key),
        }
    }
}

/// Two empty pages, for a run that had no load.
pub(crate) fn without_pages(planned: &PlannedRun, reporter: &Reporter<'_>) -> Result<(), Trouble> {
    let RunPages { intervals, series } = reporter.notebook.begin_run(&planned.id)?;
    intervals.finish()?;
    series.finish()
}

/// Writes a run down whose end was just noted as one that is over.
pub(crate) fn end(mut record: RunRecord, ending: Ending, reporter: &mut Reporter<'_>) -> Result<RunRecord, Halt> {
    let (kind, text) = match &ending {
        Ending::Done => (EventKind::RunDone, String::new()),
        Ending::Failed { reason } => (EventKind::RunFailed, reason.clone()),
        Ending::Skipped { reason } => (EventKind::RunSkipped, reason.clone()),
    };
    record.ending = ending;
    // The run is over when its `run.json` is there, and only then is it said: a lab that is killed between the two
    // has a run that is over and was not told, never one that is told twice.
    reporter.notebook.end_run(&record)?;
    reporter.note(kind, Some(&record.id), text)?;
    Ok(record)
}

pub(crate) fn whole(outcome: &Outcome, counters: BTreeMap<String, Ends>) -> WholeRun {
    WholeRun {
        writes: Some(outcome.writes),
        questions: outcome.questions,
        commits: outcome.whole.commits,
        rollbacks: outcome.whole.rollbacks,
        rows: outcome.rows,
        warnings: Some(outcome.whole.statements.values().map(|statement| statement.warnings).sum()),
        connects: outcome.whole.connects,
        reconnects: outcome.whole.reconnects,
        connect_time: outcome.whole.connect_time.clone(),
        counters,
        timer_error: Some(outcome.timer_error.clone()),
        scheduling: Some(outcome.scheduling.clone()),
        drain: None,
    }
}
