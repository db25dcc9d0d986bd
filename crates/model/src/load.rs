//! The pressure that users put on a server: closed (a fixed number of users, each waiting for its answer) or open
//! (operations arrive at a rate whether or not the server keeps up), and the phases that one run goes through.

use crate::units::{Nanos, Users};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    pub users: Users,
    /// `None` is a closed load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    pub io: Io,
    /// How long one exchange may take before the operation counts as failed by time-out.
    pub deadline: Nanos,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrivals {
    /// Operations per second over all users.
    pub rate: f64,
    pub process: Process,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    Constant,
    Poisson,
}

/// How the load talks to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Io {
    Auto,
    IoUring,
    Epoll,
}

/// One part of a run. A run is a sequence of phases; only phases that measure make numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    pub name: String,
    pub kind: PhaseKind,
    pub until: Until,
    /// The disturbance that acts during this phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseKind {
    WarmUp,
    Measure,
}

/// When a phase ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// After this time.
    Time(Nanos),
    /// After this many operations over all users.
    Count(u64),
}
