//! Which axis goes where, decided once for the Markdown table and the page alike, from the plan alone: nothing here
//! knows a charset from a range size. An axis with a single value is a constant and takes no place in a table.

use model::experiment::Axis;
use model::{Bytes, CellJudgement, Plan, Value};

/// The axis that everything else is drawn over.
const PREFERRED: &str = "users";

/// Axes that really vary, in the order of the experiment.
pub fn varied(plan: &Plan) -> Vec<&Axis> {
    plan.axes.iter().filter(|a| a.values.len() > 1).collect()
}

/// `users` when it varies, else the axis with the most numbers, else the last one.
pub fn x(plan: &Plan) -> Option<&Axis> {
    let varied = varied(plan);
    let numbers = |a: &Axis| a.values.iter().filter(|v| v.number().is_some()).count();
    let numeric = varied.iter().rev().filter(|a| numbers(a) == a.values.len()).max_by_key(|a| numbers(a));
    varied.iter().find(|a| a.key == PREFERRED).or(numeric).or(varied.last()).copied()
}

/// `charset latin1, users 16`: how a sentence names a cell, by what sets it apart.
pub fn label(plan: &Plan, cell: &CellJudgement) -> String {
    let parts = varied(plan).into_iter().filter_map(|a| Some((a.key.as_str(), cell.axes.get(&a.key)?)));
    let words: Vec<String> =
        parts.map(|(key, v)| if key == "workload" { v.to_string() } else { format!("{key} {}", text(v)) }).collect();
    if words.is_empty() { cell.workload.clone() } else { words.join(", ") }
}

/// What a table writes for a value that a cell may lack.
pub fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "–".to_string(), text)
}

/// A value as a reader wants it: a whole number of mebibytes was written as one.
pub fn text(value: &Value) -> String {
    match value {
        Value::Count(n @ 1..) if n % (1 << 20) == 0 => Bytes(n.unsigned_abs()).to_string(),
        Value::Count(_) | Value::Flag(_) | Value::Real(_) | Value::Text(_) => value.to_string(),
    }
}
