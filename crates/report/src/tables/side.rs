//! Cells side by side: which axis goes across, which numbers are of one test, to which group a test belongs. Where a
//! run has several phases that measure, each of them is a test: a rate over different work says nothing.

use super::{PastedCell, PastedGroup};
use crate::axes;
use crate::document::repeats;
use model::experiment::Axis;
use model::record::kind::{self, GROUPS};
use model::{CellJudgement, Comparison, Estimate, Judgement, PhaseJudgement, Record, RunRecord, Status, Value};
use std::collections::BTreeMap;

/// Goes across before any other: studies of regressions compare builds.
const BUILD: &str = "build";
/// Over these a curve is drawn; they go across only where nothing else varies.
const LAST: [&str; 2] = ["users", "rate"];

/// The numbers of a cell, or of one phase of it.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    pub cell: &'a CellJudgement,
    phase: Option<&'a PhaseJudgement>,
}

impl<'a> Measured<'a> {
    /// Each phase of a cell whose runs have several, or the cell.
    fn all(cell: &'a CellJudgement) -> Vec<Self> {
        if cell.phases.is_empty() {
            return vec![Self { cell, phase: None }];
        }
        cell.phases.iter().map(|phase| Self { cell, phase: Some(phase) }).collect()
    }

    pub fn phase(&self) -> Option<&'a str> {
        self.phase.map(|phase| phase.name.as_str())
    }

    pub fn metrics(&self) -> &'a BTreeMap<String, Estimate> {
        self.phase.map_or(&self.cell.metrics, |phase| &phase.part.metrics)
    }

    pub fn value(&self, metric: &str) -> Option<f64> {
        self.metrics().get(metric).map(|estimate| estimate.value)
    }

    pub fn is_struck(&self) -> bool {
        match self.phase() {
            Some(phase) => self.cell.struck(Some(phase)).is_some(),
            None => self.cell.verdicts.iter().any(|verdict| verdict.counts_as() == Status::Fail),
        }
    }

    pub fn is_lower_bound(&self) -> bool {
        self.phase().map_or_else(|| self.cell.is_lower_bound(), |phase| self.cell.is_lower_bound_in(phase))
    }

    /// How the judge compared it with the base.
    pub fn compared<'j>(&self, judgement: &'j Judgement, base: &Self, metric: &str) -> Option<&'j Comparison> {
        let (candidate, base) = (self.cell.id.to_string(), base.cell.id.to_string());
        let is_this = |c: &&Comparison| {
            c.metric == metric && c.phase.as_deref() == self.phase() && c.base == base && c.candidate == candidate
        };
        judgement.comparisons.iter().find(is_this)
    }
}

/// The numbers of one test, in the order of the columns.
pub struct Test<'a> {
    pub name: String,
    pub group: &'static str,
    pub cells: Vec<Option<Measured<'a>>>,
}

pub struct Sides<'a> {
    pub record: &'a Record,
    pub judgement: &'a Judgement,
    /// What goes across; `None` where nothing varies.
    pub axis: Option<&'a Axis>,
    pub tests: Vec<Test<'a>>,
}

impl<'a> Sides<'a> {
    pub fn of(record: &'a Record, judgement: &'a Judgement) -> Self {
        let axis = across(record, judgement);
        let columns = axis.map_or(1, |axis| axis.values.len());
        let mut tests: Vec<Test> = Vec::new();
        let own = judgement.cells.iter().filter(|cell| repeats(&record.plan, &cell.id).is_none());
        for measured in own.flat_map(Measured::all) {
            let name = test_name(record, measured, axis);
            let value = |axis: &Axis| measured.cell.axes.get(&axis.key);
            let column =
                axis.map_or(Some(0), |axis| axis.values.iter().position(|of_column| value(axis) == Some(of_column)));
            let Some(column) = column else { continue };
            let at = tests.iter().position(|test| test.name == name).unwrap_or_else(|| {
                tests.push(Test { name, group: group_of(record, measured), cells: vec![None; columns] });
                tests.len() - 1
            });
            tests[at].cells[column] = Some(measured);
        }
        Self { record, judgement, axis, tests }
    }

    pub fn columns(&self) -> Vec<String> {
        self.axis.map_or(vec!["value".to_string()], |axis| axis.values.iter().map(axes::text).collect())
    }

    /// Rows by group, groups that have none left out.
    pub fn grouped(&self, rows: impl Fn(&Test<'a>) -> Vec<Vec<PastedCell>>) -> Vec<PastedGroup> {
        let of_group = |name: &&str| {
            let rows = self.tests.iter().filter(|test| test.group == *name).flat_map(&rows).collect();
            PastedGroup { name: (*name).to_string(), rows }
        };
        GROUPS.iter().map(of_group).filter(|group| !group.rows.is_empty()).collect()
    }
}

/// Builds, else what the judge compared most cells on, else what varies.
fn across<'a>(record: &'a Record, judgement: &Judgement) -> Option<&'a Axis> {
    let varied: Vec<&Axis> = axes::varied(&record.plan).into_iter().filter(|axis| axis.key != "workload").collect();
    let compared =
        |axis: &&&Axis| judgement.comparisons.iter().filter(|c| c.axis == axis.key && c.is_of_a_rate()).count();
    let first = || varied.iter().filter(|axis| !LAST.contains(&axis.key.as_str())).rev().max_by_key(compared);
    varied.iter().find(|axis| axis.key == BUILD).or_else(first).or(varied.last()).copied()
}

/// The workload or the phase, and the values on the axes that go down.
fn test_name(record: &Record, measured: Measured, across: Option<&Axis>) -> String {
    let cell = measured.cell;
    format!("{}{}", measured.phase().unwrap_or(&cell.workload), down(record, cell, across))
}

/// A cell's values on the axes that go down.
pub fn down(record: &Record, cell: &CellJudgement, across: Option<&Axis>) -> String {
    let down = axes::varied(&record.plan).into_iter();
    let down = down.filter(|axis| axis.key != "workload" && across.is_none_or(|across| across.key != axis.key));
    let value = |axis: &Axis| Some(format!(", {} {}", axis.key, axes::text(cell.axes.get(&axis.key)?)));
    down.filter_map(value).collect()
}

fn group_of(record: &Record, of: Measured) -> &'static str {
    let all = runs_of(record, of.cell).flat_map(RunRecord::measured);
    kind::group(all.filter(|phase| of.phase().is_none_or(|name| phase.name == name)))
}

/// The runs that make its numbers.
pub fn runs_of<'a>(record: &'a Record, cell: &CellJudgement) -> impl Iterator<Item = &'a RunRecord> {
    let id = cell.id.clone();
    record.runs.iter().filter(move |run| run.cell == id && run.is_done() && !run.is_beside())
}

/// The value of a cell on the axis across, for a row of its own.
pub fn place<'a>(sides: &Sides<'a>, column: usize) -> Option<&'a Value> {
    sides.axis.map(|axis| &axis.values[column])
}
