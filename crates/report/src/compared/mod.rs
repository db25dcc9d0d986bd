//! Two records side by side in the forms that people and machines read: a table for a terminal, Markdown for a pull
//! request, JUnit for a build server. Which rows break a limit is handed in; nothing is decided here.

mod junit;
mod markdown;
mod text;

pub use junit::junit;
pub use markdown::markdown;
pub use text::text;

use crate::figures::three;
use model::compared::{Difference, Row};
use model::{Compared, Estimate, Outcome};
use std::collections::BTreeMap;

/// By the number of its row: the limit that it breaks, as it was written.
pub type Broken = BTreeMap<usize, String>;

/// The heads of the columns, and each row's cells.
const HEADS: [&str; 6] = ["cell", "metric", "base", "candidate", "ratio", "verdict"];

fn cells(row: &Row, broken: Option<&String>) -> [String; 6] {
    let [base, candidate] = &row.values;
    let limit = broken.map_or(String::new(), |limit| format!(", breaks {limit}"));
    let why = if row.why.is_empty() { String::new() } else { format!(": {}", row.why) };
    [
        row.cell.clone(),
        format!("{} ({})", row.metric, base.unit),
        three(base.value),
        three(candidate.value),
        ratio(&row.ratio),
        format!("{}{limit}{why}", verdict(row)),
    ]
}

fn ratio(ratio: &Estimate) -> String {
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!("{:.3} ({low:.3} to {high:.3}, n={})", ratio.value, ratio.n),
        (Some(_) | None, _) => format!("{:.3} (n={})", ratio.value, ratio.n),
    }
}

/// What a row is called: one that its runs alone suggest says what.
fn verdict(row: &Row) -> String {
    row.suggests.map_or_else(|| word(row.outcome).into(), |outcome| format!("suggests {}", word(outcome)))
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Better => "better",
        Outcome::Worse => "worse",
        Outcome::Equivalent => "equivalent",
        Outcome::Undecided => "undecided",
        Outcome::Refused => "refused",
    }
}

/// How many of each verdict, and how many limits are broken.
fn summary(compared: &Compared, broken: &Broken) -> String {
    let all = [Outcome::Better, Outcome::Worse, Outcome::Equivalent, Outcome::Undecided, Outcome::Refused];
    let count = |outcome: Outcome| compared.rows.iter().filter(|r| r.outcome == outcome).count();
    let counts = all.into_iter().filter(|o| count(*o) > 0).map(|o| format!("{} {}", count(o), word(o)));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let limits = if broken.is_empty() { String::new() } else { format!("; limits broken: {}", broken.len()) };
    if counts.is_empty() { "Nothing could be compared.".into() } else { format!("{counts}{limits}.") }
}

/// What the rows stand on, where it is more than two records.
fn stands_on(compared: &Compared) -> Option<String> {
    compared.again.map(|pairs| format!("{pairs} pairs of records, made in turn: each pair is one ratio."))
}

/// Longer values are cut: a plan or a list of modes fills a screen.
const LONGEST: usize = 60;

pub(crate) fn difference(difference: &Difference, pairs: usize) -> String {
    let Difference { key, base, candidate, work, pairs: of } = difference;
    let cut = |text: &str| -> String {
        let start: String = text.chars().take(LONGEST).collect();
        if start.is_empty() {
            "(empty)".into()
        } else if start == text {
            start
        } else {
            start + "…"
        }
    };
    let work = if *work { ", other work" } else { "" };
    let some = if *of > 0 && *of as usize != pairs { format!(", in {of} of {pairs} pairs") } else { String::new() };
    format!("{key}: {} → {}{work}{some}", cut(base), cut(candidate))
}

/// Pairs of cells that were compared.
fn pairs(compared: &Compared) -> usize {
    let mut pairs: Vec<_> = compared.rows.iter().map(|r| (&r.base, &r.candidate)).collect();
    pairs.sort();
    pairs.dedup();
    pairs.len()
}
