//! A metric over many records, oldest first: a line per cell with its points and where its level changed. What `assay
//! compare --history` prints and draws.

use crate::compared::Difference;
use crate::estimate::Estimate;
use crate::verdict::Status;
use serde::{Deserialize, Serialize};

/// Raised when a field changes its meaning; additions keep it.
pub const HISTORY_SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    pub schema: u32,
    pub records: Vec<Member>,
    pub lines: Vec<Line>,
}

/// One record of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// As its folder is called.
    pub name: String,
    /// When its first run began, in milliseconds since 1970 (UTC).
    pub started_unix_ms: u64,
    pub machine: String,
    /// Builds of its servers.
    pub builds: Vec<String>,
    /// What they say of themselves: version, and the commit where they know it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub workload: String,
    /// The workload and the values on the axes that tell the cell from the others.
    pub cell: String,
    pub metric: String,
    pub unit: String,
    pub points: Vec<Point>,
    pub changes: Vec<Change>,
    /// Where the line begins anew, because what follows cannot be held against what was before.
    pub breaks: Vec<Break>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Its place among the records.
    pub record: usize,
    pub estimate: Estimate,
    /// The worst verdict on its cell. A number that failed a check is shown, and is no part of any level.
    pub status: Status,
}

/// The level became another one somewhere between two points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Places among the line's points: the last of the old level, the first of the new one.
    pub before: usize,
    pub after: usize,
    /// New level ÷ old level, over the records of both.
    pub ratio: Estimate,
    /// What more is of this metric: better, or worse.
    pub better: bool,
    pub sentence: String,
    /// What else differs between the two records, where that was looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Difference>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Break {
    /// The first point after it.
    pub at: usize,
    pub why: String,
}
