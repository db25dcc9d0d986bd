//! Something that happened at a moment: an instance became ready, a disturbance began, a user failed. Events tell the
//! story of a record in order; numbers live elsewhere.

use crate::plan::RunId;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Event {
    /// Milliseconds since 1970 (UTC).
    pub unix_ms: u64,
    pub kind: EventKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// One sentence for a reader.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// The lab began or resumed this plan.
    LabStarted,
    LabStopped,
    InstanceStarting,
    InstanceReady,
    InstanceStopped,
    /// The instance ended without being asked to.
    InstanceDied,
    DatasetLoading,
    DatasetReady,
    /// Loaded data were kept cold.
    SnapshotKept,
    /// A copy of a snapshot lies in an instance.
    SnapshotRestored,
    /// A snapshot made room, or was torn.
    SnapshotRemoved,
    RunStarted,
    RunDone,
    RunFailed,
    RunSkipped,
    /// A run without an ending was found at resume and is repeated.
    RunInterrupted,
    /// A run that was over was set aside and is carried out again; the text says why.
    RunRepeated,
    DisturbanceBegan,
    DisturbanceEnded,
    Note,
}
