//! What arithmetic foretells of a finding, beside what was measured, over the seconds of a cell's runs. A sentence with
//! two numbers hides whether the one grows as the other does; two curves show it.

use crate::plan::CellId;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Forecast {
    pub cell: CellId,
    /// Whose arithmetic it is.
    pub finding: String,
    /// What the two curves count, as a reader is told.
    pub expected: String,
    pub measured: String,
    /// How much was measured for one that was expected, over the phase that is foretold: they count different things,
    /// and at this scale their curves can be laid on each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_expected: Option<f64>,
    /// Runs that both are averages over.
    pub runs: usize,
    pub phases: Vec<ForecastPhase>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct ForecastPhase {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturb: Option<String>,
    pub points: Vec<ForecastPoint>,
}

/// A second, or several of a long run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct ForecastPoint {
    /// Seconds since the first of the phases began, and for how many it holds.
    pub at_s: f64,
    pub for_s: f64,
    /// `None` where nothing is foretold.
    pub expected: Option<f64>,
    pub measured: f64,
}
