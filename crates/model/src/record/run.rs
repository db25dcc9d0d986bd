//! One execution of one cell, as it ended: `runs/<id>/run.json`, written last and at once, so that its presence says
//! that the run is over. A failed run is a result with a reason and with everything measured until then.

use super::answer::SessionAnswer;
use super::around::Around;
use super::audit::Audit;
use super::disturbance::DisturbanceRecord;
use super::explain::Explain;
use super::profile::Profile;
use super::ranks::RankRecord;
use super::start::StartingState;
use super::state::States;
use super::tally::Tally;
use crate::histogram::Histogram;
use crate::load::PhaseKind;
use crate::plan::{CellId, RunId};
use crate::search::Trial;
use crate::seed::Seed;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    pub schema: u32,
    pub id: RunId,
    pub cell: CellId,
    pub repetition: u32,
    pub block: u32,
    /// Position in the order in which runs were carried out, over all sessions of the lab.
    pub position: u32,
    pub seed: Seed,
    /// The level that a run of a search took, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
    /// What the instruments of an explain run saw. Such a run makes no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
    /// How a profile run was sampled; its stacks lie beside this file. Such a run makes no number either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    pub ending: Ending,
    /// Milliseconds since 1970 (UTC).
    pub started_unix_ms: u64,
    pub ended_unix_ms: u64,
    /// Key of the instance and dataset; `None` when the run ended before it had one.
    pub instance: Option<String>,
    pub dataset: Option<String>,
    /// The keys of further datasets, where groups need different ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more_datasets: Vec<String>,
    /// `io_uring`, `epoll` or `blocking`, as chosen.
    pub io: String,
    pub workers: u32,
    /// CPUs that the load ran on.
    pub load_cpus: Vec<u32>,
    /// What a session of the first group, or the first stage, was found to be.
    pub session: SessionAnswer,
    /// The same of further groups that do other work than the first, by name; of further stages by their first phase,
    /// asked when it began.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub more_sessions: BTreeMap<String, SessionAnswer>,
    /// `None` for a run without data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<StartingState>,
    /// What held when its users came and when they had left; `None` for a run that had none, and in records from
    /// before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<States>,
    pub phases: Vec<PhaseRecord>,
    /// Looked at outside the window; `None` for a run that had no users, and in records from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<Around>,
    /// From before the first user connected until after the last one left, when the server was quiet at both ends, so
    /// that what the client sent and what the server counted must be equal to the last one (check `counts_agree`).
    #[serde(default)]
    pub whole: WholeRun,
    /// Each rank's part, where several drove it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankRecord>,
    /// What the data say of the run, by dataset; empty for workloads that ask nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audits: Vec<Audit>,
}

/// Totals over all phases, connecting and draining included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WholeRun {
    /// Requests that servers count as Questions: texts and executions, plumbing included; not prepare, close, ping.
    pub questions: u64,
    pub commits: u64,
    pub rollbacks: u64,
    /// Rows that the users were sent, plumbing included.
    pub rows: u64,
    /// Warnings in the answers to the workload's statements; `None` in records from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<u64>,
    /// Statements that write, as INSERT, answered or refused, and rows that they changed; `None` in records from
    /// before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<Writes>,
    /// Sessions of users that were opened, those of them that replaced a broken one, and how long opening took.
    #[serde(default)]
    pub connects: u64,
    #[serde(default)]
    pub reconnects: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_time: Option<Histogram>,
    /// Where there are several stages, they grew over these together: what the lab asks between two of them is left
    /// out.
    pub counters: BTreeMap<String, Ends>,
    /// What the server owed when the load was over; `None` where nobody waited for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<Drain>,
    /// How late the load's timers woke it, whatever they were set for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timer_error: Option<Histogram>,
    /// `real time` when the kernel granted it to workers whose users wait for moments, else `ordinary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduling: Option<String>,
}

/// How long a server that has no users any more went on paying for what they had done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drain {
    /// From the end of the load.
    pub took: Nanos,
    /// All of it was paid; else that was not so when the time was up.
    pub is_over: bool,
    /// Gauges of what is owed: before the load, at its end, and at last.
    pub owed: BTreeMap<String, [f64; 3]>,
}

/// How a server came to rest while nobody worked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    pub took: Nanos,
    /// Every gauge came down to its mark; else that was not so when the time was up.
    pub is_over: bool,
    /// What is owed: when the phase began, at last, and the most at which it is at rest.
    pub gauges: BTreeMap<String, [f64; 3]>,
    /// Why the server was not helped to it, where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unaided: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writes {
    pub statements: u64,
    /// `None` where what servers answer counts something else, as for upserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
}

impl Default for Writes {
    fn default() -> Self {
        Self { statements: 0, rows: Some(0) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Done,
    Failed {
        reason: String,
    },
    /// Could not be asked of this server, as a charset that it lacks.
    Skipped {
        reason: String,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseRecord {
    pub name: String,
    pub kind: PhaseKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb: Option<String>,
    /// What it did, where it was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbance: Option<DisturbanceRecord>,
    /// How the server came to rest, in a phase that is for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Since the start of the run's first phase.
    pub from: Nanos,
    pub to: Nanos,
    /// Whole-phase sums by group of users; a run without groups has one called `users`.
    pub groups: BTreeMap<String, GroupRecord>,
    /// Readings at the two ends of a measured phase, by metric name. Absent metrics were not measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, Ends>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupRecord {
    pub users: u32,
    pub workload: String,
    pub tally: Tally,
}

/// A metric at the beginning and the end of a phase, with the moments at which it was read. On disk `[begin, end,
/// begin_at, end_at]`, because a run has a thousand of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(f64, f64, Nanos, Nanos)", into = "(f64, f64, Nanos, Nanos)")]
pub struct Ends {
    pub begin: f64,
    pub end: f64,
    /// Since the start of the run's first phase.
    pub begin_at: Nanos,
    pub end_at: Nanos,
}

impl From<(f64, f64, Nanos, Nanos)> for Ends {
    fn from((begin, end, begin_at, end_at): (f64, f64, Nanos, Nanos)) -> Self {
        Self { begin, end, begin_at, end_at }
    }
}

impl From<Ends> for (f64, f64, Nanos, Nanos) {
    fn from(e: Ends) -> Self {
        (e.begin, e.end, e.begin_at, e.end_at)
    }
}

impl Ends {
    pub fn delta(&self) -> f64 {
        self.end - self.begin
    }
    pub fn seconds(&self) -> f64 {
        Nanos(self.end_at.0.saturating_sub(self.begin_at.0)).seconds()
    }
}

impl PhaseRecord {
    pub fn length(&self) -> Nanos {
        Nanos(self.to.0 - self.from.0)
    }
    /// All groups together.
    pub fn tally(&self) -> Tally {
        let mut all = Tally::default();
        for group in self.groups.values() {
            all.merge(&group.tally);
        }
        all
    }
    pub fn users(&self) -> u32 {
        self.groups.values().map(|g| g.users).sum()
    }
    /// The growth of a counter over the phase; `None` when it was not measured.
    pub fn delta(&self, metric: &str) -> Option<f64> {
        self.counters.get(metric).map(Ends::delta)
    }
}

impl RunRecord {
    /// Phases that make numbers.
    pub fn measured(&self) -> impl Iterator<Item = &PhaseRecord> {
        self.phases.iter().filter(|p| !self.is_beside() && p.kind == PhaseKind::Measure)
    }
    /// It tells where time went, and makes no number.
    pub fn is_beside(&self) -> bool {
        self.explain.is_some() || self.profile.is_some()
    }
    pub fn is_done(&self) -> bool {
        self.ending == Ending::Done
    }
}
