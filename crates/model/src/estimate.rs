//! A value with its interval and the number of repetitions behind it. A single run gives a point without an interval,
//! and nothing may be claimed from it.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Estimate {
    pub value: f64,
    /// Bounds of the 95 % interval; `None` when there are too few repetitions for one.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Repetitions.
    pub n: u32,
    pub unit: String,
}

/// Two cells side by side on one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Comparison {
    pub metric: String,
    /// Cell ids.
    pub base: String,
    pub candidate: String,
    /// The axis on which the two differ.
    pub axis: String,
    /// The one phase that is compared, where the runs have several that measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// candidate ÷ base.
    pub ratio: Estimate,
    pub outcome: Outcome,
    /// Further repetitions that would probably decide an undecided one; absent where they would be too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<u32>,
    pub sentence: String,
}

/// Two cells over many of their tests at once: the ratio is the median of theirs, by block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Overall {
    #[serde(flatten)]
    pub comparison: Comparison,
    /// The group whose tests these are; absent: all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// How many tests it is over, …
    pub tests: u32,
    /// … and how many the two have. The others are struck on either side.
    pub of: u32,
}

/// Statements per second.
pub const QPS: &str = "qps";
/// What searches for a rate are compared by: the rate that they found.
pub const KNEE: &str = "knee_rate";

impl Comparison {
    /// On a rate, which is what cells are compared on first; the others are what an operation costs.
    pub fn is_of_a_rate(&self) -> bool {
        [QPS, KNEE].contains(&self.metric.as_str())
    }

    /// Whether there is a difference for sure.
    pub fn is_sure(&self) -> bool {
        matches!(self.outcome, Outcome::Better | Outcome::Worse)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Better,
    Worse,
    Equivalent,
    Undecided,
    /// A check forbids the comparison.
    Refused,
}
