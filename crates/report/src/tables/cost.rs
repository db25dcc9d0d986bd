//! What an operation costs: its tail, CPU of server and client, context switches, pages and bytes read and written,
//! syncs, each divided by the operations done in the same time; beside them the longest operation and the server's
//! memory and size on disk. Then the same relative to the base, as studies of regressions publish it, because a cost
//! moves where a rate is capped by something else: with its interval and whether it was decided, as the judge compared
//! the two.

use super::form::pasted;
use super::side::{Measured, Sides, Test, place};
use super::{Pasted, PastedCell};
use crate::axes;
use crate::costs::{COLUMNS, MARKS, told};
use crate::figures::three;

const MIB: f64 = 1_048_576.0;
/// Told of each side and not compared: the largest of all latencies is of one operation, and sizes are of none.
const BESIDE: [(&str, &str, f64); 3] = [
    ("latency_us_max", "max µs", 1.0),
    ("server_memory_bytes", "server MiB", 1.0 / MIB),
    ("server_disk_bytes", "disk MiB", 1.0 / MIB),
];

pub fn of(sides: &Sides) -> Option<Pasted> {
    // A tail is no cost that was read of a server.
    let is_read = |of: &Measured| COLUMNS.iter().any(|(m, _)| m.ends_with("_per_op") && of.value(m).is_some());
    let any = sides.tests.iter().flat_map(|test| test.cells.iter().flatten()).any(is_read);
    if !any {
        return None;
    }
    let groups = sides.grouped(|test| rows(sides, test));
    let heads = COLUMNS.iter().map(|(_, head)| *head).chain(BESIDE.iter().map(|(_, head, _)| *head));
    let heads = ["test"].into_iter().chain(heads).map(str::to_string).collect();
    let base = sides.axis.map_or(String::new(), |axis| {
        format!(", then relative to {} {}", axis.key, sides.columns().first().map_or("", String::as_str))
    });
    let title = format!("What an operation of {} costs{base}.", sides.record.plan.name);
    let note =
        format!("Struck: a check failed, the number does not count. –: not read, or nothing to divide by. {MARKS}");
    Some(pasted("cost", title, note, heads, groups))
}

fn rows(sides: &Sides, test: &Test) -> Vec<Vec<PastedCell>> {
    let mut rows = Vec::new();
    let mut push = |name: String, struck: bool, values: Vec<Option<String>>| {
        let cell = |text: Option<String>| text.map_or(PastedCell::plain("–"), |text| PastedCell { text, struck });
        rows.push([PastedCell::plain(name)].into_iter().chain(values.into_iter().map(cell)).collect());
    };
    let named = |column: usize| match place(sides, column) {
        Some(value) => format!("{}, {}", test.name, axes::text(value)),
        None => test.name.clone(),
    };
    for (column, of) in test.cells.iter().enumerate() {
        if let Some(of) = of {
            let costs = COLUMNS.iter().map(|(metric, _)| of.value(metric).map(three));
            let beside = BESIDE.iter().map(|(metric, _, unit)| of.value(metric).map(|value| three(value * unit)));
            let values = costs.chain(beside).collect();
            push(named(column), of.is_struck(), values);
        }
    }
    let Some(Some(base)) = test.cells.first() else { return rows };
    for (column, of) in test.cells.iter().enumerate().skip(1) {
        if let Some(of) = of {
            let metrics = COLUMNS.iter().map(|(metric, _)| *metric).chain(BESIDE.iter().map(|(metric, ..)| *metric));
            let ratios = metrics.map(|metric| relative(sides, base, of, metric)).collect();
            push(format!("{} ÷ base", named(column)), base.is_struck() || of.is_struck(), ratios);
        }
    }
    rows
}

/// As the judge compared the two; the plain quotient where it did not.
fn relative(sides: &Sides, base: &Measured, of: &Measured, metric: &str) -> Option<String> {
    if let Some(comparison) = of.compared(sides.judgement, base, metric) {
        return Some(told(comparison));
    }
    let of_base = base.value(metric).filter(|base| *base > 0.0)?;
    Some(format!("{:.2}", of.value(metric)? / of_base))
}
