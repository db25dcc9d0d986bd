//! TPC-C's delivered orders, which its study of dates counts by: the cells that differ in nothing but how a date says
//! "not delivered", and what the server counted for each order delivered. Runs whose data broke their laws take no
//! part.

use super::cause::Scene;
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::stats::average;
use model::Value;
use std::collections::BTreeMap;

const FAMILY: &str = "tpcc.";
const DELIVERED: &str = "delivered_orders";

pub const SWITCH: &str = "date_columns";
pub const NULL: &str = "null";
pub const DEFAULT: &str = "default";
/// Lines of an order in the mean.
pub const LINES: f64 = 10.0;

/// One place, with the columns in several ways.
pub struct Lane<'a> {
    pub place: String,
    cells: Vec<&'a CellEvidence<'a>>,
}

/// Those of one engine, or of all others.
pub fn lanes<'a>(scene: &Scene<'a>, is_of: impl Fn(&str) -> bool) -> Vec<Lane<'a>> {
    let mut lanes: BTreeMap<Vec<(&String, &Value)>, Vec<&CellEvidence>> = BTreeMap::new();
    let cells = scene.counted_cells().filter(|c| c.cell.workload.starts_with(FAMILY));
    for cell in cells.filter(|c| is_of(&c.cell.server.engine)) {
        lanes.entry(cell.cell.axes.iter().filter(|(k, _)| *k != SWITCH).collect()).or_default().push(cell);
    }
    let varied = |key: &str| scene.evidence.record.plan.axes.iter().any(|a| a.key == key && a.values.len() > 1);
    let named = |(place, cells): (Vec<(&String, &Value)>, _)| {
        let place: Vec<String> =
            place.iter().filter(|(key, _)| varied(key)).map(|(key, value)| format!("{key} {value}")).collect();
        let place = if place.is_empty() { String::new() } else { format!(" ({})", place.join(", ")) };
        Lane { place, cells }
    };
    lanes.into_iter().map(named).collect()
}

impl<'a> Lane<'a> {
    pub fn with(&self, columns: &str) -> Option<&'a CellEvidence<'a>> {
        let is = |c: &&&CellEvidence| c.cell.parameters.get(SWITCH).and_then(Value::text) == Some(columns);
        self.cells.iter().find(is).copied()
    }
}

/// Orders delivered while it was measured.
pub fn delivered(run: &RunEvidence) -> f64 {
    run.tallies().filter_map(|t| t.facts.get(DELIVERED)).sum::<i64>() as f64
}

/// Orders delivered over a whole run, as its audit was told.
pub fn audited(run: &RunEvidence) -> Option<f64> {
    Some(*run.run.audits.first()?.facts.get(DELIVERED)? as f64)
}

/// What was counted for each delivered order, by block.
pub fn by_block(cell: &CellEvidence, count: impl Fn(&RunEvidence) -> Option<f64>) -> BTreeMap<u32, f64> {
    let each = |run: &RunEvidence| {
        let orders = delivered(run);
        (orders > 0.0).then_some((run.run.block, count(run)? * run.seconds() / orders))
    };
    cell.runs.iter().filter_map(each).collect()
}

pub fn mean_of(cell: &CellEvidence, count: impl Fn(&RunEvidence) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = by_block(cell, count).into_values().collect();
    (!values.is_empty()).then(|| average(&values))
}
