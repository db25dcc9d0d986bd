//! What an operation costs: its tail, CPU of server and client, context switches, pages and bytes read and written,
//! syncs, each divided by the operations done in the same time. Then the same relative to the base, as studies of
//! regressions publish it, because a cost moves where a rate is capped by something else: with its interval and whether
//! it was decided, as the judge compared the two cells.

use super::form::pasted;
use super::side::{Sides, Test, is_struck, place};
use super::{Pasted, PastedCell};
use crate::axes;
use crate::costs::{COLUMNS, MARKS, told};
use crate::figures::three;
use model::{CellJudgement, Comparison};

pub fn of(sides: &Sides) -> Option<Pasted> {
    let has = |cell: &&CellJudgement| COLUMNS.iter().any(|(metric, _)| counted(cell, metric).is_some());
    // A tail is no cost that was read of a server.
    let any = sides.tests.iter().flat_map(|test| test.cells.iter().flatten()).any(|cell| {
        has(cell) && COLUMNS.iter().filter(|(m, _)| m.ends_with("_per_op")).any(|(m, _)| cell.metrics.contains_key(*m))
    });
    if !any {
        return None;
    }
    let groups = sides.grouped(|test| rows(sides, test));
    let heads = ["test".to_string()].into_iter().chain(COLUMNS.iter().map(|(_, head)| (*head).to_string())).collect();
    let base = sides.axis.map_or(String::new(), |axis| {
        format!(", then relative to {} {}", axis.key, sides.columns().first().map_or("", String::as_str))
    });
    let title = format!("What an operation of {} costs{base}.", sides.record.plan.name);
    let note =
        format!("Struck: a check failed, the number does not count. –: not read, or nothing to divide by. {MARKS}");
    Some(pasted("cost", title, note, heads, groups))
}

fn counted(cell: &CellJudgement, metric: &str) -> Option<f64> {
    cell.metrics.get(metric).map(|estimate| estimate.value)
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
    for (column, cell) in test.cells.iter().enumerate() {
        if let Some(cell) = cell {
            let values = COLUMNS.iter().map(|(metric, _)| counted(cell, metric).map(three)).collect();
            push(named(column), is_struck(cell), values);
        }
    }
    let Some(Some(base)) = test.cells.first() else { return rows };
    for (column, cell) in test.cells.iter().enumerate().skip(1) {
        if let Some(cell) = cell {
            let ratios = COLUMNS.iter().map(|(metric, _)| relative(sides, base, cell, metric)).collect();
            push(format!("{} ÷ base", named(column)), is_struck(base) || is_struck(cell), ratios);
        }
    }
    rows
}

/// As the judge compared the two; the plain quotient where it did not, as of cells that it compares phase by phase.
fn relative(sides: &Sides, base: &CellJudgement, cell: &CellJudgement, metric: &str) -> Option<String> {
    let is_this = |c: &&Comparison| {
        c.metric == metric && c.phase.is_none() && c.base == base.id.to_string() && c.candidate == cell.id.to_string()
    };
    if let Some(comparison) = sides.judgement.comparisons.iter().find(is_this) {
        return Some(told(comparison));
    }
    let of_base = counted(base, metric).filter(|base| *base > 0.0)?;
    Some(format!("{:.2}", counted(cell, metric)? / of_base))
}
