//! `report.json`: the judgement as the judge handed it over, with the experiment and the host that it is about. Its
//! fields are documented in `docs/report-schema.md`; what the page needs beyond it (timelines, histograms) is not
//! here, because a program that wants those reads the record.

use crate::repeat;
use model::experiment::Axis;
use model::functions::{FunctionDiff, FunctionTable};
use model::judgement::{Claim, Made, PlanTable, REPORT_SCHEMA};
use model::plan::Skipped;
use model::{
    CellId, CellJudgement, Comparison, CurveJudgement, Finding, Forecast, Health, Host, Judgement, Overall, Plan,
    Record, SearchJudgement, Seed, Verdict,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    schema: u32,
    experiment: Experiment<'a>,
    host: &'a Host,
    cells: Vec<Cell<'a>>,
    comparisons: &'a [Comparison],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    overall: &'a [Overall],
    findings: &'a [Finding],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    searches: &'a [SearchJudgement],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    curves: &'a [CurveJudgement],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    plans: &'a [PlanTable],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    forecasts: &'a [Forecast],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) functions: &'a [FunctionTable],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    function_diffs: &'a [FunctionDiff],
    verdicts: &'a [Verdict],
    claims: &'a [Claim],
    health: &'a Health,
    not_measured: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    /// By metric.
    made_of: &'a BTreeMap<String, Made>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
struct Experiment<'a> {
    name: &'a str,
    question: &'a str,
    scale: Option<&'a str>,
    /// What measures it again.
    command: String,
    seed: Seed,
    axes: &'a [Axis],
    repetitions: u32,
    skipped: &'a [Skipped],
    warnings: &'a [String],
    text: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
struct Cell<'a> {
    #[serde(flatten)]
    judged: &'a CellJudgement,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The cell that this one, the second arm of an A/A pair, repeats.
    repeats: Option<&'a CellId>,
}

impl<'a> Document<'a> {
    pub fn of(record: &'a Record, judgement: &'a Judgement) -> Self {
        Self {
            schema: REPORT_SCHEMA,
            experiment: Experiment::of(record),
            host: &record.host,
            cells: judgement
                .cells
                .iter()
                .map(|judged| Cell { judged, repeats: repeats(&record.plan, &judged.id) })
                .collect(),
            comparisons: &judgement.comparisons,
            overall: &judgement.overall,
            findings: &judgement.findings,
            searches: &judgement.searches,
            curves: &judgement.curves,
            plans: &judgement.plans,
            forecasts: &judgement.forecasts,
            functions: &judgement.functions,
            function_diffs: &judgement.function_diffs,
            verdicts: &judgement.verdicts,
            claims: &judgement.claims,
            health: &judgement.health,
            not_measured: &judgement.not_measured,
            made_of: &judgement.made_of,
        }
    }

    /// The counters that some number of it was made from, by name.
    pub fn counters(&self) -> BTreeSet<&'a str> {
        let of_metrics = self.made_of.values().flat_map(|made| &made.counters);
        let accounts = self.cells.iter().filter_map(|cell| cell.judged.account.as_ref());
        of_metrics.chain(accounts.flat_map(|a| &a.terms).flat_map(|term| &term.from)).map(String::as_str).collect()
    }

    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain values with text keys") + "\n"
    }
}

impl<'a> Experiment<'a> {
    fn of(record: &'a Record) -> Self {
        let plan = &record.plan;
        Self {
            name: &plan.name,
            question: &plan.question,
            scale: plan.scale.as_deref(),
            command: repeat::command(plan),
            seed: plan.seed,
            axes: &plan.axes,
            repetitions: plan.runs.iter().map(|r| r.repetition).max().unwrap_or(0),
            skipped: &plan.skipped,
            warnings: &plan.warnings,
            text: &record.experiment,
        }
    }
}

/// The cell that this one repeats under another label, when it is the second arm of an A/A pair.
pub fn repeats<'a>(plan: &'a Plan, id: &CellId) -> Option<&'a CellId> {
    plan.cells.iter().find(|c| c.id == *id)?.repeats.as_ref()
}
