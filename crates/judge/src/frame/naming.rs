//! How a sentence names what it speaks of: by the values on the axes that vary, which a reader knows, with the id
//! behind them, by which it is found in the record.

use super::evidence::{CellEvidence, RunEvidence};
use model::experiment::keys::{USERS, WORKLOAD};
use model::plan::axis_text;
use model::{Cell, Plan, Value};

/// A number alone says nothing: `range_size 10`, `4 users`, but `latin1`.
pub fn value(axis: &str, value: &Value) -> String {
    let (text, axis) = (axis_text(axis, value), axis.rsplit('.').next().unwrap_or(axis));
    match value.count().and_then(|count| usize::try_from(count).ok()) {
        Some(count) if axis == USERS => return counted(count, "user"),
        Some(_) | None => {}
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) || text == "on" || text == "off" {
        format!("{axis} {text}")
    } else {
        text
    }
}

/// `oltp.mixed, range_size 100 (c003)`.
pub fn cell(cell: &CellEvidence) -> String {
    format!("{} ({})", place(cell.runs.first().map(|run| &run.record.plan), cell.cell), cell.cell.id)
}

/// `oltp.mixed, range_size 100 (run c003-1)`.
pub fn run(run: &RunEvidence) -> String {
    format!("{} (run {})", place(Some(&run.record.plan), &run.cell), run.run.id)
}

fn place(plan: Option<&Plan>, cell: &Cell) -> String {
    let varied = plan.into_iter().flat_map(|plan| &plan.axes).filter(|axis| axis.values.len() > 1);
    let others = varied.filter(|axis| axis.key != WORKLOAD);
    let others = others.filter_map(|axis| Some(value(&axis.key, cell.axes.get(&axis.key)?)));
    std::iter::once(cell.workload.clone()).chain(others).collect::<Vec<String>>().join(", ")
}

/// `1 cell`, `4 cells`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// `a, b and c`.
pub fn listed(items: &[impl AsRef<str>]) -> String {
    match items {
        [others @ .., last] if !others.is_empty() => {
            let others: Vec<&str> = others.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", others.join(", "), last.as_ref())
        }
        few => few.iter().map(AsRef::as_ref).collect(),
    }
}
