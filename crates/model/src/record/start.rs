//! What a run began with: how its data came to lie there, what has happened to them since, and how the engine stood
//! just before the users came. Two numbers are comparable only when they began alike (check `starting_states_agree`).

use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct StartingState {
    /// By dataset: a digest of its tables and of rows that stand for all. Equal digests are equal data.
    pub datasets: BTreeMap<String, String>,
    pub prepared: Prepared,
    /// Runs that went over these data since they were prepared.
    pub runs_before: u32,
    /// Whether one of those wrote.
    pub aged: bool,
    /// The snapshot and its copying, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<Restored>,
    /// Data and indexes of the datasets, as the server states them.
    pub bytes: Bytes,
    /// Leaf pages of all indexes, by the engine's statistics; absent where it keeps none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf_pages: Option<u64>,
    /// Old row versions that purge has still to remove (InnoDB's history list).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<u64>,
    /// Redo written since the last checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_age: Option<Bytes>,
    /// Pages in the buffer pool, and those that fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool_pages: Option<(u64, u64)>,
}

/// How data came to lie in an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Prepared {
    /// A copy of a snapshot.
    Snapshot,
    /// Loaded into this instance.
    Loaded,
    /// There before the lab.
    Found,
}

impl std::fmt::Display for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Snapshot => "restored from a snapshot",
            Self::Loaded => "loaded",
            Self::Found => "found there",
        })
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Restored {
    pub snapshot: String,
    /// `reflink` or `copy`.
    pub manner: String,
    /// Until the data lay there; the server's start is the instance's.
    pub time: Nanos,
}
