//! What each rank of a run's load did and was, where several processes drove it: how far its clock was from the
//! leader's, when its users began, how busy its workers were, how late its timers, what its users waited. One load is
//! only as good as its worst rank, and a sum hides which that is (checks `ranks_were_one_load`, `ranks_agree`).

use super::way::Way;
use crate::histogram::Histogram;
use crate::units::{Bytes, Nanos, Share};
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
    /// What went over the network cards of its machine meanwhile; `None` where nobody counted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    /// What carries its way; `None` where that is a Unix socket, loopback or an address of its own machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<Interface>,
    pub timer_error: Histogram,
    pub scheduling: String,
    /// All operations of measured phases, from the intended start where there is one.
    pub latency: Histogram,
    /// The cheapest request from its machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
}

/// The network interface that carries a rank's way to the server, where that leaves its machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    pub name: String,
    /// The NUMA node that its card is attached to, where somebody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// CPUs on which the card's interrupts may run; without any these are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub irq_cpus: Vec<u32>,
}

impl Interface {
    /// The CPUs that its interrupts may take from workers who may use these.
    pub fn shared_with(&self, cpus: &[u32]) -> Vec<u32> {
        self.irq_cpus.iter().copied().filter(|cpu| cpus.contains(cpu)).collect()
    }
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

/// What went over the network cards of a rank's machine, from before its users came until they had left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    pub time: Nanos,
    pub received: Bytes,
    pub sent: Bytes,
    /// Bytes per second and direction of all cards; `None` where one of them does not state its speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Bytes>,
    /// TCP segments sent, and sent again.
    pub segments: u64,
    pub segments_again: u64,
}

impl Traffic {
    /// Bytes per second in the fuller direction.
    pub fn fuller(&self) -> Option<f64> {
        (self.time.0 > 0).then(|| self.received.0.max(self.sent.0) as f64 / self.time.seconds())
    }

    fn add(&mut self, other: &Self) {
        self.time.0 += other.time.0;
        self.received.0 += other.received.0;
        self.sent.0 += other.sent.0;
        self.link = other.link.or(self.link);
        self.segments += other.segments;
        self.segments_again += other.segments_again;
    }
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
        match (&mut self.traffic, &other.traffic) {
            (Some(traffic), Some(later)) => traffic.add(later),
            (None, later) => self.traffic = *later,
            (Some(_), None) => {}
        }
        if let Some(interface) = &other.interface {
            self.interface = Some(interface.clone());
        }
        self.timer_error.merge(&other.timer_error);
        self.latency.merge(&other.latency);
        if let (Some(way), Some(later)) = (&mut self.way, &other.way) {
            way.after = later.after;
        }
    }
}
