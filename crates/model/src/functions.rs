//! What profiles come to: in which functions the server spends its time, on its CPUs or waiting, per operation, in one
//! cell, and what another cell does otherwise. Made of a record's stacks by the judge, drawn by whoever reports.

use crate::estimate::Estimate;
use crate::units::Share;
use serde::{Deserialize, Serialize};

/// What kind of time a profile tells about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Spent {
    #[default]
    OnCpu,
    /// Off the CPUs: for a disk, a lock, a message, or for a CPU.
    Waiting,
}

impl Spent {
    pub const ALL: [Self; 2] = [Self::OnCpu, Self::Waiting];
    pub fn is_on_cpu(&self) -> bool {
        *self == Self::OnCpu
    }
}

/// Whether a function is one of these, of a data file: a name, or its beginning or its end and a star.
pub fn is_one(name: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(beginning)) => name.starts_with(beginning),
        (None, None) => name == *pattern,
    })
}

/// The functions of one cell, those with most time of their own first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct FunctionTable {
    pub sampled: Sampled,
    pub functions: Vec<Function>,
}

/// What a table of functions rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Sampled {
    /// The cell's id.
    pub cell: String,
    #[serde(default)]
    pub spent: Spent,
    /// Profile runs.
    pub runs: u32,
    /// In phases that measure.
    pub samples: u64,
    pub lost: u64,
    pub hz: f64,
    /// Such time of the server per operation, µs.
    pub operation: Estimate,
    /// Shares of all samples: those whose stack's end was not found, those whose function has no name.
    pub not_unwound: Share,
    pub not_named: Share,
    /// CPU time of the profiler itself ÷ that of the server.
    pub cost: Share,
    /// The time of an operation in profiled runs ÷ that in the neighbours of each that were not; where there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slower: Option<Estimate>,
    /// What the CPUs counted of the server's threads per operation, where they count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterPerOperation>,
    /// What could not be read, each with its mend.
    pub missing: Vec<String>,
}

/// As `instructions`, of `model::record::profile::COUNTERS`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct CounterPerOperation {
    pub name: String,
    pub value: Estimate,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Function {
    pub name: String,
    /// Time per operation, µs: in the function itself, and in it with what it called.
    pub own: Estimate,
    pub total: Estimate,
    /// In it itself.
    pub samples: u64,
}

/// Two cells side by side, what moved most first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct FunctionDiff {
    pub base: Sampled,
    pub candidate: Sampled,
    /// Candidate − base, of the whole operation, µs.
    pub operation: Moved,
    pub functions: Vec<MovedFunction>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct MovedFunction {
    pub name: String,
    pub own: Moved,
    pub total: Moved,
}

/// Time per operation, µs, in both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Moved {
    pub base: f64,
    pub candidate: f64,
    /// Candidate − base.
    pub difference: Estimate,
    /// Candidate ÷ base; `None` of nothing.
    pub ratio: Option<f64>,
    /// It is more than chance, however many functions were looked at.
    pub is_significant: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_either_end() {
        let patterns = ["localtime_r", "Time_zone_system::*", "*_[k]"];
        for name in ["localtime_r", "Time_zone_system::gmt_sec_to_TIME", "do_syscall_64_[k]"] {
            assert!(is_one(name, &patterns), "{name}");
        }
        assert!(!is_one("localtime_r2", &patterns) && !is_one("my_Time_zone_system::x", &patterns));
    }
}
