//! What a disturbance did during its phase: when it began and ended, what was read of it, and whether the mechanism
//! that it is named after was there. A disturbance that was only asked for explains nothing (check
//! `disturbances_acted`).

use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbanceRecord {
    /// With its parameters, as `long_query (sessions 2)`.
    pub what: String,
    /// Since the start of the run's first phase.
    pub began: Nanos,
    pub ended: Nanos,
    /// What it did, for a reader.
    pub sentence: String,
    /// Numbers behind the sentence, by plain name: `canary_reads`, `bytes`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, f64>,
    /// Why it did not do what it is named after; `None` when that was seen to hold to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What it asked of the server beside the load; `None` when nobody counts that, as of a program that makes a
    /// backup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
}

/// What the server counts because of somebody who is not a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    pub questions: u64,
    pub commits: u64,
    pub rollbacks: u64,
    /// Statements that write, and rows that they changed.
    pub writes: u64,
    pub rows: u64,
}
