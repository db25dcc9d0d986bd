//! A fast wrong answer is no answer. Workloads know what their statements must return (a point select within the table
//! its one row, a range as many rows as it spans), and count every answer that does not. One such answer fails the run:
//! it means lost rows, a wrong dataset or a misread protocol, and never noise.
//!
//! Some statements may find any number of rows (points that are drawn, rows that others delete meanwhile), and of those
//! a workload expects nothing. But one that found rows when it was tried before the run, and not a single one in all of
//! it, did other work than was meant: that fails, too, unless the load itself deletes from the table where it looks.

use crate::frame::{Applies, Check, Doubts, Look, RunEvidence, Seen, Sight};
use model::verdict::Status;
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "answers_were_expected",
    claim: || "no answer broke an expectation of the workload".into(),
    source: include_str!("answers_were_expected.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "look at the dataset (data_as_generated) and at the statement's plan in the record before believing any number",
    look: Look::Run(look),
};

fn look(run: &RunEvidence) -> Sight {
    let calls = run.calls();
    if calls == 0 {
        return Err("no statement was answered".into());
    }
    let unexpected: u64 = run.statements().map(|(_, s)| s.unexpected).sum();
    let worst = run.statements().max_by_key(|(_, s)| s.unexpected).map_or("", |(name, _)| name);
    if let Some((statement, calls)) = empty(run) {
        let sentence = format!(
            "Not one of {calls} answers of `{statement}` had a row, where the same statement found some before the run."
        );
        return Ok(Seen::new(Status::Fail, format!("0 rows in {calls} answers"), "0 answers", sentence));
    }
    let (status, sentence) = match unexpected {
        0 => (Status::Pass, format!("All {calls} answers were as the workload expects them.")),
        n => (
            Status::Fail,
            format!(
                "{n} of {calls} answers were not what the workload expects, most of them of `{worst}`: the rate counts wrong answers.{}",
                evicted(run)
            ),
        ),
    };
    Ok(Seen::new(status, format!("{unexpected} answers"), "0 answers", sentence))
}

/// The fewest answers of which none having a row is no accident: where half of them have one, one in a million.
const TRIED: u64 = 20;

/// A statement that found rows before the run and never in it, with how often it was asked.
fn empty<'a>(run: &'a RunEvidence) -> Option<(&'a str, u64)> {
    let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (name, statement) in run.statements() {
        let (calls, rows) = sums.entry(name.as_str()).or_default();
        (*calls, *rows) = (*calls + statement.calls, *rows + statement.rows);
    }
    let found = |name: &str| {
        run.run.session.plans.iter().any(|plan| plan.statement == name && plan.rows > 0 && !plan.answers.is_empty())
    };
    let never = |(name, (calls, rows)): &(&str, (u64, u64))| {
        *calls >= TRIED && *rows == 0 && found(name) && !deleted_by_the_load(run, name)
    };
    sums.into_iter().find(never).map(|(name, (calls, _))| (name, calls))
}

/// Whether another statement of the load deletes from the table that this one reads: some loads delete and never bring
/// back, and find nothing in the end.
fn deleted_by_the_load(run: &RunEvidence, name: &str) -> bool {
    let plans = || run.run.session.plans.iter();
    let emptied = plans().filter_map(|plan| plan.sql.strip_prefix("DELETE FROM ")?.split_whitespace().next());
    let reads = |table: &str| {
        let from = format!("FROM {table} ");
        plans().any(|plan| plan.statement == name && format!("{} ", plan.sql).contains(&from))
    };
    emptied.into_iter().any(reads)
}

/// A cache that is full drops keys, and who asks for them misses.
fn evicted(run: &RunEvidence) -> String {
    let dropped = run.growth("memcached.evictions").map(|g| g.delta).filter(|dropped| *dropped > 0.0);
    dropped.map_or(String::new(), |n| format!(" The cache was full and dropped {n} keys meanwhile, maybe not ours."))
}
