//! Which numbers of a judgement are handed to other tools: those of cells and phases that no failed check strikes,
//! under names that stay the same from one record of an experiment to the next. The second arm of an A/A pair says
//! nothing new and is left out.

use super::Handed;
use crate::axes;
use crate::document::repeats;
use model::{CellJudgement, Estimate, Record, Status, Verdict};
use std::collections::BTreeMap;

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    Higher,
    Lower,
}

/// The metrics that a tool which watches numbers is handed, and how it is to take them.
const METRICS: &[(&str, Better)] = &[
    ("knee_rate", Better::Higher),
    ("qps", Better::Higher),
    ("ops_per_s", Better::Higher),
    ("tps", Better::Higher),
    ("nopm", Better::Higher),
    ("keys_per_s", Better::Higher),
    ("latency_us_mean", Better::Lower),
    ("latency_us_p50", Better::Lower),
    ("latency_us_p95", Better::Lower),
    ("latency_us_p99", Better::Lower),
    ("latency_us_p99.9", Better::Lower),
    ("latency_us_max", Better::Lower),
    ("server_cpu_us_per_statement", Better::Lower),
    ("server_switches_per_statement", Better::Lower),
    ("errors_per_op", Better::Lower),
];

pub struct Number<'a> {
    pub metric: &'static str,
    pub better: Better,
    pub estimate: &'a Estimate,
    /// The server would have done at least this.
    pub is_least: bool,
}

/// What was measured in one place: a cell, or a phase of one that has several.
pub struct Place<'a> {
    pub cell: &'a CellJudgement,
    pub phase: Option<&'a str>,
    /// The workload and what sets the cell apart, the same in each record of the experiment.
    pub name: String,
    /// The check that strikes its numbers.
    pub struck: Option<&'a Verdict>,
    numbers: Vec<Number<'a>>,
}

impl<'a> Place<'a> {
    /// None of a place that is struck.
    pub fn standing(&self) -> &[Number<'a>] {
        if self.struck.is_some() { &[] } else { &self.numbers }
    }
}

/// Every place that has a number, struck or not.
pub fn places<'a>(handed: &Handed<'a>) -> Vec<Place<'a>> {
    let (record, mut places) = (handed.record, Vec::new());
    let is_first = |cell: &&CellJudgement| repeats(&record.plan, &cell.id).is_none();
    for cell in handed.judgement.cells.iter().filter(is_first).filter(|cell| handed.is_asked(cell)) {
        let is_least = cell.is_lower_bound();
        let mut place = |phase: Option<&'a str>, metrics: &'a BTreeMap<String, Estimate>, struck| {
            let name = named(record, cell, phase);
            let numbers = numbers(metrics, is_least);
            if !numbers.is_empty() {
                places.push(Place { cell, phase, name, struck, numbers });
            }
        };
        place(None, &cell.metrics, failed(cell));
        for phase in &cell.phases {
            place(Some(&phase.name), &phase.part.metrics, cell.struck(Some(&phase.name)));
        }
    }
    places
}

/// The check that strikes the numbers of a cell as a whole, which a failure in one of its phases does too.
pub fn failed(cell: &CellJudgement) -> Option<&Verdict> {
    cell.verdicts.iter().find(|verdict| verdict.counts_as() == Status::Fail)
}

fn numbers(metrics: &BTreeMap<String, Estimate>, is_least: bool) -> Vec<Number<'_>> {
    let found = METRICS.iter().filter_map(|(metric, better)| Some((*metric, *better, metrics.get(*metric)?)));
    let finite = found.filter(|(_, _, estimate)| estimate.value.is_finite());
    let number = |(metric, better, estimate)| Number {
        metric,
        better,
        estimate,
        is_least: is_least && better == Better::Higher,
    };
    finite.map(number).collect()
}

fn named(record: &Record, cell: &CellJudgement, phase: Option<&str>) -> String {
    let varied = axes::varied(&record.plan).into_iter().filter(|axis| axis.key != "workload");
    let values = varied.filter_map(|axis| Some(format!(" {}={}", axis.key, axes::text(cell.axes.get(&axis.key)?))));
    let phase = phase.map_or(String::new(), |phase| format!(" phase={phase}"));
    format!("{}{}{phase}", cell.workload, values.collect::<String>())
}

/// When the last run of the record was over, in milliseconds since 1970.
pub fn moment(record: &Record) -> u64 {
    record.runs.iter().map(|run| run.ended_unix_ms).max().unwrap_or(0)
}

/// Why no number can be handed on, where that is so.
pub fn nothing_stands(handed: &Handed) -> Option<String> {
    let what = handed.cell.map_or("the record".to_string(), |cell| format!("cell {cell}"));
    let asked = handed.judgement.cells.iter().filter(|cell| handed.is_asked(cell));
    let with_numbers: Vec<_> = asked.filter(|cell| !cell.metrics.is_empty()).collect();
    if with_numbers.is_empty() {
        return Some(format!(
            "{what} has no number, because none of its runs was done; give its `assay run` again, which goes on where \
             it ended, and ask then"
        ));
    }
    let phases_stand = |cell: &CellJudgement| cell.phases.iter().any(|phase| cell.struck(Some(&phase.name)).is_none());
    if with_numbers.iter().any(|cell| failed(cell).is_none() || phases_stand(cell)) {
        return None;
    }
    let check = with_numbers.iter().find_map(|cell| failed(cell)).map_or("a check", |verdict| verdict.check.as_str());
    Some(format!(
        "no number of {what} stands, the first because of `{check}`, and a struck number is handed to no other \
         tool; `assay explain {check}` says what to do about it"
    ))
}
