//! Everything the judge says of one record: per cell its metrics as estimates with the verdicts on them, then what
//! holds for the experiment, comparisons and findings. This is also the shape of `report.json`, documented in
//! `docs/report-schema.md`.

use crate::estimate::{Comparison, Estimate, Outcome, Overall};
use crate::finding::Finding;
use crate::forecast::Forecast;
use crate::functions::{FunctionDiff, FunctionTable};
use crate::health::Health;
use crate::plan::CellId;
use crate::record::explain::Explain;
use crate::search::Search;
use crate::value::Value;
use crate::verdict::{Status, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Raised when a field changes its meaning; additions keep it.
pub const REPORT_SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    pub cells: Vec<CellJudgement>,
    /// On the experiment as a whole, or on several cells at once.
    pub verdicts: Vec<Verdict>,
    pub comparisons: Vec<Comparison>,
    /// The same over all tests of two cells, and then over those of each group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overall: Vec<Overall>,
    pub findings: Vec<Finding>,
    /// The report's opening, a sentence each: what answers the question first, then what may not be believed, the worst
    /// first.
    pub claims: Vec<Claim>,
    /// How many numbers stand, and why the others do not.
    #[serde(default)]
    pub health: Health,
    /// What each cell that searches found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<SearchJudgement>,
    /// Curves over users.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<CurveJudgement>,
    /// How servers carried statements out, where cells differ in that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<PlanTable>,
    /// What arithmetic foretells beside what was measured, second by second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forecasts: Vec<Forecast>,
    /// What functions take, by cell that was profiled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<FunctionTable>,
    /// The same of two such cells side by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub function_diffs: Vec<FunctionDiff>,
    /// What was not measured and why, as sentences.
    pub not_measured: Vec<String>,
    /// By metric: how it is computed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub made_of: BTreeMap<String, Made>,
}

/// How a metric is computed from what a run wrote down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Made {
    pub how: String,
    /// Names in `phases[].counters` of `run.json`.
    pub counters: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct CellJudgement {
    pub id: CellId,
    pub axes: BTreeMap<String, Value>,
    pub workload: String,
    /// By plain name: `qps`, `ops_per_s`, `tps`, `latency_us_p99`, `client_cpu_us_per_statement`, `errors_per_op` …
    pub metrics: BTreeMap<String, Estimate>,
    /// The same per operation and per statement.
    pub operations: BTreeMap<String, BTreeMap<String, Estimate>>,
    pub statements: BTreeMap<String, BTreeMap<String, Estimate>>,
    /// Each group of users apart, by name; empty where all do the same.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, Part>,
    /// Each phase that measures apart, in order; empty where there is one only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseJudgement>,
    /// One value per repetition, in order, of the metrics drawn as dots (`qps` at least).
    pub repetitions: BTreeMap<String, Vec<f64>>,
    pub runs: Vec<String>,
    pub verdicts: Vec<Verdict>,
    /// The worst of the verdicts; a cell that failed is shown struck.
    pub status: Status,
    /// Which resource limits this cell, as `client-bound`, with the evidence in words.
    pub bound: Option<Bound>,
    /// Where the time of an operation went; `None` when too little of it was measured, or when groups of users differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// What an explain run of the cell saw, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
    /// Set when no run of the cell was done: skipped or failed, in the server's words.
    pub no_number: Option<String>,
    /// Absent when nothing went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errors: Option<Errors>,
}

impl CellJudgement {
    /// The client was in the way, or near it: the server would have done at least this.
    pub fn is_lower_bound(&self) -> bool {
        self.verdicts.iter().any(|verdict| verdict.is_of_client() && verdict.verdict >= Status::Warn)
    }

    /// The same in this phase.
    pub fn is_lower_bound_in(&self, phase: &str) -> bool {
        self.verdicts.iter().any(|v| v.is_of_client() && v.verdict >= Status::Warn && v.speaks_of(phase))
    }

    /// The check that strikes the numbers of this phase; of `None`, those of the cell as a whole.
    pub fn struck(&self, phase: Option<&str>) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.strikes(phase))
    }
}

/// What went wrong in the runs of a cell, warm-up and failed runs included, and sessions opened meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Errors {
    /// The most frequent first.
    pub by_number: Vec<ErrorCount>,
    /// Sessions opened anew because the load wants that, and those that replaced a broken one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub renewed: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reconnects: u64,
    /// From the wish to connect until the server let the user in, of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_us_p50: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_us_p99: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct ErrorCount {
    pub number: u32,
    /// The number with its word, as `1213 (deadlock)`.
    pub error: String,
    /// Operations tried again after it, and given up with it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retried: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u64,
    /// The first message with which one was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One curve over users, and whether the universal scalability law describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct CurveJudgement {
    /// The workload and its values on the other axes.
    pub place: String,
    pub cells: Vec<CellId>,
    /// There was enough to fit a law to.
    pub is_fitted: bool,
    /// Only where it describes the curve.
    pub law: Option<LawJudgement>,
    pub sentence: String,
}

/// X(N) = γN / (1 + α(N − 1) + βN(N − 1)), fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct LawJudgement {
    pub gamma: Estimate,
    pub alpha: Estimate,
    pub beta: Estimate,
    pub peak_users: Estimate,
    pub peak_rate: Estimate,
    /// For drawing: users, rate, and the bounds of its 95 % interval.
    pub line: Vec<[f64; 4]>,
}

/// What a search found: its answer, and the runs that led to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct SearchJudgement {
    pub cell: CellId,
    /// As planned: what was looked for, and where.
    pub search: Search,
    /// In the order of the runs.
    pub trials: Vec<TrialJudgement>,
    /// Operations per second, or users; `None` where it lies outside the range.
    pub answer: Option<Estimate>,
    /// No further run is needed or allowed.
    pub over: bool,
    pub status: Status,
    pub sentence: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct TrialJudgement {
    pub run: String,
    pub level: f64,
    /// The percentile in microseconds, or operations per second; `None` when nothing was done.
    pub value: Option<f64>,
    /// The limit was broken.
    pub over: bool,
    /// Why the run was ended early, if it was; its value is then that of a beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    pub why: String,
}

/// The numbers of a part of a cell, named as those of the cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Part {
    pub workload: String,
    pub metrics: BTreeMap<String, Estimate>,
    pub operations: BTreeMap<String, BTreeMap<String, Estimate>>,
    pub statements: BTreeMap<String, BTreeMap<String, Estimate>>,
}

/// The plans of cells that differ on one axis, side by side: one for each place on the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct PlanTable {
    pub axis: String,
    /// Values on the other axes, in words.
    pub place: String,
    /// The first is what the others are held against.
    pub columns: Vec<PlanColumn>,
    pub rows: Vec<PlanRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct PlanColumn {
    pub cell: CellId,
    pub value: Value,
    /// The primary key of the first table, as the server made it.
    pub primary_key: Option<String>,
    pub key_differs: bool,
}

/// One statement at the begin of one phase, in the order of the columns; `None` where it was not asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct PlanRow {
    pub phase: String,
    pub statement: String,
    pub cells: Vec<Option<PlanCell>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct PlanCell {
    pub parts: Vec<PlanPart>,
    /// Rows that the handler was asked for by one execution alone.
    pub reads: i64,
    /// The same per statement of the phase, all its statements together, as measured.
    pub measured_reads: Option<f64>,
    /// Mean time of the statement in the phase.
    pub us: Option<Estimate>,
}

/// `access`, `key`, `key length`, `rows`, `partitions`; `with` and `without` for what is done beside; `where` for a
/// condition that the first column does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct PlanPart {
    pub name: String,
    pub text: String,
    pub differs: bool,
}

/// One phase of a cell that has several, beside the one that it is held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct PhaseJudgement {
    pub name: String,
    /// The name without the number of its iteration, and that number.
    pub step: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// What was done to the server meanwhile, in the runs that were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb: Option<String>,
    /// Checks that failed on this phase, and not on all of its cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub struck: Vec<String>,
    #[serde(flatten)]
    pub part: Part,
    /// Where the phase has groups of its own: the numbers of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, Part>,
    /// Absent in the phase that others are held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
}

/// A phase ÷ the one that it is held against, run by run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Against {
    pub phase: String,
    /// By name as in the metrics; those of operations and statements by their path, as
    /// `operations.add_link.latency_us_mean`.
    pub ratios: BTreeMap<String, Estimate>,
    /// The outcome of the statements per second.
    pub outcome: Outcome,
    pub sentence: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Bound {
    pub label: String,
    pub sentence: String,
    /// Checks and metrics that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
}

/// The time of an average operation, split into what it was spent on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Account {
    /// Microseconds from the start of an operation to its last byte, mean over repetitions.
    pub operation_us: f64,
    pub terms: Vec<Term>,
    /// What no term covers; negative where terms overlap.
    pub rest_us: f64,
    /// Against the same with the fewest users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    pub sentence: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Term {
    /// `server CPU`, `files` …
    pub name: String,
    pub us: f64,
    /// Metrics that it was computed from.
    pub from: Vec<String>,
}

/// What an operation takes longer than at the lowest level.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Growth {
    pub since: CellId,
    pub operation_us: f64,
    /// By name of the term, the largest first.
    pub terms: Vec<(String, f64)>,
    pub rest_us: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Claim {
    /// It says what was found out, and not how far the numbers may be believed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_answer: bool,
    pub status: Status,
    pub sentence: String,
    /// Cells, comparisons or checks that it rests on.
    pub evidence: Vec<String>,
}

impl Judgement {
    pub fn cell(&self, id: &CellId) -> Option<&CellJudgement> {
        self.cells.iter().find(|c| c.id == *id)
    }
    /// Whether a check failed or no cell has a number: the exit status of a run.
    pub fn failed(&self) -> bool {
        let has_none = !self.cells.is_empty() && self.cells.iter().all(|c| c.no_number.is_some());
        has_none
            || self
                .verdicts
                .iter()
                .chain(self.cells.iter().flat_map(|c| &c.verdicts))
                .any(|v| v.counts_as() == Status::Fail)
    }
}
