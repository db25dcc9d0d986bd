//! The floor of the way to a server: what the cheapest request takes there and back, asked as users ask (their account,
//! transport and encryption) by one session just before a run and just after it. Whatever stands between users and
//! server, a proxy or a delayed network, is in every one of their statements, and here it is alone (check
//! `way_was_short`).

use crate::units::Nanos;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// What was asked, as `SELECT 1`.
    pub request: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Trips>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Trips>,
    /// Why one of them could not be taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// Round trips of one session, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trips {
    pub requests: u64,
    /// A quarter of them took no longer. Who else uses the CPUs lengthens the others first, and what stands in the way
    /// all of them.
    pub quarter: Nanos,
    pub median: Nanos,
    pub p95: Nanos,
    /// From the wish for a connection until the server had let the session in, names resolved.
    pub connect: Nanos,
}
