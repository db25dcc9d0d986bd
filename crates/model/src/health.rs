//! How far the numbers of a record may be believed, in one line: how many stand, and for what reasons the others do
//! not. It is computed once, by the judge; a terminal, a page and a document print the same sentence. A warning is a
//! detail of a number: with one it stands all the same.

use crate::plan::CellId;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Health {
    pub sentence: String,
    /// Rates that were to be measured: one of each cell, or of each of its phases where several measure.
    pub numbers: u32,
    pub stand: u32,
    /// So many of those that stand have a check that could not be evaluated, for want of evidence.
    pub unchecked: u32,
    /// Why the others do not stand, the most frequent reason first. Each number has one reason.
    pub reasons: Vec<Reason>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Reason {
    pub standing: Standing,
    /// As it follows *because*: `other processes used the CPU`.
    pub because: String,
    pub numbers: u32,
    pub cells: Vec<CellId>,
    /// What would mend it.
    pub advice: String,
}

/// What became of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// A check failed.
    Struck,
    /// Only checks of the client failed: the server can do at least this much.
    LowerBound,
    /// Nothing was measured.
    Missing,
}

impl Health {
    /// Why the number of this cell does not stand; `None` where it does, or where only some of its phases do not.
    pub fn of(&self, cell: &CellId) -> Option<&Reason> {
        self.reasons.iter().find(|reason| reason.cells.contains(cell))
    }
}
