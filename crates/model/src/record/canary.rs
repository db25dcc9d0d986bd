//! What this machine's load can do at most and costs at least: the `noop` workload against a sham server in process
//! that answers at once. Measured once per machine and build of assay, and kept. A real server's rate near this
//! ceiling says more about the client than about the server (check `client_had_headroom`). Beside it: what each way to
//! the kernel reaches with few users, which is what `io = "auto"` chooses by.

use crate::load::{Io, Threads, Waiting};
use crate::plan::Cell;
use crate::units::Share;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Canary {
    /// CPU model, count, kernel and assay revision that it was measured with.
    pub machine: String,
    /// `io_uring` or `epoll`.
    pub io: String,
    /// Ascending in users.
    pub points: Vec<CanaryPoint>,
    pub unix_ms: u64,
    /// CPU time of the machine that others took meanwhile; `None` in ceilings from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Share>,
    /// By server and way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reaches: Vec<Reach>,
    /// What a record's runs with `io = "auto"` went by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct CanaryPoint {
    pub users: u32,
    /// Statements per second that the load reached.
    pub qps: f64,
    /// Client CPU per statement, microseconds.
    pub client_cpu_us: f64,
    /// Median latency, microseconds.
    pub latency_us_p50: f64,
}

/// What one way to the kernel reaches with the cheapest request of a server that has a thread for each session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Reach {
    /// A build, or [`SHAM`].
    pub server: String,
    pub io: Io,
    /// Where users do not have a thread each.
    #[serde(default)]
    pub threads: Threads,
    /// Ascending in users.
    pub points: Vec<CanaryPoint>,
    pub unix_ms: u64,
}

/// The sham server with a thread for each session.
pub const SHAM: &str = "sham";

/// Which way `io = "auto"` takes: one for few users and one for more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Choice {
    /// Up to so many users each has a thread that blocks; 0: none.
    pub blocking_up_to: u32,
    pub above: Io,
    /// How many threads the way above takes.
    #[serde(default)]
    pub threads: Threads,
    /// Whose reaches it was chosen by.
    pub server: String,
}

/// A thread for each user costs more CPU where the rates are equal, so it must gain this much.
const GAIN: f64 = 1.03;
/// As much must epoll be ahead of io_uring: a choice that changes from day to day compares nothing.
const AHEAD: f64 = 1.05;

impl Choice {
    /// The way of a cell that leaves it open. Under arrivals idle users take turns at what comes, which those of one
    /// thread do without a lock, and which leaves the server its CPUs.
    pub fn waiting(&self, cell: &Cell) -> Waiting {
        let most = cell.stages().iter().map(|stage| stage.users().0).max().unwrap_or(cell.load.users.0);
        let is_open = cell.groups().iter().any(|group| group.arrivals.is_some());
        match cell.load.io {
            Io::Auto if is_open => Waiting { io: self.above, threads: Threads::One },
            Io::Auto => self.for_users(most),
            named => Waiting::by(named),
        }
    }

    pub fn for_users(&self, users: u32) -> Waiting {
        if users <= self.blocking_up_to { Waiting::by(Io::Blocking) } else { self.above() }
    }

    fn above(&self) -> Waiting {
        Waiting { io: self.above, threads: self.threads }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let above = self.above();
        match self.blocking_up_to {
            0 => write!(f, "{above} at every level, as measured with {}", self.server),
            most => write!(
                f,
                "up to {most} users each by a thread that blocks, more by {above}, as measured with {}",
                self.server
            ),
        }
    }
}

impl Reach {
    pub fn waiting(&self) -> Waiting {
        Waiting { io: self.io, threads: self.threads }
    }

    fn at(&self, users: u32) -> Option<f64> {
        self.points.iter().find(|point| point.users == users).map(|point| point.qps)
    }
}

impl Canary {
    /// What the ways reach with a server.
    pub fn of_server<'a>(&'a self, server: &'a str) -> impl Iterator<Item = &'a Reach> {
        self.reaches.iter().filter(move |reach| reach.server == server)
    }

    /// The choice that a server's reaches tell: of all ways for many users, and of all numbers of users up to which
    /// each has a thread that blocks, those that lose least over all levels, so that one disturbed level does not
    /// decide. Between equals the way that was measured first is taken.
    pub fn choose(&self, server: &str) -> Option<Choice> {
        let blocking = self.of_server(server).find(|reach| reach.io == Io::Blocking);
        let ways: Vec<&Reach> = self.of_server(server).filter(|reach| reach.io != Io::Blocking).collect();
        let first = *ways.first()?;
        let levels: Vec<u32> = first.points.iter().map(|point| point.users).collect();
        // How much more than the first way another reaches at a level, as a logarithm.
        let gain = |reach: &Reach, users: &u32| Some((reach.at(*users)? / first.at(*users)?).ln());
        let has_ring = ways.iter().any(|way| way.io == Io::IoUring);
        let mut best = (0.0, 0, first);
        for way in ways {
            let least = if has_ring && way.io == Io::Epoll { AHEAD.ln() } else { 0.0 };
            for few in 0..=levels.len() {
                let (below, above) = levels.split_at(few);
                let below: Option<f64> = below.iter().map(|users| Some(gain(blocking?, users)? - GAIN.ln())).sum();
                let above: Option<f64> = above.iter().map(|users| Some(gain(way, users)? - least)).sum();
                let Some(gained) = below.zip(above).map(|(below, above)| below + above) else { continue };
                if gained > best.0 {
                    best = (gained, few, way);
                }
            }
        }
        let (_, few, above) = best;
        let blocking_up_to = few.checked_sub(1).map_or(0, |last| levels[last]);
        Some(Choice { blocking_up_to, above: above.io, threads: above.threads, server: server.into() })
    }
}

/// Statements per second at so many users: between points on a log scale, and beyond them as at the nearest.
pub fn qps_at(points: &[CanaryPoint], users: u32) -> Option<f64> {
    let log = |users: u32| f64::from(users).ln();
    match points.iter().position(|p| p.users >= users) {
        None => points.last().map(|p| p.qps),
        Some(0) => Some(points[0].qps),
        Some(i) => {
            let (low, high) = (&points[i - 1], &points[i]);
            let part = (log(users) - log(low.users)) / (log(high.users) - log(low.users));
            Some(low.qps + part * (high.qps - low.qps))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canary(reaches: &[(Io, &[f64])]) -> Canary {
        let point =
            |(i, qps): (usize, &f64)| CanaryPoint { users: 1 << i, qps: *qps, client_cpu_us: 1.0, latency_us_p50: 1.0 };
        let reach = |(io, rates): &(Io, &[f64])| Reach {
            server: SHAM.into(),
            io: *io,
            threads: Threads::PerCpu,
            points: rates.iter().enumerate().map(point).collect(),
            unix_ms: 0,
        };
        Canary {
            machine: "m".into(),
            io: "io_uring".into(),
            points: Vec::new(),
            unix_ms: 0,
            others: None,
            reaches: reaches.iter().map(reach).collect(),
            choice: None,
        }
    }

    fn chosen(reaches: &[(Io, &[f64])]) -> Option<(u32, Io)> {
        canary(reaches).choose(SHAM).map(|choice| (choice.blocking_up_to, choice.above))
    }

    #[test]
    fn the_change_lies_where_the_ways_cross_whatever_one_level_says() {
        let ring: &[f64] = &[15.0, 51.0, 75.0, 95.0, 99.0];
        assert_eq!(
            chosen(&[(Io::IoUring, ring), (Io::Blocking, &[19.0, 110.0, 112.0, 105.0, 98.0])]),
            Some((8, Io::IoUring))
        );
        let disturbed = &[14.0, 110.0, 112.0, 105.0, 98.0];
        assert_eq!(chosen(&[(Io::IoUring, ring), (Io::Blocking, disturbed)]), Some((8, Io::IoUring)));
        assert_eq!(chosen(&[(Io::IoUring, ring), (Io::Blocking, ring)]), Some((0, Io::IoUring)), "a tie costs CPU");
    }

    #[test]
    fn where_a_ring_is_refused_epoll_is_what_remains() {
        assert_eq!(chosen(&[(Io::Epoll, &[1.0]), (Io::Blocking, &[2.0])]), Some((1, Io::Epoll)));
        assert_eq!(chosen(&[(Io::IoUring, &[1.0]), (Io::Epoll, &[1.04])]), Some((0, Io::IoUring)));
        assert_eq!(chosen(&[]), None);
    }

    #[test]
    fn between_levels_a_rate_is_read_off_a_line_over_the_logarithm() {
        let points = &canary(&[(Io::Epoll, &[10.0, 20.0, 40.0])]).reaches[0].points;
        assert_eq!([1, 2, 4, 9].map(|users| qps_at(points, users)), [10.0, 20.0, 40.0, 40.0].map(Some));
        assert!(qps_at(points, 3).is_some_and(|qps| qps > 30.0 && qps < 32.0));
    }
}
