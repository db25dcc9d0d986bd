//! What each rank of a run's load did and was, where several processes drove it: how far its clock was from the
//! leader's, when its users began, how busy its workers were, how late its timers, what its users waited. One load is
//! only as good as its worst rank, and a sum hides which that is (checks `ranks_were_fit`, `ranks_agree`).

use super::way::Way;
use crate::histogram::Histogram;
use crate::units::{Nanos, Share};
use serde::{Deserialize, Serialize};

/// One rank's part of one run; rank 0 leads, and its clock is the record's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankRecord {
    pub rank: u32,
    /// What its machine is called, and its process there.
    pub host: String,
    pub pid: u32,
    /// It shares the leader's machine.
    pub is_beside_leader: bool,
    pub users: u32,
    /// Threads of its users, and the CPUs that each keeps to one of; without any they are free.
    pub workers: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<u32>,
    /// `None` for the leader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<RankClock>,
    /// How far its first interval began from the moment that was agreed on, in nanoseconds of the leader's clock; later
    /// is more.
    pub start_skew_ns: i64,
    /// From the first user's connect to the last one's leave: all its workers, and the busiest of them.
    pub worker_cpu: Nanos,
    pub busiest_worker: Nanos,
    pub lived: Nanos,
    /// CPU time that other machines took of its machine meanwhile; `None` where no time passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen: Option<Share>,
    pub timer_error: Histogram,
    pub scheduling: String,
    /// All operations of measured phases, from the intended start where there is one.
    pub latency: Histogram,
    /// The cheapest request from its machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
}

/// A rank's clock beside the leader's, before the users came and after they left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankClock {
    /// How far it was ahead, and by how much that may be wrong.
    pub ahead_before_ns: i64,
    pub within_before: Nanos,
    pub ahead_after_ns: i64,
    pub within_after: Nanos,
    /// Nanoseconds a second by which it gained meanwhile; what was within the error of the two counts too.
    pub drift_ns_per_s: f64,
}

impl RankRecord {
    /// How it is called wherever somebody reads of it.
    pub fn name(&self) -> String {
        format!("rank {} on {} (process {})", self.rank, self.host, self.pid)
    }

    /// Another load of the same run, as another stage is.
    pub fn merge(&mut self, other: &Self) {
        self.users = self.users.max(other.users);
        self.workers = self.workers.max(other.workers);
        if let (Some(clock), Some(later)) = (&mut self.clock, other.clock) {
            *clock = RankClock { ahead_before_ns: clock.ahead_before_ns, within_before: clock.within_before, ..later };
        }
        if other.start_skew_ns.abs() > self.start_skew_ns.abs() {
            self.start_skew_ns = other.start_skew_ns;
        }
        self.worker_cpu.0 += other.worker_cpu.0;
        self.busiest_worker.0 += other.busiest_worker.0;
        self.lived.0 += other.lived.0;
        self.stolen = match (self.stolen, other.stolen) {
            (Some(one), Some(two)) => Some(Share(one.0.max(two.0))),
            (one, two) => one.or(two),
        };
        self.timer_error.merge(&other.timer_error);
        self.latency.merge(&other.latency);
        if let (Some(way), Some(later)) = (&mut self.way, &other.way) {
            way.after = later.after;
        }
    }
}
