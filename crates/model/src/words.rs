//! The vocabulary that an experiment may use. Workloads, settings, disturbances and builds are known in other rooms;
//! they hand their words in as values, so that the experiment is checked against everything that exists and this room
//! still depends on nothing.

use crate::load::Disturb;
use crate::protocol::Protocol;
use crate::value::Value;
use std::collections::BTreeMap;

/// What a parameter or setting accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Flag,
    /// A whole number within the bounds, both included.
    Count {
        min: i64,
        max: i64,
    },
    Real {
        min: f64,
        max: f64,
    },
    /// A size, written as `512 MiB` or a number of bytes; kept as `Value::Count` of bytes.
    Size,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
}

/// What a difference in this key means between two compared cells (the classes of check `parameters_agree`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Defines what is done per operation.
    Work,
    /// Defines what the data are; also part of a dataset's identity.
    Data,
    /// A setting of the server.
    Server,
}

/// One knob of a workload, or one word for a setting of a server.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
    /// As it would be written in the file; `None` when the experiment must say it or the server's own default holds.
    pub default: Option<Literal>,
    pub class: Class,
    /// One sentence: what it changes.
    pub why: &'static str,
}

/// A default that can stand in a `const` table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    Flag(bool),
    Count(i64),
    Real(f64),
    Text(&'static str),
}

impl Literal {
    pub fn value(self) -> Value {
        match self {
            Self::Flag(b) => Value::Flag(b),
            Self::Count(n) => Value::Count(n),
            Self::Real(x) => Value::Real(x),
            Self::Text(s) => Value::Text(s.to_string()),
        }
    }
}

/// One workload as an experiment sees it.
#[derive(Clone, Copy, Debug)]
pub struct WorkloadWords {
    /// `family.member`, or the family's name alone when it has one member.
    pub name: &'static str,
    pub why: &'static str,
    /// Whether it changes its dataset: each of its runs then begins with a fresh copy.
    pub writes: bool,
    /// Those that its users can speak, the one that it is at home in first; never empty. All are SQL, or none is.
    pub protocols: &'static [Protocol],
    pub parameters: &'static [Parameter],
    /// Names of what is counted and timed as one, in the order of the workload's `Operation`.
    pub operations: &'static [&'static str],
    /// Rough bytes that the dataset of these parameters takes on disk and rows that must be loaded, for the plan.
    pub footprint: fn(&BTreeMap<String, Value>) -> Footprint,
    /// What becomes of its data by so many operations, for the plan; `None` where that is not foreseen.
    pub grows: Option<Grows>,
}

pub type Grows = fn(&BTreeMap<String, Value>, operations: u64, Extent) -> Extent;

impl WorkloadWords {
    pub fn family(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }
    /// The one that it is at home in.
    pub fn protocol(&self) -> Protocol {
        self.protocols[0]
    }
}

/// The family of scripts.
pub const SCRIPTS: &str = "lua";

/// One disturbance as an experiment sees it.
#[derive(Clone, Copy, Debug)]
pub struct DisturbanceWords {
    pub name: &'static str,
    /// One sentence: what it does to the instance.
    pub why: &'static str,
    pub parameters: &'static [Parameter],
    /// Whether it changes the dataset or what lies beside it: its run then begins with a fresh copy.
    pub writes: bool,
}

impl DisturbanceWords {
    /// Every parameter, as `said` or by its default.
    pub fn with(&self, said: &BTreeMap<String, Value>) -> Disturb {
        let all = self.parameters.iter().filter_map(|p| {
            Some((p.name.to_string(), said.get(p.name).cloned().or_else(|| p.default.map(Literal::value))?))
        });
        Disturb { name: self.name.to_string(), parameters: all.collect() }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub bytes: u64,
    pub rows: u64,
}

/// Bytes of a workload's tables at one moment of a run, as foreseen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Rows that queries mean.
    pub current: u64,
    /// What is kept of rows that are no longer current.
    pub history: u64,
    /// What the tables take on disk; files never shrink.
    pub files: u64,
}

/// Everything an experiment may name.
#[derive(Clone, Debug, Default)]
pub struct Words {
    pub workloads: Vec<WorkloadWords>,
    pub disturbances: Vec<DisturbanceWords>,
    /// Builds that the catalogue or this host knows.
    pub builds: Vec<String>,
    /// Limits of checks: name, and the most that makes sense.
    pub limits: Vec<(&'static str, f64)>,
}

impl Words {
    /// One that a checked experiment names.
    pub(crate) fn workload(&self, name: &str) -> &WorkloadWords {
        self.workloads.iter().find(|w| w.name == name).expect("an experiment names only known workloads")
    }
    /// Likewise.
    pub(crate) fn disturbance(&self, name: &str) -> &DisturbanceWords {
        self.disturbances.iter().find(|d| d.name == name).expect("an experiment names only known disturbances")
    }
}
