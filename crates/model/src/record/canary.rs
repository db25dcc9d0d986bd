//! What this machine's load can do at most and costs at least: the `noop` workload against a sham server in process
//! that answers at once. Measured once per machine and build of assay, and kept. A real server's rate near this
//! ceiling says more about the client than about the server (check `client_had_headroom`). Beside it: what each way to
//! the kernel reaches with few users, which is what `io = "auto"` chooses by.

use crate::load::{Io, Threads, Waiting};
use crate::plan::Cell;
use crate::units::Share;
use serde::{Deserialize, Deserializer, Serialize};
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
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "of_any_age")]
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

/// Which way `io = "auto"` takes at which number of users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Choice {
    /// Ascending in users; never empty.
    pub steps: Vec<Step>,
    /// Whose reaches it was chosen by.
    pub server: String,
}

/// One way, and up to how many users it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Step {
    /// Absent of the last, which is taken for all more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<u32>,
    pub io: Io,
    /// Where users do not have a thread each.
    #[serde(default)]
    pub threads: Threads,
}

/// A thread for each user costs more CPU where the rates are equal, so it must gain this much at its levels.
const GAIN: f64 = 1.03;
/// As much must epoll be ahead of io_uring: a choice that changes from day to day compares nothing.
const AHEAD: f64 = 1.05;
/// A change of ways is a kink in a curve over users, so what it gains at all the levels behind it together must be as
/// much as this at one. What a level reaches was measured to within some percent.
const CHANGE: f64 = 1.15;

impl Choice {
    /// One way for all.
    pub fn always(waiting: Waiting, server: &str) -> Self {
        Self { steps: vec![Step { up_to: None, io: waiting.io, threads: waiting.threads }], server: server.into() }
    }

    /// The way of a cell that leaves it open. Under arrivals idle users take turns at what comes, which those of one
    /// thread do without a lock, and which leaves the server its CPUs.
    pub fn waiting(&self, cell: &Cell) -> Waiting {
        let most = cell.stages().iter().map(|stage| stage.users().0).max().unwrap_or(cell.load.users.0);
        let is_open = cell.groups().iter().any(|group| group.arrivals.is_some());
        match cell.load.io {
            Io::Auto if is_open => Waiting { threads: Threads::One, ..self.for_users(u32::MAX) },
            Io::Auto => self.for_users(most),
            named => Waiting::by(named),
        }
    }

    pub fn for_users(&self, users: u32) -> Waiting {
        let step = self.steps.iter().find(|step| step.up_to.is_none_or(|most| users <= most)).or(self.steps.last());
        step.map_or(Waiting::by(Io::Auto), Step::waiting)
    }
}

impl Step {
    pub fn waiting(&self) -> Waiting {
        Waiting { io: self.io, threads: self.threads }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.steps.iter().enumerate() {
            let way = step.waiting();
            match step.up_to {
                Some(most) => write!(f, "up to {most} users {way}, ")?,
                None if at == 0 => write!(f, "{way} at every level, ")?,
                None => write!(f, "for more {way}, ")?,
            }
        }
        write!(f, "as measured with {}", self.server)
    }
}

/// A choice as records have it, those included that knew blocking threads for few users and one way for all more.
fn of_any_age<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Choice>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Told {
        Steps(Choice),
        Before {
            blocking_up_to: u32,
            above: Io,
            #[serde(default)]
            threads: Threads,
            server: String,
        },
    }
    Ok(Option::<Told>::deserialize(from)?.map(|told| match told {
        Told::Steps(choice) => choice,
        Told::Before { blocking_up_to, above, threads, server } => {
            let blocking = Step { up_to: Some(blocking_up_to), io: Io::Blocking, threads: Threads::PerCpu };
            let few = (blocking_up_to > 0).then_some(blocking);
            Choice { steps: few.into_iter().chain([Step { up_to: None, io: above, threads }]).collect(), server }
        }
    }))
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

    /// The choice that a server's reaches tell: of all ways by level those that reach most in all, each change paid
    /// for, so that one disturbed level does not decide. Between equals the way that was measured first is taken, a
    /// thread for each user last.
    pub fn choose(&self, server: &str) -> Option<Choice> {
        let (blocking, mut ways): (Vec<&Reach>, Vec<&Reach>) =
            self.of_server(server).partition(|reach| reach.io == Io::Blocking);
        let first = *ways.first()?;
        ways.extend(blocking);
        let has_ring = ways.iter().any(|way| way.io == Io::IoUring);
        let least = |way: &Reach| match way.io {
            Io::Blocking => GAIN.ln(),
            Io::Epoll if has_ring => AHEAD.ln(),
            Io::Auto | Io::IoUring | Io::Epoll => 0.0,
        };
        // What is gained over the first way, as a logarithm, by the best choice that ends with each way.
        let mut paths: Vec<(f64, Vec<usize>)> = vec![(0.0, Vec::new()); ways.len()];
        for point in &first.points {
            let before = paths.clone();
            for (way, path) in paths.iter_mut().enumerate() {
                let cost =
                    |last: &[usize]| if last.last().is_some_and(|last| *last != way) { CHANGE.ln() } else { 0.0 };
                let ends = before.iter().map(|(gained, last)| (gained - cost(last), last));
                // Of equals the one without a change, which stands at its own place, then the first.
                let own = (before[way].0, &before[way].1);
                let (gained, last) = ends.fold(own, |best, next| if next.0 > best.0 { next } else { best });
                let gain = ways[way].at(point.users).map_or(f64::NEG_INFINITY, |qps| (qps / point.qps).ln());
                *path = (gained + gain - least(ways[way]), last.iter().copied().chain([way]).collect());
            }
        }
        let (_, path) = paths.into_iter().reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        let taken: Vec<(u32, &Reach)> = first.points.iter().zip(path).map(|(p, way)| (p.users, ways[way])).collect();
        let mut steps: Vec<Step> = taken
            .chunk_by(|a, b| a.1.waiting() == b.1.waiting())
            .map(|same| {
                let (users, way) = same[same.len() - 1];
                Step { up_to: Some(users), io: way.io, threads: way.threads }
            })
            .collect();
        // Beyond what was measured nobody has a thread of their own.
        match steps.last_mut() {
            Some(last) if last.io != Io::Blocking => last.up_to = None,
            _ => steps.push(Step { up_to: None, io: first.io, threads: first.threads }),
        }
        Some(Choice { steps, server: server.into() })
    }
}

/// Statements per second at so many users.
pub fn qps_at(points: &[CanaryPoint], users: u32) -> Option<f64> {
    at(points, users, |point| point.qps)
}

/// CPUs that the load used for them.
pub fn cpus_at(points: &[CanaryPoint], users: u32) -> Option<f64> {
    at(points, users, |point| point.qps * point.client_cpu_us / 1e6)
}

/// Between points on a log scale, and beyond them as at the nearest.
fn at(points: &[CanaryPoint], users: u32, value: impl Fn(&CanaryPoint) -> f64) -> Option<f64> {
    let log = |users: u32| f64::from(users).ln();
    match points.iter().position(|p| p.users >= users) {
        None => points.last().map(value),
        Some(0) => Some(value(&points[0])),
        Some(i) => {
            let (low, high) = (&points[i - 1], &points[i]);
            let part = (log(users) - log(low.users)) / (log(high.users) - log(low.users));
            Some(value(low) + part * (value(high) - value(low)))
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

    fn chosen(reaches: &[(Io, &[f64])]) -> Option<Vec<(Option<u32>, Io)>> {
        let choice = canary(reaches).choose(SHAM)?;
        Some(choice.steps.iter().map(|step| (step.up_to, step.io)).collect())
    }

    #[test]
    fn the_change_lies_where_the_ways_cross_whatever_one_level_says() {
        let ring: &[f64] = &[15.0, 51.0, 75.0, 95.0, 99.0, 102.0];
        let crossed = Some(vec![(Some(8), Io::Blocking), (None, Io::IoUring)]);
        assert_eq!(chosen(&[(Io::IoUring, ring), (Io::Blocking, &[19.0, 110.0, 112.0, 105.0, 98.0, 88.0])]), crossed);
        let disturbed = &[14.0, 110.0, 112.0, 105.0, 98.0, 88.0];
        assert_eq!(chosen(&[(Io::IoUring, ring), (Io::Blocking, disturbed)]), crossed);
        let nearly = &[15.0, 51.0, 80.0, 95.0, 99.0, 102.0];
        let always = Some(vec![(None, Io::IoUring)]);
        assert_eq!(
            chosen(&[(Io::IoUring, ring), (Io::Blocking, nearly)]),
            always,
            "one level's 6 % are no two changes"
        );
        assert_eq!(chosen(&[(Io::IoUring, ring), (Io::Blocking, ring)]), always, "a tie costs CPU");
    }

    #[test]
    fn a_way_may_be_the_best_for_a_few_levels_between_others() {
        let ring: &[f64] = &[15.0, 51.0, 75.0, 95.0, 99.0];
        let epoll: &[f64] = &[15.0, 51.0, 95.0, 120.0, 90.0];
        let steps = chosen(&[(Io::IoUring, ring), (Io::Epoll, epoll), (Io::Blocking, &[20.0, 90.0, 70.0, 60.0, 50.0])]);
        assert_eq!(steps, Some(vec![(Some(2), Io::Blocking), (Some(8), Io::Epoll), (None, Io::IoUring)]));
    }

    #[test]
    fn where_a_ring_is_refused_epoll_is_what_remains() {
        let blocking_first = Some(vec![(Some(1), Io::Blocking), (None, Io::Epoll)]);
        assert_eq!(chosen(&[(Io::Epoll, &[1.0]), (Io::Blocking, &[2.0])]), blocking_first);
        assert_eq!(chosen(&[(Io::IoUring, &[1.0]), (Io::Epoll, &[1.04])]), Some(vec![(None, Io::IoUring)]));
        assert_eq!(chosen(&[]), None);
    }

    #[test]
    fn records_from_before_keep_their_choice() {
        let before = r#"{"machine":"m","io":"io_uring","points":[],"unix_ms":0,
            "choice":{"blocking_up_to":4,"above":"epoll","threads":"per_cpu","server":"s"}}"#;
        let canary: Canary = serde_json::from_str(before).expect("a canary of November 2026");
        let choice = canary.choice.expect("its choice");
        let text =
            "up to 4 users a blocking thread for each user, for more epoll on a thread per CPU, as measured with s";
        assert_eq!(choice.to_string(), text);
        let users = [1, 4, 5, 1000].map(|users| choice.for_users(users).io);
        assert_eq!(users, [Io::Blocking, Io::Blocking, Io::Epoll, Io::Epoll]);
    }

    #[test]
    fn between_levels_a_rate_is_read_off_a_line_over_the_logarithm() {
        let points = &canary(&[(Io::Epoll, &[10.0, 20.0, 40.0])]).reaches[0].points;
        assert_eq!([1, 2, 4, 9].map(|users| qps_at(points, users)), [10.0, 20.0, 40.0, 40.0].map(Some));
        assert!(qps_at(points, 3).is_some_and(|qps| qps > 30.0 && qps < 32.0));
    }
}
