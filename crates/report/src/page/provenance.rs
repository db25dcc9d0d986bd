//! Where the numbers come from: runs in order, instances with what sets them apart, and how the server meant to carry
//! out each statement. Answers that many runs share are told once.

use model::load::{Work, step_of};
use model::plan::Cell;
use model::record::Record;
use model::record::answer::{SessionAnswer, StatementPlan};
use model::record::run::{Ending, RunRecord};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub fn runs(record: &Record, counters: &BTreeSet<&str>) -> Vec<Value> {
    let sessions = distinct(record);
    let place = |own: Identity| sessions.keys().position(|k| *k == own);
    record.runs.iter().map(|r| run(record, r, place(identity(record, r)), counters)).collect()
}

/// How much each of them grew over the measured phases, and over how many seconds.
fn growths(run: &RunRecord, counters: &BTreeSet<&str>) -> Map<String, Value> {
    let growth = |name: &str| {
        run.measured().try_fold((0.0, 0.0), |(delta, seconds), phase| {
            let ends = phase.counters.get(name)?;
            Some((delta + ends.delta(), seconds + ends.seconds()))
        })
    };
    let grown = counters.iter().filter_map(|name| Some(((*name).to_string(), growth(name)?)));
    grown
        .filter(|(_, (_, seconds))| *seconds > 0.0)
        .map(|(name, (delta, seconds))| (name, json!([delta, seconds])))
        .collect()
}

fn run(record: &Record, run: &RunRecord, session: Option<usize>, counters: &BTreeSet<&str>) -> Value {
    let (ending, reason) = match &run.ending {
        Ending::Done => ("done", ""),
        Ending::Failed { reason } => ("failed", reason.as_str()),
        Ending::Skipped { reason } => ("skipped", reason.as_str()),
    };
    let phases: Vec<Value> = run
        .phases
        .iter()
        .map(|p| {
            let deed = p.disturbance.as_ref().map(|d| &d.sentence);
            json!([p.name, p.kind, p.from.0 / 1_000_000, p.to.0 / 1_000_000, p.users(), p.disturb, deed])
        })
        .collect();
    let failed: u64 = run.measured().flat_map(|p| p.groups.values()).map(|group| group.tally.failed()).sum();
    json!({
        "id": run.id, "cell": run.cell, "repetition": run.repetition, "block": run.block, "position": run.position,
        "ending": ending, "reason": reason, "started": run.started_unix_ms, "ended": run.ended_unix_ms,
        "users": record.plan.cells.iter().find(|c| c.id == run.cell).map(|c| c.load.users),
        "instance": run.instance, "dataset": run.dataset, "io": run.io, "workers": run.workers, "failed": failed, "start": run.start,
        "session": session, "phases": phases, "counters": growths(run, counters),
    })
}

/// Sessions that must have had the same answers: same instance, data and work, whatever the number of users.
type Identity<'a> = (Option<&'a str>, Option<&'a str>, Vec<Work>);

fn identity<'a>(record: &'a Record, run: &'a RunRecord) -> Identity<'a> {
    let cell = record.plan.cells.iter().find(|c| c.id == run.cell);
    (run.instance.as_deref(), run.dataset.as_deref(), cell.map_or_else(Vec::new, Cell::works))
}

fn distinct(record: &Record) -> BTreeMap<Identity<'_>, &RunRecord> {
    let mut answers = BTreeMap::new();
    for run in record.runs.iter().filter(|r| !r.session.plans.is_empty()) {
        answers.entry(identity(record, run)).or_insert(run);
    }
    answers
}

/// What the users' sessions said; statements of further groups and stages carry their name. Of iterations the last is told.
pub fn sessions(record: &Record) -> Vec<SessionAnswer> {
    let whole = |run: &RunRecord| {
        let mut answer = run.session.clone();
        let last = run.more_sessions.keys().filter_map(|name| step_of(name).1).max();
        let told = |name: &str| step_of(name).1.is_none_or(|iteration| Some(iteration) == last);
        for (group, more) in run.more_sessions.iter().filter(|(name, _)| told(name)) {
            let named = |plan: &StatementPlan| StatementPlan {
                statement: format!("{group}: {}", plan.statement),
                ..plan.clone()
            };
            answer.plans.extend(more.plans.iter().map(named));
        }
        answer
    };
    distinct(record).into_values().map(whole).collect()
}

/// Instances without their variables, which [`variables`] tells.
pub fn instances(record: &Record) -> Vec<Value> {
    let mut instances: Vec<Value> = record.instances.iter().map(|i| json!(i)).collect();
    for fields in instances.iter_mut().filter_map(Value::as_object_mut) {
        fields.remove("variables");
    }
    instances
}

/// `{same: {name: value}, differing: {name: [a value or null per instance]}}`.
pub fn variables(record: &Record) -> Value {
    let names: BTreeSet<&String> = record.instances.iter().flat_map(|i| i.variables.keys()).collect();
    let (mut same, mut differing) = (Map::new(), Map::new());
    for name in names {
        let values: Vec<Option<&String>> = record.instances.iter().map(|i| i.variables.get(name)).collect();
        if values.windows(2).all(|w| w[0] == w[1]) {
            same.insert(name.clone(), json!(values[0]));
        } else {
            differing.insert(name.clone(), json!(values));
        }
    }
    json!({ "same": same, "differing": differing })
}
