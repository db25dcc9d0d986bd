//! The table of rates: the first column absolute and the others relative to it in two decimals, as plain quotients of
//! the numbers shown; what all tests come to is the judge's.

use super::form::pasted;
use super::overall;
use super::side::{Sides, Test};
use super::{Pasted, PastedCell};
use crate::figures::three;

/// The rate of a test: the first of these that its cells have.
const RATES: [&str; 3] = ["knee_rate", "qps", "ops_per_s"];

pub fn of(sides: &Sides) -> Option<Pasted> {
    let cells = || sides.tests.iter().flat_map(|test| test.cells.iter().flatten());
    let rate = RATES.into_iter().find(|rate| cells().any(|of| of.metrics().contains_key(*rate)))?;
    let unit = cells().find_map(|of| of.metrics().get(rate)).map_or("", |estimate| estimate.unit.as_str());
    let columns = sides.columns();
    let heads = match sides.axis {
        Some(axis) => {
            let first = [format!("test, by {}", axis.key), format!("{} ({unit})", columns[0])];
            first.into_iter().chain(columns[1..].iter().map(|column| format!("{column} ÷ {}", columns[0]))).collect()
        }
        None => vec!["test".into(), format!("{rate} ({unit})")],
    };
    let whole = overall::rates(sides);
    let noted = if whole.is_some() { overall::NOTE } else { "" };
    let groups = whole.into_iter().chain(sides.grouped(|test| vec![row(test, rate)])).collect();
    let relative = if sides.axis.is_some() { ", the others relative to the first column" } else { "" };
    let title = format!("{rate} of {}: the first column absolute{relative}.", sides.record.plan.name);
    let note = "Struck: a check failed, the number does not count. ≥, ≤: the client was in the way of one side, so the \
                server would have shown more, or less; ?: of both. –: not measured.";
    Some(pasted("qps", title, format!("{note}{noted}"), heads, groups))
}

fn row(test: &Test, rate: &str) -> Vec<PastedCell> {
    let base = test.cells[0].and_then(|of| Some((of, of.value(rate)?)));
    let first = base.map_or(PastedCell::plain("–"), |(of, value)| {
        let mark = if of.is_lower_bound() { "≥ " } else { "" };
        PastedCell { text: format!("{mark}{}", three(value)), struck: of.is_struck() }
    });
    let others = test.cells[1..].iter().map(|of| {
        let (Some((base, denominator)), Some(of)) = (base, of) else { return PastedCell::plain("–") };
        let Some(numerator) = of.value(rate).filter(|_| denominator > 0.0) else { return PastedCell::plain("–") };
        let mark = match (base.is_lower_bound(), of.is_lower_bound()) {
            (false, false) => "",
            (false, true) => "≥ ",
            (true, false) => "≤ ",
            (true, true) => "? ",
        };
        let struck = base.is_struck() || of.is_struck();
        PastedCell { text: format!("{mark}{:.2}", numerator / denominator), struck }
    });
    [PastedCell::plain(test.name.clone()), first].into_iter().chain(others).collect()
}
