//! An explanation with the rung of confidence that it reached. The rungs are the only words a report may use for how
//! sure it is; the ladder is climbed by evidence, and its last step only by taking the cause away.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Finding {
    pub name: String,
    pub rung: Rung,
    pub sentence: String,
    /// Share of the difference that the mechanism explains, 0 to 1, where it could be computed.
    pub share: Option<f64>,
    /// Bounds of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_interval: Option<(f64, f64)>,
    /// The best competing hypothesis for the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rival: Option<Rival>,
    pub evidence: Vec<String>,
    /// The text of an experiment file that would raise or refute the rung.
    pub next_experiment: Option<String>,
    /// Where a report writes that file, within the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_file: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Rival {
    /// Another finding, or a term of the latency's account.
    pub name: String,
    /// The share of the same difference.
    pub share: f64,
    /// The two shares are too near each other to choose.
    pub undecided: bool,
    /// Why it ranks lower, or what would decide.
    pub sentence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    Unexplained,
    ConsistentWith,
    QuantitativelySufficient,
    DoseResponse,
    ConfirmedByIntervention,
}

impl Rung {
    /// As a report says it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unexplained => "unexplained",
            Self::ConsistentWith => "consistent with",
            Self::QuantitativelySufficient => "quantitatively sufficient",
            Self::DoseResponse => "dose-response",
            Self::ConfirmedByIntervention => "confirmed by intervention",
        }
    }
}
