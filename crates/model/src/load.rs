//! The pressure that users put on a server: closed (a fixed number of users, each waiting for its answer) or open
//! (operations arrive at a rate whether or not the server keeps up), and the phases that one run goes through.

use crate::errors::Errors;
use crate::rate::Rate;
use crate::units::{Nanos, Users};
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// The users of all groups together; arrivals and pauses are then each group's own.
    pub users: Users,
    /// `None` is a closed load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// What a user of a closed load does between two operations; `None`: it begins the next at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
    /// How the users reach a private server; `None`: by its socket, and as its DSN says where a server was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    pub io: Io,
    /// How long one exchange may take before the operation counts as failed by time-out, and connecting before the run
    /// does.
    pub deadline: Nanos,
    /// Each user opens its session anew after so many operations; `None`: it keeps the one it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconnect_every: Option<u64>,
    #[serde(default, skip_serializing_if = "Errors::is_default")]
    pub errors: Errors,
    /// How long the lab waits at most, when the load is over, until the server owes no more than before it; `None`: not
    /// at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<Nanos>,
    /// Whether counters are read once a second; at the ends of phases they are read anyway.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub sampling: bool,
}

impl Load {
    /// Users who begin their next operation when the last has ended, and nothing else.
    pub fn closed(users: Users, deadline: Nanos) -> Self {
        Self {
            users,
            arrivals: None,
            pause: None,
            transport: None,
            io: Io::Auto,
            deadline,
            reconnect_every: None,
            errors: Errors::default(),
            drain: None,
            sampling: true,
        }
    }
}

fn yes() -> bool {
    true
}
fn is_yes(flag: &bool) -> bool {
    *flag
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrivals {
    pub rate: Rate,
    pub process: Process,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pause {
    /// From the end of each operation to the begin of the next. A user's first pause is a random part of one, so that
    /// users do not begin together.
    Think {
        mean: Nanos,
        distribution: Distribution,
        /// The mean after operations that have their own, by name.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        by_operation: BTreeMap<String, Nanos>,
        /// What comes on top for operations that are keyed in, always as long; it counts with the pause behind its
        /// operation, so that a user's next one may still be drawn late.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        keying: BTreeMap<String, Nanos>,
    },
    /// From one intended start to the next of the same user, the users evenly apart; who comes late begins at once, and
    /// latency counts from the intended start.
    Pace { every: Nanos },
}

/// How pauses differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    Constant,
    Exponential,
}

impl Distribution {
    pub const WORDS: &[&str] = &["constant", "exponential"];

    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    Poisson,
    Constant,
}

impl Process {
    pub const WORDS: &[&str] = &["poisson", "constant"];

    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

/// How bytes travel between a user and its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// A Unix socket.
    Unix,
    /// TCP over loopback.
    Tcp,
    /// TLS over TCP over loopback, the server's certificate and name verified.
    Tls,
}

impl Transport {
    pub const ALL: [Self; 3] = [Self::Unix, Self::Tcp, Self::Tls];
    pub const WORDS: &[&str] = &["unix", "tcp", "tls"];

    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|transport| transport.word() == word)
    }
}

/// How the load talks to the kernel: with a thread for each user that blocks in send and receive, or with few threads
/// that hold many users each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Io {
    Auto,
    Blocking,
    IoUring,
    Epoll,
}

impl Io {
    pub const ALL: [Self; 4] = [Self::Auto, Self::Blocking, Self::IoUring, Self::Epoll];
    pub const WORDS: &[&str] = &["auto", "blocking", "io_uring", "epoll"];

    /// As files and records say it.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|io| io.word() == word)
    }
}

/// On how many threads the load holds its users, where they do not have one each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Threads {
    /// As on CPUs that were shared with the server, in records that do not say it.
    #[default]
    One,
    PerCpu,
}

/// How users wait for their answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub io: Io,
    pub threads: Threads,
}

impl Waiting {
    pub const fn by(io: Io) -> Self {
        Self { io, threads: Threads::PerCpu }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let io = self.io.word();
        match (self.io, self.threads) {
            (Io::Blocking, _) => f.write_str("a blocking thread for each user"),
            (_, Threads::PerCpu) => write!(f, "{io} on a thread per CPU"),
            (_, Threads::One) => write!(f, "{io} on one thread"),
        }
    }
}

/// What is done per operation: a workload and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Work {
    pub workload: String,
    pub parameters: BTreeMap<String, Value>,
}

/// Users of one run who do the same work in the same rhythm, counted apart from the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub name: String,
    pub work: Work,
    pub users: Users,
    /// As in a load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Pause>,
}

/// One part of a run. A run is a sequence of phases; only phases that measure make numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    pub name: String,
    pub kind: PhaseKind,
    pub until: Until,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb: Option<Disturb>,
    /// Where phases differ in what is done; `None`: what the cell's users do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// Where it is not done by all users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub users: Option<Users>,
    /// Where users of one phase do different things, or in different rhythms, side by side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
}

/// What is done to the instance during a phase, on purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disturb {
    pub name: String,
    /// Every parameter of the disturbance, defaults filled in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PhaseKind {
    WarmUp,
    Measure,
}

impl PhaseKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::WarmUp => "warm_up",
            Self::Measure => "measure",
        }
    }
}

/// When a phase ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// After this time.
    Time(Nanos),
    /// After this many operations over all users of all groups.
    Count(u64),
    /// When the server is at rest, or after this time at most: nobody works in it.
    Rest(Nanos),
}

impl Phase {
    /// One without anything beside the load.
    pub fn new(name: impl Into<String>, kind: PhaseKind, until: Until) -> Self {
        Self { name: name.into(), kind, until, disturb: None, work: None, users: None, groups: Vec::new() }
    }

    /// How long the server may take to come to rest, where that is what it is for.
    pub fn rest(&self) -> Option<Nanos> {
        match self.until {
            Until::Rest(most) => Some(most),
            Until::Time(_) | Until::Count(_) => None,
        }
    }
    /// Whether it says for itself what is done.
    pub fn is_staged(&self) -> bool {
        self.work.is_some() || !self.groups.is_empty()
    }
    /// The work that it names, its own or that of its groups.
    pub fn works(&self) -> impl Iterator<Item = &Work> {
        self.work.iter().chain(self.groups.iter().map(|group| &group.work))
    }
    /// The name without the number of its iteration, and that number.
    pub fn step(&self) -> (&str, Option<u32>) {
        step_of(&self.name)
    }
}

/// A phase's name without the number of its iteration, and that number: an author's names have no dots.
pub fn step_of(phase: &str) -> (&str, Option<u32>) {
    match phase.rsplit_once('.') {
        Some((step, iteration)) => (step, iteration.parse().ok()),
        None => (phase, None),
    }
}

impl Group {
    /// The name of the users of a run without groups.
    pub const ONLY: &str = "users";

    /// Whether operations have an intended start that does not depend on answers.
    pub fn is_scheduled(&self) -> bool {
        self.arrivals.is_some() || matches!(self.pause, Some(Pause::Pace { .. }))
    }
}

impl Pause {
    /// How long a user pauses for an operation of that name, keying and thinking on average.
    pub fn after(&self, operation: &str) -> Option<Nanos> {
        match self {
            Self::Think { mean, by_operation, .. } => {
                let thinking = by_operation.get(operation).copied().unwrap_or(*mean);
                Some(Nanos(thinking.0 + self.keying(operation).0))
            }
            Self::Pace { .. } => None,
        }
    }
    /// The part of that which is always as long.
    pub fn keying(&self, operation: &str) -> Nanos {
        match self {
            Self::Think { keying, .. } => keying.get(operation).copied().unwrap_or(Nanos(0)),
            Self::Pace { .. } => Nanos(0),
        }
    }
}

impl std::fmt::Display for Disturb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        let parameters: Vec<_> = self.parameters.iter().map(|(name, value)| format!("{name} {value}")).collect();
        if parameters.is_empty() { Ok(()) } else { write!(f, " ({})", parameters.join(", ")) }
    }
}

impl std::fmt::Display for Arrivals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.rate, self.process)
    }
}

impl std::fmt::Display for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Constant => "evenly apart",
            Self::Poisson => "at random (Poisson)",
        })
    }
}

impl std::fmt::Display for Pause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Think { mean, distribution, by_operation, keying } => {
                let (on_average, how) = match distribution {
                    Distribution::Constant => ("", ""),
                    Distribution::Exponential => (" on average", " (exponential)"),
                };
                by_operation.iter().try_for_each(|(name, own)| write!(f, "{own} after {name}, "))?;
                let others = if by_operation.is_empty() { "each" } else { "any other" };
                write!(f, "{mean}{on_average} after {others} operation{how}")?;
                keying.iter().try_for_each(|(name, time)| write!(f, ", {time} to key in {name}"))
            }
            Self::Pace { every } => write!(f, "an operation of each user every {every}"),
        }
    }
}
