//! What was looked at just before a run and just after it, outside its window: how fast the machine itself was, who
//! else used its CPUs meanwhile, and how much room the disk had. None of it makes a number; all of it may spoil one
//! (checks `machine_was_quiet`, `machine_kept_its_speed`, `disk_was_ours`, `way_was_short`,
//! `commits_were_durable`).

use super::way::Way;
use crate::units::{Bytes, Nanos, Share};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Around {
    /// Before and after; absent where one of them could not be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pulses: Option<[Pulse; 2]>,
    /// Processes that were neither the server's nor the lab's, by name, the busiest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub neighbours: Vec<Neighbour>,
    /// Free part of the file system with the data, after the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_free: Option<Share>,
    /// The cheapest request of the users; absent where nobody asked, and in records from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// What a sync took where the data of a server lie that the lab started, after a run that wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syncs: Option<Syncs>,
}

/// What it takes to overwrite a few bytes of a file and have them on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Syncs {
    /// The shortest of several.
    pub least: Nanos,
    /// The file system lies in memory, and a sync does nothing.
    #[serde(default)]
    pub in_memory: bool,
}

/// The machine's own speed, by work that is always the same, on each CPU at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pulse {
    /// Rounds of an integer loop per second, of the slowest CPU.
    pub integer_per_s: f64,
    /// Bytes per second copied through memory, over all CPUs.
    pub memory_bytes_per_s: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    pub name: String,
    /// CPU time between the two looks, that of children which ended meanwhile in it.
    pub cpu: Nanos,
    /// Bytes that it moved from and to devices, likewise; none in records from before.
    #[serde(default, skip_serializing_if = "is_none")]
    pub moved: Bytes,
}

fn is_none(moved: &Bytes) -> bool {
    moved.0 == 0
}
