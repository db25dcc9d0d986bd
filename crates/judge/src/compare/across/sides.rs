//! Which side moved. An experiment that compares two cells has a ratio of theirs in each record, and that ratio moves
//! when either of them does: a study of five releases saw a feature become cheaper, and it was the reference that had
//! become dearer. So where the ratio of two cells of one record is another in the other record, the rows of both say
//! whose change it is: the reference is the control of what is compared with it. Both intervals count, so that noise of
//! one side is not called a move.

use super::{Matched, Pair};
use crate::compare::comparisons::{CURVE, MARGIN, of_answers};
use crate::frame::naming::value as name;
use crate::frame::{Evidence, pairs};
use model::compared::{Moved, Row};
use model::{Outcome, Share};

/// What the comparisons that the base makes within itself say on this metric.
pub fn all(base: &Evidence, matched: &[Pair], rows: &[Matched], metric: &str) -> Vec<Moved> {
    let pairs = pairs::all(base).into_iter().filter(|p| p.axis.rsplit('.').next() != Some(CURVE));
    let both = pairs
        .filter(|p| [p.base, p.candidate].iter().all(|side| matched.iter().any(|m| m.base.cell.id == side.cell.id)));
    both.flat_map(|pair| {
        let of = |id: &model::plan::CellId| {
            rows.iter().filter(move |m| m.row.metric == metric && m.row.base == *id).collect::<Vec<_>>()
        };
        let (references, subjects) = (of(&pair.base.cell.id), of(&pair.candidate.cell.id));
        let phases = references.into_iter().filter_map(|reference| {
            let subject = subjects.iter().find(|subject| subject.phase == reference.phase)?;
            moved(&pair, reference, subject)
        });
        phases.collect::<Vec<_>>()
    })
    .collect()
}

fn moved(pair: &pairs::Pair, reference: &Matched, subject: &Matched) -> Option<Moved> {
    let (one, other) = (&reference.row, &subject.row);
    let ratio = of_answers(&one.ratio, &other.ratio)?;
    let is_sure = ratio.low > Some(1.0) || ratio.high < Some(1.0);
    let is_compared = [one, other].iter().all(|row| row.outcome != Outcome::Refused);
    if !is_sure || !is_compared || (ratio.value - 1.0).abs() <= MARGIN.0 {
        return None;
    }
    let word = |row: &Row| {
        let cell = if row.base == one.base { pair.base } else { pair.candidate };
        name(pair.axis, &cell.cell.axes[pair.axis])
    };
    let (first, second) = (word(one), word(other));
    let within = |i: usize| format!("{:.3}", other.values[i].value / one.values[i].value);
    let whose = match (has_moved(one), has_moved(other)) {
        (true, true) => format!("both moved: {first} {}, {second} {}", by(one), by(other)),
        (true, false) => format!("{first} {}, and {second} {}", by(one), held(other)),
        (false, true) => format!("{second} {}, and {first} {}", by(other), held(one)),
        (false, false) => "which of the two moved is undecided".into(),
    };
    let phase = reference.phase.map_or(String::new(), |phase| format!(" in phase `{phase}`"));
    Some(Moved {
        metric: one.metric.clone(),
        axis: pair.axis.into(),
        reference: one.base.clone(),
        subject: other.base.clone(),
        sentence: format!(
            "{second} ÷ {first} of {}{phase} went from {} to {}: {whose}.",
            one.workload,
            within(0),
            within(1)
        ),
        ratio,
    })
}

/// What the runs say. What differs between two days is in both rows of a record alike, and in the ratio of neither
/// pair.
fn said(row: &Row) -> Outcome {
    row.suggests.unwrap_or(row.outcome)
}

fn has_moved(row: &Row) -> bool {
    matches!(said(row), Outcome::Better | Outcome::Worse)
}

fn by(row: &Row) -> String {
    let word = if row.ratio.value > 1.0 { "rose" } else { "fell" };
    format!("{word} by {}", Share((row.ratio.value - 1.0).abs()))
}

fn held(row: &Row) -> &'static str {
    if said(row) == Outcome::Equivalent { "did not" } else { "is not known to have moved" }
}
