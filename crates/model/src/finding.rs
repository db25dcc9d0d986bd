//! An explanation with the rung of confidence that it reached. The rungs are the only words a report may use for how
//! sure it is; the ladder is climbed by evidence, and its last step only by taking the cause away.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub name: String,
    pub rung: Rung,
    pub sentence: String,
    /// Share of the difference that the mechanism explains, 0 to 1, where it could be computed.
    pub share: Option<f64>,
    pub evidence: Vec<String>,
    /// The text of an experiment file that would raise or refute the rung.
    pub next_experiment: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    Unexplained,
    ConsistentWith,
    QuantitativelySufficient,
    DoseResponse,
    ConfirmedByIntervention,
}
