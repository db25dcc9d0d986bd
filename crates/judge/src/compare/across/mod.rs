//! Two records, or two cells, side by side: which cells belong together, a ratio for each metric of each pair, all
//! decided in one table, and what else differs between them. Two cells of one record keep their blocks. Two records
//! are two draws: what differs between days (another data load, other neighbours, another place in memory) is in all
//! runs of one and none of the other, and however many runs there are they do not know it. It is taken from earlier
//! records of the same cells on the same machine; without them a difference is *suggested* at most, and decided by
//! nobody.

mod again;
mod differences;
mod sides;

pub use again::{FEWEST_PAIRS, again};

pub use super::costs::is_cost;
use super::decide::{self, Asked, Decision};
use super::drift;
use super::history::{self, Taken};
use super::values::Values;
use crate::frame::{CellEvidence, Evidence, pairs};
use crate::stats::ratio::Ratio;
use model::compared::{COMPARED_SCHEMA, Row};
use model::experiment::keys::WORKLOAD;
use model::{CellId, CellJudgement, Compared, Details, Estimate, Judgement, Outcome, Record, Share, Status, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What is compared unless somebody asks for others.
pub const USUAL: &[&str] = &["qps", "latency_us_p50", "latency_us_p99", "server_cpu_us_per_statement"];

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

/// Compares on these metrics; a metric that a pair lacks has no row. `past` are earlier records.
pub fn compare(base: &Side, candidate: &Side, metrics: &[&str], past: &[Taken]) -> Compared {
    let (one, other) = (Evidence::of(base.record, base.details), Evidence::of(candidate.record, candidate.details));
    let (pairs, unmatched) = match (&base.cell, &candidate.cell) {
        (None, None) => matched(&one, &other),
        _ => (chosen(base, candidate, &one, &other), Vec::new()),
    };
    let floors = metrics.iter().map(|metric| (*metric, Share(floor(&one, metric).0.max(floor(&other, metric).0))));
    let known = Known { floors: floors.collect(), past };
    let rows = rows(&pairs, [base.judgement, candidate.judgement], metrics, &known);
    let moved = metrics.first().map(|metric| sides::all(&one, &pairs, &rows, metric));
    Compared {
        schema: COMPARED_SCHEMA,
        base: base.name.clone(),
        candidate: candidate.name.clone(),
        again: None,
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

/// What is known of noise beside the runs themselves.
struct Known<'k> {
    /// By metric.
    floors: BTreeMap<&'k str, Share>,
    past: &'k [Taken],
}

/// By how much twins of a record differ on a metric.
fn floor(evidence: &Evidence, metric: &str) -> Share {
    let twins = pairs::twins(evidence);
    let apart = twins.iter().filter_map(|t| Values::of(t.candidate).over(&Values::of(t.base), metric, true));
    Share(apart.map(|ratio| ratio.log.abs().exp_m1()).fold(0.0, f64::max))
}

/// A row before it is decided.
struct Open<'p, 'a, 'b> {
    pair: &'p Pair<'a, 'b>,
    phase: Option<&'a str>,
    metric: String,
    values: [Estimate; 2],
    ratio: Option<Ratio>,
    /// How much of its noise is known.
    draws: Draws,
}

/// What a row's two sides are draws of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draws {
    /// Runs of one record.
    Runs,
    /// Records, of which it is known how they vary.
    Records,
    /// Records, of which nobody knows.
    Unknown,
}

/// A row, and the phase that it is of.
struct Matched<'a> {
    phase: Option<&'a str>,
    row: Row,
}

fn rows<'a>(pairs: &[Pair<'a, '_>], judgements: [&Judgement; 2], metrics: &[&str], known: &Known) -> Vec<Matched<'a>> {
    let judged = |i: usize, cell: &CellEvidence| judgements[i].cell(&cell.cell.id).expect("every cell is judged");
    let mut open = Vec::new();
    for pair in pairs {
        for phase in shared_phases(pair) {
            let alone = phase.map(|phase| (pair.base.of_phase(phase), pair.candidate.of_phase(phase)));
            let (base, candidate) = alone.as_ref().map_or((pair.base, pair.candidate), |(one, other)| (one, other));
            let (of_base, of_candidate) = (Values::of(base), Values::of(candidate));
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
                let ratio = of_candidate.over(&of_base, metric, pair.in_one_record());
                let (ratio, draws) = pair.between_records(ratio, phase, metric, known.past);
                open.push(Open { pair, phase, metric: (*metric).into(), values: [one, other], ratio, draws });
            }
        }
    }
    let asked = |open: &Open| {
        let (metric, floor) = known.floors.get_key_value(open.metric.as_str())?;
        Some(Asked { metric, ratio: open.ratio?, floor: *floor, lends: open.draws != Draws::Records })
    };
    let mut decisions = decide::of(&open.iter().filter_map(asked).collect::<Vec<_>>()).into_iter();
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
    let (mut outcome, mut why) = outcome(&open, decision.as_ref(), cells, is_cost(&open.metric));
    let mut suggests = None;
    let mut more = decision.and_then(|d| d.more).filter(|_| outcome == Outcome::Undecided);
    if open.draws == Draws::Unknown && !matches!(outcome, Outcome::Undecided | Outcome::Refused) {
        suggests = Some(outcome);
        (outcome, why, more) = (Outcome::Undecided, ONE_DRAW.into(), None);
    }
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
        suggests,
        more,
        why,
    }
}

/// Why runs of two records decide nothing.
const ONE_DRAW: &str =
    "a record is one draw, and how much days differ is not known: give earlier records with --history";

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

impl Pair<'_, '_> {
    /// The same ratio with what records of this machine vary by, where this is one of two of them.
    fn between_records(
        &self,
        ratio: Option<Ratio>,
        phase: Option<&str>,
        metric: &str,
        past: &[Taken],
    ) -> (Option<Ratio>, Draws) {
        let Some(of_runs) = ratio.filter(|_| !self.in_one_record()) else { return (ratio, Draws::Runs) };
        let host = self.candidate.runs.first().map(|run| &run.record.host);
        // What is kept of earlier records is whole cells.
        let host = host.filter(|_| phase.is_none());
        let cells = [self.base.cell, self.candidate.cell];
        let Some(sessions) = host.and_then(|host| history::sessions(past, host, cells, metric)) else {
            return (ratio, Draws::Unknown);
        };
        // Of one record each; never surer than its runs are.
        let variance = (2.0 * sessions.variance).max(of_runs.error().powi(2));
        (Some(Ratio { log: of_runs.log, variance, freedom: sessions.freedom, n: 1 }), Draws::Records)
    }

    fn in_one_record(&self) -> bool {
        let record = |cell: &CellEvidence| cell.runs.first().map(|run| &raw const *run.record);
        record(self.base) == record(self.candidate)
    }
}
