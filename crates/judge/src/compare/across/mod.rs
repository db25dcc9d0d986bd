//! Two records, or two cells, side by side: which cells belong together, a ratio for each metric of each pair, all
//! decided in one table, and what else differs between them. Runs of two records share no blocks, so their ratios are
//! those of independent arms; two cells of one record keep their blocks.

mod differences;
mod sides;

use super::comparisons::floor;
use super::decide::{self, Decision};
use super::drift;
use crate::frame::metrics::of_run;
use crate::frame::{CellEvidence, Evidence, RunEvidence};
use crate::stats::ratio::{self, Ratio};
use model::compared::{COMPARED_SCHEMA, Row};
use model::experiment::keys::WORKLOAD;
use model::{
    CellId, CellJudgement, Compared, Details, Estimate, Histogram, Judgement, Nanos, Outcome, Record, Share, Status,
    Value,
};
use std::collections::{BTreeMap, BTreeSet};

/// What is compared unless somebody asks for others.
pub const USUAL: &[&str] = &["qps", "latency_us_p50", "latency_us_p99", "server_cpu_us_per_statement"];

/// Percentiles of the operations of each run.
const PERCENTILES: &[(&str, f64)] =
    &[("latency_us_p50", 50.0), ("latency_us_p95", 95.0), ("latency_us_p99", 99.0), ("latency_us_p99.9", 99.9)];

/// Metrics of which more is worse.
const COSTS: &[&str] = &["latency_us_", "client_cpu_us_", "server_cpu_us_", "server_switches_per_", "errors_per_"];

/// More of it is worse.
pub fn is_cost(metric: &str) -> bool {
    COSTS.iter().any(|cost| metric.starts_with(cost))
}

/// One of the two: a record with its judgement, or one cell of it.
pub struct Side<'a> {
    pub name: String,
    pub record: &'a Record,
    pub details: &'a dyn Details,
    pub judgement: &'a Judgement,
    pub cell: Option<CellId>,
}

struct Pair<'a, 'b> {
    base: &'b CellEvidence<'a>,
    candidate: &'b CellEvidence<'a>,
    name: String,
}

/// Compares on these metrics; a metric that a pair lacks has no row.
pub fn compare(base: &Side, candidate: &Side, metrics: &[&str]) -> Compared {
    let (one, other) = (Evidence::of(base.record, base.details), Evidence::of(candidate.record, candidate.details));
    let (pairs, unmatched) = match (&base.cell, &candidate.cell) {
        (None, None) => matched(&one, &other),
        _ => (chosen(base, candidate, &one, &other), Vec::new()),
    };
    let noise = Share(floor(&one).0.max(floor(&other).0));
    let rows = rows(&pairs, [base.judgement, candidate.judgement], metrics, noise);
    let moved = metrics.first().map(|metric| sides::all(&one, &pairs, &rows, metric));
    Compared {
        schema: COMPARED_SCHEMA,
        base: base.name.clone(),
        candidate: candidate.name.clone(),
        rows: rows.into_iter().map(|matched| matched.row).collect(),
        moved: moved.unwrap_or_default(),
        differences: differences::all(&pairs, base.record, candidate.record),
        unmatched,
    }
}

/// The named cell of one side against the named cell of the other, or the one with the same place.
fn chosen<'a, 'b>(base: &Side, candidate: &Side, one: &'b Evidence<'a>, other: &'b Evidence<'a>) -> Vec<Pair<'a, 'b>> {
    let find = |evidence: &'b Evidence<'a>, id: &Option<CellId>| {
        evidence.cells.iter().find(|c| Some(&c.cell.id) == id.as_ref())
    };
    let (first, second) = (find(one, &base.cell), find(other, &candidate.cell));
    let alike =
        |evidence: &'b Evidence<'a>, cell: &CellEvidence| evidence.cells.iter().find(|c| c.cell.axes == cell.cell.axes);
    let pair = match (first, second) {
        (Some(first), Some(second)) => Some((first, second)),
        (Some(first), None) => alike(other, first).map(|second| (first, second)),
        (None, Some(second)) => alike(one, second).map(|first| (first, second)),
        (None, None) => None,
    };
    pair.map(|(base, candidate)| Pair { base, candidate, name: base.cell.workload.clone() }).into_iter().collect()
}

/// Cells with the same values on the axes that vary; an axis on which each record has one value is what is compared.
fn matched<'a, 'b>(one: &'b Evidence<'a>, other: &'b Evidence<'a>) -> (Vec<Pair<'a, 'b>>, Vec<String>) {
    let values = |e: &Evidence, key: &str| {
        e.cells.iter().filter_map(|c| c.cell.axes.get(key).map(Value::to_string)).collect::<BTreeSet<_>>()
    };
    let keys: BTreeSet<&String> = one.cells.iter().chain(&other.cells).flat_map(|c| c.cell.axes.keys()).collect();
    let varied: Vec<&String> =
        keys.into_iter().filter(|key| values(one, key).len() > 1 || values(other, key).len() > 1).collect();
    let place = |c: &CellEvidence| -> BTreeMap<String, Value> {
        varied.iter().filter_map(|key| Some(((*key).clone(), c.cell.axes.get(*key)?.clone()))).collect()
    };
    let name = |c: &CellEvidence| {
        let axes = place(c).into_iter().filter(|(key, _)| key != WORKLOAD).map(|(key, value)| format!("{key} {value}"));
        let axes = axes.collect::<Vec<_>>().join(", ");
        if axes.is_empty() { c.cell.workload.clone() } else { format!("{} ({axes})", c.cell.workload) }
    };
    let real = |e: &'b Evidence<'a>| e.cells.iter().filter(|c| c.cell.repeats.is_none());
    let mut theirs: Vec<&CellEvidence> = real(other).collect();
    let (mut pairs, mut unmatched) = (Vec::new(), Vec::new());
    for base in real(one) {
        let same = |c: &&CellEvidence| place(c) == place(base) && c.cell.workload == base.cell.workload;
        match theirs.iter().position(same) {
            Some(i) => pairs.push(Pair { base, candidate: theirs.remove(i), name: name(base) }),
            None => unmatched.push(format!("{} of the base", name(base))),
        }
    }
    unmatched.extend(theirs.into_iter().map(|c| format!("{} of the candidate", name(c))));
    (pairs, unmatched)
}

/// A row before it is decided.
struct Open<'p, 'a, 'b> {
    pair: &'p Pair<'a, 'b>,
    phase: Option<&'a str>,
    metric: String,
    values: [Estimate; 2],
    ratio: Option<Ratio>,
}

/// A row, and the phase that it is of.
struct Matched<'a> {
    phase: Option<&'a str>,
    row: Row,
}

fn rows<'a>(pairs: &[Pair<'a, '_>], judgements: [&Judgement; 2], metrics: &[&str], noise: Share) -> Vec<Matched<'a>> {
    let judged = |i: usize, cell: &CellEvidence| judgements[i].cell(&cell.cell.id).expect("every cell is judged");
    let mut open = Vec::new();
    for pair in pairs {
        for phase in shared_phases(pair) {
            let alone = phase.map(|phase| (pair.base.of_phase(phase), pair.candidate.of_phase(phase)));
            let (base, candidate) = alone.as_ref().map_or((pair.base, pair.candidate), |(one, other)| (one, other));
            for metric in metrics {
                let estimate = |cell: &CellJudgement| match phase {
                    None => cell.metrics.get(*metric).cloned(),
                    Some(phase) => cell.phases.iter().find(|p| p.name == phase)?.part.metrics.get(*metric).cloned(),
                };
                let values = (estimate(judged(0, pair.base)), estimate(judged(1, pair.candidate)));
                let (Some(one), Some(other)) = values else { continue };
                if one.value <= 0.0 || other.value <= 0.0 {
                    continue;
                }
                let ratio = of_metric(base, candidate, pair.in_one_record(), metric);
                open.push(Open { pair, phase, metric: (*metric).into(), values: [one, other], ratio });
            }
        }
    }
    let decisions = decide::all(&open.iter().filter_map(|o| o.ratio).collect::<Vec<_>>(), noise);
    let mut decisions = decisions.into_iter();
    let mut row = |open: Open<'_, 'a, '_>| {
        let decision = open.ratio.and_then(|_| decisions.next());
        let cells = [judged(0, open.pair.base), judged(1, open.pair.candidate)];
        Matched { phase: open.phase, row: row(open, decision, cells) }
    };
    open.into_iter().map(&mut row).collect()
}

/// Runs of several phases are compared phase by phase: a sum over what was done to a server and what was not says
/// nothing of either.
fn shared_phases<'a>(pair: &Pair<'a, '_>) -> Vec<Option<&'a str>> {
    let theirs = pair.candidate.phases();
    match pair.base.phases() {
        ours if ours.len() > 1 => ours.into_iter().filter(|phase| theirs.contains(phase)).map(Some).collect(),
        _ => vec![None],
    }
}

fn row(open: Open, decision: Option<Decision>, cells: [&CellJudgement; 2]) -> Row {
    let [base, candidate] = &open.values;
    let interval = decision.as_ref().map(|d| d.interval);
    let ratio = Estimate {
        value: interval.map_or(candidate.value / base.value, |i| i.value),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        n: base.n.min(candidate.n),
        unit: "ratio".into(),
    };
    let (outcome, why) = outcome(&open, decision.as_ref(), cells, is_cost(&open.metric));
    let more = decision.and_then(|d| d.more).filter(|_| outcome == Outcome::Undecided);
    let Open { pair, phase, metric, values, .. } = open;
    Row {
        base: pair.base.cell.id.clone(),
        candidate: pair.candidate.cell.id.clone(),
        workload: pair.base.cell.workload.clone(),
        cell: phase.map_or_else(|| pair.name.clone(), |phase| format!("{}, phase {phase}", pair.name)),
        metric,
        values,
        ratio,
        outcome,
        more,
        why,
    }
}

fn outcome(
    open: &Open,
    decision: Option<&Decision>,
    cells: [&CellJudgement; 2],
    more_is_worse: bool,
) -> (Outcome, String) {
    let failed =
        |cell: &CellJudgement| cell.verdicts.iter().find(|v| v.counts_as() == Status::Fail).map(|v| v.check.clone());
    if let Some((which, check)) = ["base", "candidate"].iter().zip(cells).find_map(|(w, c)| Some((w, failed(c)?))) {
        return (Outcome::Refused, format!("{check} failed on the {which}"));
    }
    if let Some(drift) = differences::of_work(open.pair).first() {
        let slip = drift::slip(drift).map_or(String::new(), |s| format!(" {s}"));
        return (
            Outcome::Refused,
            format!("`{}` is {} in one and {} in the other.{slip}", drift.key, drift.base, drift.candidate),
        );
    }
    match decision {
        None => (Outcome::Undecided, "too few repetitions for an interval".into()),
        Some(d) => match d.outcome {
            Outcome::Better if more_is_worse => (Outcome::Worse, String::new()),
            Outcome::Worse if more_is_worse => (Outcome::Better, String::new()),
            Outcome::Undecided => (Outcome::Undecided, decide::told(d.more)),
            Outcome::Better | Outcome::Worse | Outcome::Equivalent | Outcome::Refused => (d.outcome, String::new()),
        },
    }
}

/// The ratio of a metric over the runs of a pair: by block in one record, of independent arms in two.
fn of_metric(base: &CellEvidence, candidate: &CellEvidence, in_one_record: bool, metric: &str) -> Option<Ratio> {
    let of = |cell: &CellEvidence| -> Option<BTreeMap<u32, f64>> {
        cell.runs.iter().map(|run| Some((run.run.block, value(run, metric).filter(|v| *v > 0.0)?))).collect()
    };
    let (base, candidate) = (of(base)?, of(candidate)?);
    if in_one_record && base.keys().eq(candidate.keys()) {
        return ratio::paired(&base.into_values().zip(candidate.into_values()).collect::<Vec<_>>());
    }
    let values = |runs: BTreeMap<u32, f64>| runs.into_values().collect::<Vec<_>>();
    ratio::unpaired(&values(base), &values(candidate))
}

/// One run's value.
fn value(run: &RunEvidence, metric: &str) -> Option<f64> {
    if let Some((_, percent)) = PERCENTILES.iter().find(|(name, _)| *name == metric) {
        let mut all = Histogram::default();
        of_run::latencies(run).into_iter().for_each(|(_, histogram)| all.merge(histogram));
        return (all.count() > 0).then(|| all.percentile(*percent).map(Nanos::micros)).flatten();
    }
    of_run::whole(run).into_iter().find(|((name, _), _)| *name == metric).map(|(_, value)| value)
}

impl Pair<'_, '_> {
    fn in_one_record(&self) -> bool {
        let record = |cell: &CellEvidence| cell.runs.first().map(|run| &raw const *run.record);
        record(self.base) == record(self.candidate)
    }
}
