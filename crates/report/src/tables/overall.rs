//! All tests of two cells as one row and those of each group as another, by the judge's median of their ratios: what a
//! suite of tests comes to, beside what each of them does.

use super::side::{Sides, down};
use super::{PastedCell, PastedGroup};
use crate::costs::{COLUMNS, told_to};
use model::Overall;
use model::estimate::QPS;

const GROUP: &str = "median of tests";
/// Two decimals are all that one test is worth; the median of many tells parts of a percent.
const DECIMALS: usize = 3;
/// How its rows are read.
pub const NOTE: &str = " Median of tests: of their ratios, by block, with the 95 % interval; =: the same within the \
                        margin; ?: undecided.";

struct Whole<'a> {
    name: String,
    /// Where the candidate stands on the axis across.
    column: usize,
    of: &'a Overall,
}

impl Whole<'_> {
    fn told(&self) -> String {
        let Overall { comparison, tests, of, .. } = self.of;
        let some = if tests == of { String::new() } else { format!(", {tests} of {of} tests") };
        format!("{}{some}", told_to(comparison, DECIMALS))
    }

    fn is_sure(&self) -> bool {
        self.of.comparison.is_sure()
    }
}

fn all<'a>(sides: &Sides<'a>) -> Vec<Whole<'a>> {
    let Some(axis) = sides.axis else { return Vec::new() };
    let whole = |of: &'a Overall| {
        let cell = sides.judgement.cells.iter().find(|cell| cell.id.to_string() == of.comparison.candidate)?;
        let column = axis.values.iter().position(|value| cell.axes.get(&axis.key) == Some(value))?;
        let name = format!("{}{}", of.group.as_deref().unwrap_or("all"), down(sides.record, cell, Some(axis)));
        Some(Whole { name, column, of })
    };
    sides.judgement.overall.iter().filter(|of| of.comparison.axis == axis.key).filter_map(whole).collect()
}

fn group(rows: Vec<Vec<PastedCell>>) -> Option<PastedGroup> {
    (!rows.is_empty()).then(|| PastedGroup { name: GROUP.into(), rows })
}

/// The rates, a row for each place on the axes that go down.
pub fn rates(sides: &Sides) -> Option<PastedGroup> {
    let of_rates: Vec<Whole> = all(sides).into_iter().filter(|whole| whole.of.comparison.metric == QPS).collect();
    // Each candidate has them all.
    let mut names: Vec<&str> = Vec::new();
    for whole in &of_rates {
        if !names.contains(&whole.name.as_str()) {
            names.push(&whole.name);
        }
    }
    let row = |name: &&str| {
        let cell = |column: usize| {
            let whole = of_rates.iter().find(|whole| whole.name == *name && whole.column == column);
            PastedCell::plain(whole.map_or("–".into(), Whole::told))
        };
        let others = (1..sides.columns().len()).map(cell);
        [PastedCell::plain(*name), PastedCell::plain("–")].into_iter().chain(others).collect()
    };
    group(names.iter().map(row).collect())
}

/// What is sure, a row for each candidate: the rate, and the cost that was decided.
pub fn sure(sides: &Sides) -> Option<PastedGroup> {
    let all = all(sides);
    let row = |rate: &Whole| {
        let is_beside = |other: &&Whole| {
            let (ours, theirs) = (&rate.of.comparison, &other.of.comparison);
            theirs.candidate == ours.candidate && theirs.metric != QPS && other.of.group == rate.of.group
        };
        let cost = all.iter().find(is_beside);
        if !rate.is_sure() && !cost.is_some_and(Whole::is_sure) {
            return None;
        }
        let head = |metric: &str| COLUMNS.iter().find(|(of, _)| *of == metric).map_or("", |(_, head)| head);
        let cost = cost.map_or("–".into(), |c| format!("{} {}", head(&c.of.comparison.metric), c.told()));
        let place = format!("{}, {}", rate.name, sides.columns()[rate.column]);
        Some([place, rate.told(), cost, "–".into()].map(PastedCell::plain).into())
    };
    group(all.iter().filter(|whole| whole.of.comparison.metric == QPS).filter_map(row).collect())
}
