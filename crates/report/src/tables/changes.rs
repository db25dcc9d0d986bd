//! What is sure: every test whose rate the judge decided to be another than the base's, the largest first, with what an
//! operation costs more or less there (decided too) and the findings that speak of it. What is not in this table was
//! the same, undecided, or not to be compared.

use super::form::pasted;
use super::overall;
use super::side::{Measured, Sides, Test, place};
use super::{Pasted, PastedCell, PastedGroup};
use crate::axes;
use crate::costs::{COLUMNS, told};
use model::record::kind::GROUPS;
use model::{Comparison, Finding};

const RATES: [&str; 2] = [model::estimate::QPS, model::estimate::KNEE];
/// Costs told of one test, the largest changes first.
const MOVED: usize = 4;

struct Change<'a> {
    test: String,
    group: &'static str,
    of: Measured<'a>,
    base: Measured<'a>,
    rate: &'a Comparison,
    /// Where it stands on the axis across.
    column: usize,
}

pub fn of(sides: &Sides) -> Option<Pasted> {
    let axis = sides.axis?;
    let mut all: Vec<Change> = sides.tests.iter().flat_map(|test| changes(sides, test)).collect();
    if !sides.judgement.comparisons.iter().any(|c| c.axis == axis.key && c.is_of_a_rate()) {
        return None;
    }
    let size = |change: &Change| change.rate.ratio.value.ln().abs();
    all.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let of_group = |group: &&str| {
        let rows = all.iter().filter(|change| change.group == *group).map(|change| row(sides, change)).collect();
        PastedGroup { name: (*group).to_string(), rows }
    };
    let whole = overall::sure(sides);
    let noted = if whole.is_some() { overall::NOTE } else { "" };
    let groups = whole.into_iter().chain(GROUPS.iter().map(of_group).filter(|group| !group.rows.is_empty())).collect();
    let base = sides.columns().first().cloned().unwrap_or_default();
    let heads = [format!("test, by {}", axis.key), format!("QPS ÷ {base}"), "per operation".into(), "finding".into()];
    let of_all = sides.tests.iter().map(|test| test.cells.iter().skip(1).flatten().count()).sum::<usize>();
    let name = &sides.record.plan.name;
    let title = format!("What changed for sure against {base} in {name}: {} of {of_all} rates.", all.len());
    let note = "In brackets the 95 % interval. Per operation: costs that changed for sure, ÷ base, the largest first. \
                Finding: what the judge explains it by, with its rung; –: nothing that it knows.";
    Some(pasted("changes", title, format!("{note}{noted}"), heads.into(), groups))
}

/// What is sure of one test.
fn changes<'a>(sides: &Sides<'a>, test: &Test<'a>) -> Vec<Change<'a>> {
    let Some(Some(base)) = test.cells.first() else { return Vec::new() };
    let others = test.cells.iter().enumerate().skip(1).filter_map(|(column, of)| Some((column, (*of)?)));
    let sure = others.filter_map(|(column, of)| {
        let rate = RATES.into_iter().find_map(|rate| of.compared(sides.judgement, base, rate))?;
        rate.is_sure().then(|| Change { test: test.name.clone(), group: test.group, of, base: *base, rate, column })
    });
    sure.collect()
}

fn row(sides: &Sides, change: &Change) -> Vec<PastedCell> {
    let value = place(sides, change.column).map_or(String::new(), |value| format!(", {}", axes::text(value)));
    let cells = [format!("{}{value}", change.test), told(change.rate), moved(sides, change), findings(sides, change)];
    cells.map(PastedCell::plain).into()
}

/// `CPU µs/op 1.12 (1.10–1.14), fsyncs/op 2.00 (1.98–2.02)`.
fn moved(sides: &Sides, change: &Change) -> String {
    let compared = |(metric, head): &(&str, &'static str)| {
        Some((*head, change.of.compared(sides.judgement, &change.base, metric).filter(|c| c.is_sure())?))
    };
    let mut costs: Vec<(&str, &Comparison)> = COLUMNS.iter().filter_map(compared).collect();
    let size = |c: &Comparison| c.ratio.value.ln().abs();
    costs.sort_by(|(_, a), (_, b)| size(b).total_cmp(&size(a)));
    let words: Vec<String> = costs.iter().take(MOVED).map(|(head, c)| format!("{head} {}", told(c))).collect();
    if words.is_empty() { "–".into() } else { words.join(", ") }
}

/// Findings that rest on the runs of this cell, and of its phases on this one or on none.
fn findings(sides: &Sides, change: &Change) -> String {
    let cell = change.of.cell;
    let rests_on = |finding: &&Finding| {
        let of_cell = |place: &String| *place == cell.id.to_string() || cell.runs.iter().any(|run| place.contains(run));
        finding.evidence.iter().any(of_cell)
    };
    let speaks_of = |finding: &&Finding| {
        let names = |phase: &str| finding.sentence.contains(&format!("`{phase}`"));
        let names_none = cell.phases.iter().all(|phase| !names(&phase.name));
        names_none || change.of.phase().is_some_and(names)
    };
    let all = sides.judgement.findings.iter().filter(rests_on).filter(speaks_of);
    let mut words: Vec<String> =
        all.map(|finding| format!("{} ({})", finding.name.replace('_', " "), finding.rung.words())).collect();
    words.dedup();
    if words.is_empty() { "–".into() } else { words.join(", ") }
}
