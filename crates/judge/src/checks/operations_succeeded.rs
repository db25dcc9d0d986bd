//! A server that refuses work is fast. A TPC-C study once ran for weeks while every New-Order was rolled back by a
//! column that could not be NULL, and its throughput looked better than before. So operations that failed are counted
//! by their error, and so are those that had to be tried again.
//!
//! It fails when an operation was attempted and never done, when more than 1 % of its attempts failed, when any error
//! came that trying again cannot mend (everything but deadlocks and lock waits), or when a whole run of the cell
//! failed. Retries above 5 % warn: the rate is then lower than the work that the server did. The sentence says what the
//! rate of operations done (goodput) was, and the share of all tries that were work for nothing.

use crate::frame::limits::Limits;
use crate::frame::{Applies, CellEvidence, Check, Doubts, Limit, Look, Seen, Sight};
use model::errors::{RETRYABLE, is_named_in, shown};
use model::units::round3;
use model::{OperationTally, Share, Status};
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "operations_succeeded",
    claim: || {
        format!(
            "every operation was done, fewer than {FAILED} of its attempts failed, and none by an error that retrying cannot mend"
        )
    },
    source: include_str!("operations_succeeded.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[FAILED, RETRIED],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "read the server's message, mend its cause, and run again",
    look: Look::Cell(look),
};

const FAILED: Limit =
    Limit::share("failed", 0.01, "of attempts, per kind of operation; the rate is then right in two digits").law();
const RETRIED: Limit =
    Limit::share("retried", 0.05, "of attempts; the server then did visibly more work than is counted").convention();

fn look(cell: &CellEvidence) -> Sight {
    let (most_failed, most_retried) = (cell.limits.share(&FAILED), cell.limits.share(&RETRIED));
    let limit = format!("{most_failed} failed, {most_retried} retried");
    if let Some((run, reason)) = cell.failed().next() {
        let sentence = format!("Run {} of this cell failed: {reason}.", run.id);
        return Ok(
            Seen::new(Status::Fail, "a failed run", limit, sentence).at(vec![format!("runs/{}/run.json", run.id)])
        );
    }
    let mut operations: BTreeMap<String, Attempts> = BTreeMap::new();
    for (group, share) in cell.runs.iter().flat_map(|r| r.groups()) {
        for (name, operation) in share.operations() {
            let name = if cell.own_groups().is_empty() { name.clone() } else { format!("{}: {name}", group.name) };
            operations.entry(name).or_default().add(operation);
        }
    }
    if operations.values().all(|o| o.attempted() == 0) {
        return Ok(Seen::new(Status::Fail, "0 operations", limit, "Not one operation ended while it was measured."));
    }
    let seconds: f64 = cell.runs.iter().map(|r| r.seconds()).sum();
    let worst =
        operations.iter().max_by_key(|(name, o)| (o.seen(name, seconds, cell.limits).0, o.failures() + o.retries()));
    let worst = worst.map(|(name, o)| o.seen(name, seconds, cell.limits));
    let (status, measured, sentence) = worst.expect("at least one operation was attempted");
    Ok(Seen::new(status, measured, limit, sentence))
}

#[derive(Default)]
struct Attempts<'a> {
    done: u64,
    rolled_back: u64,
    retried: BTreeMap<u32, u64>,
    failed: BTreeMap<u32, u64>,
    messages: BTreeMap<u32, &'a str>,
}

impl<'a> Attempts<'a> {
    fn add(&mut self, operation: &'a OperationTally) {
        self.done += operation.done;
        self.rolled_back += operation.rolled_back;
        for (sum, part) in [(&mut self.retried, &operation.retried), (&mut self.failed, &operation.failed)] {
            part.iter().for_each(|(error, count)| *sum.entry(*error).or_default() += count);
        }
        self.messages.extend(operation.messages.iter().map(|(error, text)| (*error, text.as_str())));
    }
    fn failures(&self) -> u64 {
        self.failed.values().sum()
    }
    fn attempted(&self) -> u64 {
        self.done + self.rolled_back + self.failures()
    }
    fn retries(&self) -> u64 {
        self.retried.values().sum()
    }
    /// Status, measured value, sentence.
    fn seen(&self, name: &str, seconds: f64, limits: Limits) -> (Status, String, String) {
        let share = |count: u64| Share(count as f64 / self.attempted().max(1) as f64);
        let (failed, retried) = (share(self.failures()), share(self.retries()));
        let lasting = self.failed.iter().filter(|(e, n)| **n > 0 && !RETRYABLE.contains(e)).max_by_key(|(_, n)| **n);
        let errors = lasting.or_else(|| self.failed.iter().max_by_key(|(_, n)| **n));
        let error = errors.map_or(String::new(), |(number, count)| {
            let times = if *count == 1 { "once".into() } else { format!("{count} times") };
            format!(" ({}, {times})", told(*number, self.messages.get(number).copied()))
        });
        if self.attempted() > 0 && self.done == 0 {
            return (
                Status::Fail,
                "0 done".into(),
                format!("Not one `{name}` of {} was done{error}: this is the rate of refusals.", self.attempted()),
            );
        }
        if lasting.is_some() || failed.0 > limits.of(&FAILED) {
            let sentence = format!("{failed} of `{name}` failed{error}: the rate counts work that was not done.");
            return (Status::Fail, format!("{failed} failed"), sentence);
        }
        if retried.0 > limits.of(&RETRIED) {
            let tries = self.attempted() + self.retries();
            let vain = Share((self.retries() + self.failures()) as f64 / tries.max(1) as f64);
            let most = self.retried.iter().max_by_key(|(_, n)| **n).map_or(String::new(), |(e, _)| shown(*e));
            let goodput = round3(self.done as f64 / seconds);
            let sentence = format!(
                "Operations of `{name}` were tried again {} times, {retried} of their number, most after {most}: goodput was {goodput} per second, and {vain} of all tries were work for nothing.",
                self.retries()
            );
            return (Status::Warn, format!("{retried} retried"), sentence);
        }
        let sentence = match (self.failures(), self.retries()) {
            (0, 0) => format!("All {} `{name}` were done at the first try.", self.attempted()),
            _ => format!(
                "{} of {} `{name}` were done; {failed} failed, {retried} were tried again.",
                self.done,
                self.attempted()
            ),
        };
        (Status::Pass, format!("{failed} failed"), sentence)
    }
}

/// Details and rows are on lines of their own.
fn told(number: u32, message: Option<&str>) -> String {
    let message = message.and_then(|message| message.lines().next()).unwrap_or("no message");
    let cause = match number {
        _ if is_named_in(message, number) => return message.into(),
        0 => "lost connection".into(),
        1 => "time-out of ours".into(),
        error => format!("error {error}"),
    };
    if message.starts_with(&cause) { message.into() } else { format!("{cause}: {message}") }
}
