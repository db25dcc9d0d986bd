//! The answer of one check: pass, warn, fail, *not evaluable* when the evidence it needs was not measured, which never
//! counts as passed, or *not applicable* where it cannot be asked, which is neither. The sentence, the measured value
//! and the limit come together, so that prose and evidence cannot drift apart.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// Id of the check, as `client_had_headroom`.
    pub check: String,
    pub verdict: Status,
    /// What was found, with number and unit, why it matters for this claim.
    pub sentence: String,
    /// The measured value as text with its unit; empty when nothing was.
    pub measured: String,
    pub limit: String,
    /// What to do about it; empty for a pass, and where the check does not apply.
    pub advice: String,
    /// Where it can be seen: paths within the record, with an optional `#key` (`runs/c001-1/run.json#phases.0`).
    pub evidence: Vec<String>,
    /// The check is new: told, and no number is struck for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quarantined: bool,
    /// The phases of a cell, where they do different work, in which it failed, when others did not. Only their numbers
    /// are struck.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<String>,
    /// The phases of a cell, where they do different work, in which it warned or failed, when it passed in others; of a
    /// check that could not be asked, those in which it could not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_in: Vec<String>,
}

/// Checks of the load itself: where the client was in the way, or near it, a rate is a lower bound of the server's.
pub const OF_CLIENT: [&str; 2] = ["client_had_headroom", "client_was_not_in_the_way"];

/// Checks of the machine and of nothing else: what fails one of them was spoilt by a neighbour, whatever it came to.
pub const OF_MACHINE: [&str; 4] =
    ["machine_was_quiet", "cpu_was_not_stolen", "machine_kept_its_speed", "disk_was_ours"];

impl Verdict {
    /// Whether it speaks of the load and not of the server.
    pub fn is_of_client(&self) -> bool {
        OF_CLIENT.contains(&self.check.as_str())
    }

    /// Whether what is open in it is so in this phase.
    pub fn speaks_of(&self, phase: &str) -> bool {
        self.open_in.is_empty() || self.open_in.iter().any(|p| p == phase)
    }

    /// Whether it strikes the numbers of this phase; of `None`, those of the cell as a whole.
    pub fn strikes(&self, phase: Option<&str>) -> bool {
        let here = |phase: &str| self.phases.iter().any(|p| p == phase);
        self.counts_as() == Status::Fail && (self.phases.is_empty() || phase.is_some_and(here))
    }
    /// What the verdict does to a number.
    pub fn counts_as(&self) -> Status {
        if self.quarantined { self.verdict.min(Status::Pass) } else { self.verdict }
    }
}

/// Ordered from best to worst for a badge: the worst of several is shown. Where nothing is of which a check speaks it
/// does not apply, which makes nothing worse; where what it needs was not measured it cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    NotApplicable,
    Pass,
    NotEvaluable,
    Warn,
    Fail,
}

impl Status {
    pub fn word(self) -> &'static str {
        match self {
            Self::NotApplicable => "not applicable",
            Self::Pass => "pass",
            Self::NotEvaluable => "not evaluable",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
    /// Whether a reader has to look at it: neither passed nor out of place here.
    pub fn is_open(self) -> bool {
        self > Self::Pass
    }
}
