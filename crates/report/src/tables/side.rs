//! Cells side by side: which axis goes across, which cells are of one test, to which group a test belongs; and the
//! table of rates, the first column absolute and the others relative to it in two decimals.

use super::form::pasted;
use super::{Pasted, PastedCell, PastedGroup};
use crate::axes;
use crate::document::repeats;
use crate::figures::three;
use model::experiment::Axis;
use model::{CellJudgement, Judgement, Record, RunRecord, Status, Value};

/// Goes across before any other: studies of regressions compare builds.
const BUILD: &str = "build";
/// Over these a curve is drawn; they go across only where nothing else varies.
const LAST: [&str; 2] = ["users", "rate"];
/// The rate of a test: the first of these that its cells have.
const RATES: [&str; 3] = ["knee_rate", "qps", "ops_per_s"];

/// In the order in which studies publish them.
pub const GROUPS: [&str; 4] = ["point", "range", "aggregation", "write"];

/// The cells of one test, in the order of the columns.
pub struct Test<'a> {
    pub name: String,
    pub group: &'static str,
    pub cells: Vec<Option<&'a CellJudgement>>,
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
        for cell in judgement.cells.iter().filter(|cell| repeats(&record.plan, &cell.id).is_none()) {
            let name = test_name(record, cell, axis);
            let column = axis
                .map_or(Some(0), |axis| axis.values.iter().position(|value| cell.axes.get(&axis.key) == Some(value)));
            let Some(column) = column else { continue };
            let at = tests.iter().position(|test| test.name == name).unwrap_or_else(|| {
                tests.push(Test { name, group: group_of(record, cell), cells: vec![None; columns] });
                tests.len() - 1
            });
            tests[at].cells[column] = Some(cell);
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

/// The workload and its values on the axes that go down.
fn test_name(record: &Record, cell: &CellJudgement, across: Option<&Axis>) -> String {
    let down = axes::varied(&record.plan).into_iter();
    let down = down.filter(|axis| axis.key != "workload" && across.is_none_or(|across| across.key != axis.key));
    let values = down.filter_map(|axis| Some(format!(", {} {}", axis.key, axes::text(cell.axes.get(&axis.key)?))));
    format!("{}{}", cell.workload, values.collect::<String>())
}

/// What a test does, by what its statements did in the runs: one that changed rows makes it a writing one.
fn group_of(record: &Record, cell: &CellJudgement) -> &'static str {
    let runs = || runs_of(record, cell);
    let statements =
        || runs().flat_map(RunRecord::measured).flat_map(|p| p.groups.values()).flat_map(|g| &g.tally.statements);
    let named = |words: &[&str]| statements().any(|(name, _)| words.iter().any(|word| name.contains(word)));
    if statements().any(|(name, statement)| statement.affected > 0 || name == "set") {
        "write"
    } else if named(&["sum", "distinct", "count", "min_max"]) {
        "aggregation"
    } else if named(&["range", "list", "scan", "between", "versions"]) {
        "range"
    } else {
        "point"
    }
}

/// The runs that make its numbers.
fn runs_of<'a>(record: &'a Record, cell: &CellJudgement) -> impl Iterator<Item = &'a RunRecord> {
    let id = cell.id.clone();
    record.runs.iter().filter(move |run| run.cell == id && run.is_done() && run.explain.is_none())
}

pub fn is_struck(cell: &CellJudgement) -> bool {
    cell.verdicts.iter().any(|verdict| verdict.counts_as() == Status::Fail)
}

pub fn qps(sides: &Sides) -> Option<Pasted> {
    let cells = || sides.tests.iter().flat_map(|test| test.cells.iter().flatten());
    let rate = RATES.into_iter().find(|rate| cells().any(|cell| cell.metrics.contains_key(*rate)))?;
    let unit = cells().find_map(|cell| cell.metrics.get(rate)).map_or("", |estimate| estimate.unit.as_str());
    let columns = sides.columns();
    let heads = match sides.axis {
        Some(axis) => {
            let first = [format!("test, by {}", axis.key), format!("{} ({unit})", columns[0])];
            first.into_iter().chain(columns[1..].iter().map(|column| format!("{column} ÷ {}", columns[0]))).collect()
        }
        None => vec!["test".into(), format!("{rate} ({unit})")],
    };
    let groups = sides.grouped(|test| vec![row(test, rate)]);
    let relative = if sides.axis.is_some() { ", the others relative to the first column" } else { "" };
    let title = format!("{rate} of {}: the first column absolute{relative}.", sides.record.plan.name);
    let note = "Struck: a check failed, the number does not count. ≥, ≤: the client was in the way of one side, so the \
                server would have shown more, or less; ?: of both. –: not measured.";
    Some(pasted("qps", title, note.into(), heads, groups))
}

fn row(test: &Test, rate: &str) -> Vec<PastedCell> {
    let value = |cell: &CellJudgement| cell.metrics.get(rate).map(|estimate| estimate.value);
    let base = test.cells[0].and_then(|cell| Some((cell, value(cell)?)));
    let first = base.map_or(PastedCell::plain("–"), |(cell, value)| {
        let mark = if cell.is_lower_bound() { "≥ " } else { "" };
        PastedCell { text: format!("{mark}{}", three(value)), struck: is_struck(cell) }
    });
    let others = test.cells[1..].iter().map(|cell| {
        let (Some((base, denominator)), Some(cell)) = (base, cell) else { return PastedCell::plain("–") };
        let Some(numerator) = value(cell).filter(|_| denominator > 0.0) else { return PastedCell::plain("–") };
        let mark = match (base.is_lower_bound(), cell.is_lower_bound()) {
            (false, false) => "",
            (false, true) => "≥ ",
            (true, false) => "≤ ",
            (true, true) => "? ",
        };
        PastedCell { text: format!("{mark}{:.2}", numerator / denominator), struck: is_struck(base) || is_struck(cell) }
    });
    [PastedCell::plain(test.name.clone()), first].into_iter().chain(others).collect()
}

/// The value of a cell on the axis across, for a row of its own.
pub fn place<'a>(sides: &Sides<'a>, column: usize) -> Option<&'a Value> {
    sides.axis.map(|axis| &axis.values[column])
}
