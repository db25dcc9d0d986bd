//! What an explain run saw: where the server's threads waited and which stages statements went through, by its own
//! instruments. They cost time themselves, so an explain run is never among the runs that make a number.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Explain {
    /// Over all threads and the whole run, the longest first.
    pub waits: Vec<Wait>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Wait>,
    /// Statements that were carried out once when the users had left, where the server says what that touched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub executed: Vec<Executed>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Executed {
    pub statement: String,
    /// Its plan in the server's words, with the rows, blocks and time of each node.
    pub plan: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Wait {
    /// As the server names it: `wait/synch/sxlock/innodb/index_tree_rw_lock`.
    pub event: String,
    pub count: u64,
    pub time: Nanos,
}
