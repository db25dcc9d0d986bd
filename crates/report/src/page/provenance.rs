//! Where the numbers come from: runs in order, instances with what sets them apart, and how the server meant to carry
//! out each statement. Answers that many runs share are told once.

use model::load::step_of;
use model::{
    Cell, CellId, Ending, PhaseKind, Record, RunId, RunRecord, SessionAnswer, StartingState, StatementPlan, Users, Work,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Run<'a> {
    id: &'a RunId,
    cell: &'a CellId,
    repetition: u32,
    block: u32,
    position: u32,
    ending: RunEnding,
    /// Why it failed or was skipped; else empty.
    reason: &'a str,
    /// Milliseconds since 1970 (UTC).
    started: u64,
    ended: u64,
    users: Option<Users>,
    instance: Option<&'a str>,
    dataset: Option<&'a str>,
    io: &'a str,
    workers: u32,
    /// Operations of the measured phases that were given up with an error.
    failed: u64,
    start: Option<&'a StartingState>,
    /// Which of the sessions answered for it.
    session: Option<usize>,
    phases: Vec<Phase<'a>>,
    /// By name: growth over the measured phases, and over how many seconds.
    counters: BTreeMap<&'a str, [f64; 2]>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum RunEnding {
    Done,
    Failed,
    Skipped,
}

/// Name, kind, from and to in milliseconds since the run's first phase, users, the disturbance, and what it did in
/// words.
#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
struct Phase<'a>(&'a str, PhaseKind, u64, u64, u32, Option<&'a str>, Option<&'a str>);

/// An instance without its variables, which [`Variables`] tells.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Instance(Value);

#[cfg(feature = "types")]
impl schemars::JsonSchema for Instance {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Instance".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = model::record::answer::InstanceRecord::json_schema(generator);
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut).expect("an instance has fields");
        fields.shift_remove(VARIABLES).expect("an instance has variables");
        let required = schema.get_mut("required").and_then(Value::as_array_mut).expect("some are always there");
        required.retain(|name| name != VARIABLES);
        schema
    }
}

const VARIABLES: &str = "variables";

#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Variables<'a> {
    /// By name, where all instances agree.
    same: BTreeMap<&'a str, Option<&'a str>>,
    /// By name: the value of each instance, `None` where it has no such variable.
    differing: BTreeMap<&'a str, Vec<Option<&'a str>>>,
}

pub fn runs<'a>(record: &'a Record, counters: &BTreeSet<&'a str>) -> Vec<Run<'a>> {
    let sessions = distinct(record);
    let place = |own: Identity| sessions.keys().position(|k| *k == own);
    record.runs.iter().map(|r| run(record, r, place(identity(record, r)), counters)).collect()
}

/// How much each of them grew over the measured phases, and over how many seconds.
fn growths<'a>(run: &RunRecord, counters: &BTreeSet<&'a str>) -> BTreeMap<&'a str, [f64; 2]> {
    let growth = |name: &str| {
        run.measured().try_fold((0.0, 0.0), |(delta, seconds), phase| {
            let ends = phase.counters.get(name)?;
            Some((delta + ends.delta(), seconds + ends.seconds()))
        })
    };
    let grown = counters.iter().filter_map(|name| Some((*name, growth(name)?)));
    grown.filter(|(_, (_, seconds))| *seconds > 0.0).map(|(name, (delta, seconds))| (name, [delta, seconds])).collect()
}

fn run<'a>(record: &'a Record, run: &'a RunRecord, session: Option<usize>, counters: &BTreeSet<&'a str>) -> Run<'a> {
    let (ending, reason) = match &run.ending {
        Ending::Done => (RunEnding::Done, ""),
        Ending::Failed { reason } => (RunEnding::Failed, reason.as_str()),
        Ending::Skipped { reason } => (RunEnding::Skipped, reason.as_str()),
    };
    let phases = run
        .phases
        .iter()
        .map(|p| {
            let deed = p.disturbance.as_ref().map(|d| d.sentence.as_str());
            let (from, to) = (p.from.0 / 1_000_000, p.to.0 / 1_000_000);
            Phase(&p.name, p.kind, from, to, p.users(), p.disturb.as_deref(), deed)
        })
        .collect();
    let failed: u64 = run.measured().flat_map(|p| p.groups.values()).map(|group| group.tally.failed()).sum();
    Run {
        id: &run.id,
        cell: &run.cell,
        repetition: run.repetition,
        block: run.block,
        position: run.position,
        ending,
        reason,
        started: run.started_unix_ms,
        ended: run.ended_unix_ms,
        users: record.plan.cells.iter().find(|c| c.id == run.cell).map(|c| c.load.users),
        instance: run.instance.as_deref(),
        dataset: run.dataset.as_deref(),
        io: &run.io,
        workers: run.workers,
        failed,
        start: run.start.as_ref(),
        session,
        phases,
        counters: growths(run, counters),
    }
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

/// What the users' sessions said; statements of further groups and stages carry their name. Of iterations the last is
/// told.
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

pub fn instances(record: &Record) -> Vec<Instance> {
    let without_variables = |instance| {
        let mut value = serde_json::to_value(instance).expect("plain values with text keys");
        if let Some(fields) = value.as_object_mut() {
            fields.remove(VARIABLES);
        }
        Instance(value)
    };
    record.instances.iter().map(without_variables).collect()
}

pub fn variables(record: &Record) -> Variables<'_> {
    let names: BTreeSet<&String> = record.instances.iter().flat_map(|i| i.variables.keys()).collect();
    let (mut same, mut differing) = (BTreeMap::new(), BTreeMap::new());
    for name in names {
        let values: Vec<Option<&str>> =
            record.instances.iter().map(|i| i.variables.get(name).map(String::as_str)).collect();
        if values.windows(2).all(|w| w[0] == w[1]) {
            same.insert(name.as_str(), values[0]);
        } else {
            differing.insert(name.as_str(), values);
        }
    }
    Variables { same, differing }
}
