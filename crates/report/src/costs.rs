//! Cells side by side on what an operation costs, as the judge compared them: the words and marks of its tables, and
//! the one of `report.md`. A row is a pair of cells, a column a metric, each with interval and verdict.

use crate::axes;
use model::{CellJudgement, Comparison, Judgement, Outcome, Plan};
use std::fmt::Write;

/// Metrics that a table has a column for, with its head.
pub const COLUMNS: &[(&str, &str)] = &[
    ("latency_us_p99", "p99 µs"),
    ("server_cpu_us_per_op", "CPU µs/op"),
    ("client_cpu_us_per_op", "client CPU µs/op"),
    ("server_switches_per_op", "switches/op"),
    ("page_reads_per_op", "page reads/op"),
    ("disk_reads_per_op", "disk reads/op"),
    ("read_kib_per_op", "read KiB/op"),
    ("written_kib_per_op", "written KiB/op"),
    ("log_kib_per_op", "log KiB/op"),
    ("fsyncs_per_op", "fsyncs/op"),
    ("answer_bytes_per_op", "answer bytes/op"),
];

/// How `told` is read.
pub const MARKS: &str = "In brackets the 95 % interval; =: the same within the margin; ?: undecided; without a mark \
                         the difference is decided.";

/// `1.12 (1.10–1.14)`, with a mark where it is not a decided difference.
pub fn told(comparison: &Comparison) -> String {
    told_to(comparison, 2)
}

/// The same to so many decimals.
pub fn told_to(comparison: &Comparison, decimals: usize) -> String {
    let ratio = &comparison.ratio;
    let interval = match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!(" ({low:.decimals$}–{high:.decimals$})"),
        (None | Some(_), _) => String::new(),
    };
    let mark = match comparison.outcome {
        Outcome::Better | Outcome::Worse | Outcome::Refused => "",
        Outcome::Equivalent => " =",
        Outcome::Undecided => " ?",
    };
    format!("{:.decimals$}{interval}{mark}", ratio.value)
}

/// The section of `report.md`; empty where nothing was compared but rates.
pub fn of(plan: &Plan, judgement: &Judgement) -> String {
    let all = &judgement.comparisons;
    let is_there = |metric: &str| all.iter().any(|c| c.metric == metric);
    let columns: Vec<&(&str, &str)> = COLUMNS.iter().filter(|(metric, _)| is_there(metric)).collect();
    if columns.is_empty() {
        return String::new();
    }
    let mut pairs: Vec<(&str, &str, Option<&str>)> = Vec::new();
    for comparison in all.iter().filter(|c| !c.is_of_a_rate()) {
        let pair = (comparison.candidate.as_str(), comparison.base.as_str(), comparison.phase.as_deref());
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let heads: Vec<&str> = columns.iter().map(|(_, head)| *head).collect();
    let mut text = format!(
        "\n## What an operation costs\n\nEach cell against its reference. {MARKS} ~~Struck~~: a check forbids the \
         comparison.\n\n| cells | QPS | {} |\n|---|--:|{}\n",
        heads.join(" | "),
        "--:|".repeat(heads.len())
    );
    let cell = |id: &str| judgement.cells.iter().find(|c| c.id.to_string() == id);
    let named = |id: &str| cell(id).map_or(String::new(), |c: &CellJudgement| format!(" ({})", axes::label(plan, c)));
    for (candidate, base, phase) in pairs {
        let of = |metric: &str| {
            let is_it = |c: &&Comparison| {
                c.metric == metric && c.candidate == candidate && c.base == base && c.phase.as_deref() == phase
            };
            all.iter().find(is_it).map_or("–".to_string(), struck)
        };
        let values: Vec<String> = ["qps"].into_iter().chain(columns.iter().map(|(m, _)| *m)).map(of).collect();
        let phase = phase.map_or(String::new(), |phase| format!(", phase {phase}"));
        let _ = writeln!(text, "| {candidate}{} ÷ {base}{phase} | {} |", named(candidate), values.join(" | "));
    }
    text
}

fn struck(comparison: &Comparison) -> String {
    match comparison.outcome {
        Outcome::Refused => format!("~~{}~~", told(comparison)),
        Outcome::Better | Outcome::Worse | Outcome::Equivalent | Outcome::Undecided => told(comparison),
    }
}
