//! A label can lie, and rows per call cannot: cells of one statement that return ten times as many rows as others do
//! ten times the work, whatever their parameters say. This check compares, per class of statement, the rows of one
//! call, the bytes of one call, and the calls per operation between cells whose axis does not explain a difference: the
//! same statement must return as many rows under another charset, server, number of users, or within another workload.
//!
//! Rows per call or calls per operation off by more than 5 % fail; bytes per call warn. Classes with fewer than
//! 100 calls are left out, because the edge of the table alone moves their mean by that much. Calls per operation may
//! differ by the operations besides that the ends of a phase may cut, one for each user: in half a second that is much.
//!
//! Data that change under the users change their answers, and a faster cell is further on in that: rows are deleted,
//! lists grow. So two cells agree, too, where what a statement did in the phases of the one (warm-up included) reaches
//! into what it did in those of the other. Where nothing changes, phases do not differ, and nothing is forgiven.
//!
//! What is drawn by chance differs by chance, and four standard errors of a count are allowed: in phases that do
//! different work, which are short and are compared each with its like; for the calls of a statement that not every
//! operation has; and for rows where calls return now more of them and now fewer. Where the calls of one cell all
//! return as many, nothing is drawn.

use crate::frame::applies::Applies;
use crate::frame::check::{Check, Doubts, Look, Pairs, Seen, Sight};
use crate::frame::evidence::{CellEvidence, Evidence};
use crate::frame::limits::Limit;
use crate::frame::naming;
use crate::frame::pairs::{self, Pair};
use model::experiment::keys::{Effect, can_change};
use model::plan::CellId;
use model::record::tally::StatementTally;
use model::units::{Share, round3};
use model::verdict::Status;
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "measured_work_agrees",
    claim: || format!("the same statement does the same work in all cells compared, within {WORK_OFF}"),
    source: include_str!("measured_work_agrees.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[WORK_OFF],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "compare the parameters of the two cells, and their statements in the record; rerun with equal work",
    look: Look::Pairs(Pairs {
        of,
        none: "No two cells differ in an axis only that must leave the rows of a statement as they are.",
        look,
    }),
};

const WORK_OFF: Limit =
    Limit::share("work_off", 0.05, "above what rounding and the edge of a table can do, below any slip in a parameter")
        .convention();

const FEWEST_CALLS: u64 = 100;
/// Standard errors of the relative difference of two counts: chance alone leaves so many once in 16,000 comparisons.
const ERRORS: f64 = 4.0;

#[derive(Default)]
struct Work<'a> {
    calls: u64,
    rows: u64,
    bytes: u64,
    operations: u64,
    /// Operations that the ends of a phase may have cut: the calls of each count on one side only.
    cut: u64,
    /// Whether the phase stands among others that do other work.
    is_staged: bool,
    /// By phase, warm-up included, of the same workload.
    phases: BTreeMap<&'a str, Work<'a>>,
}

impl Work<'_> {
    fn chance(&self, other: &Self, measure: Measure) -> f64 {
        let both = |is: fn(&Self) -> bool| is(self) && is(other);
        let apart = |count: fn(&Self) -> u64| {
            ERRORS * (1.0 / count(self).max(1) as f64 + 1.0 / count(other).max(1) as f64).sqrt()
        };
        match measure {
            _ if self.is_staged => apart(|work| work.calls),
            Measure::Calls if both(|work| work.calls < work.operations) => apart(|work| work.calls),
            Measure::Rows | Measure::Bytes if both(|work| work.rows % work.calls.max(1) != 0) => {
                apart(|work| work.rows)
            }
            Measure::Calls | Measure::Rows | Measure::Bytes => 0.0,
        }
    }
    fn edge(&self) -> f64 {
        self.cut as f64 / self.operations.max(1) as f64
    }
    /// The least and the most of it in any phase with enough calls.
    fn range(&self, measure: Measure) -> Option<(f64, f64)> {
        let often = self.phases.values().filter(|phase| phase.calls >= FEWEST_CALLS);
        let of = |phase: &Work| phase.measures().into_iter().find(|(m, _)| *m == measure).expect("all are measured").1;
        often.map(of).map(|x| (x, x)).reduce(|(low, high), (x, _)| (low.min(x), high.max(x)))
    }
    /// Whether what it did in some phase is what the other did in some phase.
    fn meets(&self, other: &Self, measure: Measure, most: Share) -> bool {
        let (Some(one), Some(other)) = (self.range(measure), other.range(measure)) else { return false };
        one.0 <= other.1 * (1.0 + most.0) && other.0 <= one.1 * (1.0 + most.0)
    }
    fn add(&mut self, statement: &StatementTally) {
        self.calls += statement.calls;
        self.rows += statement.rows;
        self.bytes += statement.bytes;
    }
    fn measures(&self) -> [(Measure, f64); 3] {
        let calls = self.calls as f64;
        [
            (Measure::Rows, self.rows as f64 / calls),
            (Measure::Calls, calls / self.operations.max(1) as f64),
            (Measure::Bytes, self.bytes as f64 / calls),
        ]
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    Rows,
    Calls,
    Bytes,
}

impl Measure {
    fn words(self) -> &'static str {
        match self {
            Self::Rows => "rows per call",
            Self::Calls => "calls per operation",
            Self::Bytes => "bytes per call",
        }
    }
    /// What an axis must be unable to change, so that it leaves this as it is.
    fn follows(self) -> Effect {
        match self {
            Self::Rows => Effect::Rows,
            // Workloads differ in what an operation is, and so do transactions with and without their brackets.
            Self::Calls => Effect::Operation,
            // The bytes of a text depend on its charset, of a number on the protocol, of an answer's header on the
            // server.
            Self::Bytes => Effect::Answer,
        }
    }
}

struct Mismatch<'a> {
    pair: &'a Pair<'a>,
    statement: &'a str,
    measure: Measure,
    base: f64,
    candidate: f64,
    /// By how much the two may differ for where their phases were cut.
    edge: f64,
}

impl Mismatch<'_> {
    fn off(&self) -> f64 {
        self.base.max(self.candidate) / self.base.min(self.candidate) - 1.0
    }
}

fn of<'a>(evidence: &'a Evidence<'a>) -> Vec<Pair<'a>> {
    pairs::all(evidence).into_iter().filter(|pair| !can_change(pair.axis, Effect::Rows)).collect()
}

fn look(evidence: &Evidence, pairs: &[Pair]) -> Sight {
    let work: BTreeMap<&CellId, BTreeMap<Part, Work>> =
        evidence.cells.iter().map(|c| (&c.cell.id, done_in(c))).collect();
    let most = evidence.limits.share(&WORK_OFF);
    let mut compared = 0;
    let mut found: Vec<Mismatch> = Vec::new();
    for pair in pairs {
        let (base, candidate) = (&work[&pair.base.cell.id], &work[&pair.candidate.cell.id]);
        let one_protocol = pair.base.cell.protocols == pair.candidate.cell.protocols;
        for (part @ (_, statement), one) in base {
            let Some(other) = candidate.get(part) else { continue };
            compared += 1;
            // Another protocol has other headers.
            let is_fixed = |m: Measure| !can_change(pair.axis, m.follows()) && (one_protocol || m != Measure::Bytes);
            let both = one.measures().into_iter().zip(other.measures()).filter(|((m, _), _)| is_fixed(*m));
            let both = both.filter(|((m, _), _)| !one.meets(other, *m, most));
            let mismatches = both.map(|((measure, base), (_, candidate))| Mismatch {
                pair,
                statement,
                measure,
                base,
                candidate,
                edge: if measure == Measure::Calls { one.edge() + other.edge() } else { 0.0 }
                    + one.chance(other, measure),
            });
            found.extend(mismatches.filter(|m| m.base != m.candidate && m.off() > most.0 + m.edge));
        }
    }
    if compared == 0 {
        return Err(format!("no statement was called {FEWEST_CALLS} times in two cells that must do the same work"));
    }
    let worse = |a: &&Mismatch, b: &&Mismatch| {
        (a.measure != Measure::Bytes).cmp(&(b.measure != Measure::Bytes)).then(a.off().total_cmp(&b.off()))
    };
    let limit = most.to_string();
    let Some(worst) = found.iter().max_by(worse) else {
        let sentence = format!("Rows, bytes and calls of each statement agree over {compared} comparisons.");
        return Ok(Seen::new(Status::Pass, format!("within {WORK_OFF}"), limit, sentence));
    };
    let status = if worst.measure == Measure::Bytes { Status::Warn } else { Status::Fail };
    let (base, candidate) = (worst.pair.base, worst.pair.candidate);
    let sentence = format!(
        "The cells do different work: `{}` has {} {} in {} and {} in {}, though the two should differ in `{}` only.{}",
        worst.statement,
        round3(worst.base),
        worst.measure.words(),
        naming::cell(base),
        round3(worst.candidate),
        naming::cell(candidate),
        worst.pair.axis,
        if found.len() > 1 { format!(" It is the worst of {} such differences.", found.len()) } else { String::new() },
    );
    let cells = vec![base.cell.id.to_string(), candidate.cell.id.to_string()];
    Ok(Seen::new(status, format!("×{}", round3(1.0 + worst.off())), limit, sentence).at(cells))
}

/// Group and class of statement.
type Part<'a> = (String, &'a str);

fn done_in<'a>(cell: &CellEvidence<'a>) -> BTreeMap<Part<'a>, Work<'a>> {
    if !cell.cell.phases.iter().any(|phase| phase.is_staged()) {
        return alike(cell);
    }
    let of_phase = |name: &'a str| {
        let mut parts = alike(&cell.of_phase(name));
        parts.values_mut().for_each(|work| {
            work.is_staged = true;
            // What the same workload did in other phases is no measure of this one.
            work.phases.retain(|phase, _| *phase == name);
        });
        parts.into_iter().map(move |((group, statement), work)| ((format!("{group} in {name}"), statement), work))
    };
    cell.phases().into_iter().flat_map(of_phase).collect()
}

/// Over all runs; rare classes left out.
fn alike<'a>(cell: &CellEvidence<'a>) -> BTreeMap<Part<'a>, Work<'a>> {
    let mut work: BTreeMap<Part, Work> = BTreeMap::new();
    let mut operations: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (group, share) in cell.runs.iter().flat_map(|r| r.groups()) {
        let sum = operations.entry(group.name.clone()).or_default();
        sum.0 += share.done();
        sum.1 += u64::from(share.users());
        for (name, statement) in share.statements() {
            work.entry((group.name.clone(), name)).or_default().add(statement);
        }
        let same = share.phases.first().and_then(|phase| phase.groups.get(&group.name)).map(|g| &g.workload);
        for phase in &share.run.phases {
            let Some(record) = phase.groups.get(&group.name).filter(|g| Some(&g.workload) == same) else { continue };
            let done: u64 = record.tally.operations.values().map(|o| o.done).sum();
            for (name, statement) in &record.tally.statements {
                let sum = work.entry((group.name.clone(), name)).or_default().phases.entry(&phase.name).or_default();
                sum.add(statement);
                sum.operations += done;
            }
        }
    }
    for ((group, _), sum) in &mut work {
        (sum.operations, sum.cut) = operations[group];
    }
    work.retain(|_, w| w.calls >= FEWEST_CALLS);
    work
}
