//! One group's counts and histograms over a stretch of time. A tally is summed over workers, seconds and groups, and
//! merging parts gives the whole, error counters included.

use super::course::Course;
use super::gaps::Gaps;
use crate::histogram::Histogram;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// By operation name.
    pub operations: BTreeMap<String, OperationTally>,
    /// By statement name (class of statements, as `point_selects`).
    pub statements: BTreeMap<String, StatementTally>,
    /// Executions of what a script sends beside its work, as definitions of tables, by text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub aside: BTreeMap<String, u64>,
    /// Transactions committed and rolled back as the client saw them acknowledged.
    #[serde(default)]
    pub commits: u64,
    #[serde(default)]
    pub rollbacks: u64,
    /// Sessions opened: first ones, those that the load wants anew, and those after a break.
    #[serde(default)]
    pub connects: u64,
    /// Sessions opened again after they broke.
    #[serde(default)]
    pub reconnects: u64,
    /// From the wish for a connection until the server has let the user in, of sessions opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_time: Option<Histogram>,
    /// Under a load whose operations have intended starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalTally>,
    /// How late operations were sent by the load's own fault: after their intended start and after a user was free for
    /// them. Under loads that wait for moments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag: Option<Histogram>,
    /// `None` when nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gaps: Option<Gaps>,
    /// How an interval of one worker went within itself; a sum has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub course: Option<Course>,
    /// What the workload counts beside its statements, as sums of money or lines of orders, by its own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, i64>,
}

/// Intended starts. What is due and not begun is the backlog: that of a phase's end is the difference summed up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrivalTally {
    pub due: u64,
    pub begun: u64,
    /// The most that waited for a user at one worker at once.
    pub most_waiting: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OperationTally {
    pub done: u64,
    /// Rolled back by design of the workload.
    #[serde(default)]
    pub rolled_back: u64,
    /// Given up, by error number (0: lost connection, 1: time-out of ours).
    #[serde(default)]
    pub failed: BTreeMap<u32, u64>,
    /// Tried again after a retryable error, by error number.
    #[serde(default)]
    pub retried: BTreeMap<u32, u64>,
    /// The first message of each failure number.
    #[serde(default)]
    pub messages: BTreeMap<u32, String>,
    /// From the intended start (open load) or the actual start (closed load) to the last byte, of operations done.
    pub latency: Histogram,
    /// From the actual start; absent under a closed load, where it is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Histogram>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StatementTally {
    /// Answered without error.
    pub calls: u64,
    #[serde(default)]
    pub failed: BTreeMap<u32, u64>,
    /// The first message of each failure number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub messages: BTreeMap<u32, String>,
    /// Rows returned.
    pub rows: u64,
    /// Rows the server reports as changed.
    #[serde(default)]
    pub affected: u64,
    /// Answers that broke an expectation of the workload (a point select without its row).
    #[serde(default)]
    pub unexpected: u64,
    /// Warnings that the server counted in its answers.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warnings: u64,
    /// Bytes of the answers, packet headers included.
    pub bytes: u64,
    /// From send to last byte.
    pub service: Histogram,
}

/// One second (or the remainder of a phase) of one group: a line of `runs/<id>/intervals.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Since the start of the run's first phase.
    pub from: Nanos,
    pub to: Nanos,
    pub phase: String,
    pub group: String,
    pub tally: Tally,
}

fn add(into: &mut BTreeMap<u32, u64>, from: &BTreeMap<u32, u64>) {
    for (k, n) in from {
        *into.entry(*k).or_default() += n;
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Tally {
    pub fn merge(&mut self, other: &Self) {
        for (name, part) in &other.operations {
            self.operations.entry(name.clone()).or_default().merge(part);
        }
        for (name, part) in &other.statements {
            self.statements.entry(name.clone()).or_default().merge(part);
        }
        for (text, calls) in &other.aside {
            *self.aside.entry(text.clone()).or_default() += calls;
        }
        self.commits += other.commits;
        self.rollbacks += other.rollbacks;
        self.connects += other.connects;
        self.reconnects += other.reconnects;
        if let Some(theirs) = &other.connect_time {
            self.connect_time.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.arrivals {
            self.arrivals.get_or_insert_default().merge(*theirs);
        }
        if let Some(theirs) = &other.lag {
            self.lag.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.gaps {
            self.gaps.get_or_insert_default().merge(theirs);
        }
        for (name, amount) in &other.facts {
            *self.facts.entry(name.clone()).or_default() += amount;
        }
    }
    /// Keeps the counts.
    pub fn forget_latencies(&mut self) {
        for operation in self.operations.values_mut() {
            (operation.latency, operation.service) = (Histogram::default(), None);
        }
        self.statements.values_mut().for_each(|statement| statement.service = Histogram::default());
    }
    /// Operations done, over all names.
    pub fn done(&self) -> u64 {
        self.operations.values().map(|o| o.done).sum()
    }
    pub fn failed(&self) -> u64 {
        self.operations.values().flat_map(|o| o.failed.values()).sum()
    }
    /// Statements answered, with or without error.
    pub fn statements_answered(&self) -> u64 {
        self.statements.values().map(|s| s.calls + s.failed.values().sum::<u64>()).sum()
    }
}

impl ArrivalTally {
    fn merge(&mut self, other: Self) {
        self.due += other.due;
        self.begun += other.begun;
        self.most_waiting = self.most_waiting.max(other.most_waiting);
    }
}

impl OperationTally {
    pub fn merge(&mut self, other: &Self) {
        self.done += other.done;
        self.rolled_back += other.rolled_back;
        add(&mut self.failed, &other.failed);
        add(&mut self.retried, &other.retried);
        for (k, text) in &other.messages {
            self.messages.entry(*k).or_insert_with(|| text.clone());
        }
        self.latency.merge(&other.latency);
        if let Some(theirs) = &other.service {
            self.service.get_or_insert_default().merge(theirs);
        }
    }
}

impl StatementTally {
    pub fn merge(&mut self, other: &Self) {
        self.calls += other.calls;
        add(&mut self.failed, &other.failed);
        for (k, text) in &other.messages {
            self.messages.entry(*k).or_insert_with(|| text.clone());
        }
        self.rows += other.rows;
        self.affected += other.affected;
        self.unexpected += other.unexpected;
        self.warnings += other.warnings;
        self.bytes += other.bytes;
        self.service.merge(&other.service);
    }
}

impl Interval {
    pub fn length(&self) -> Nanos {
        Nanos(self.to.0 - self.from.0)
    }
}
