//! What this machine's load can do at most and costs at least: the `noop` workload against a sham server in process
//! that answers at once. Measured once per machine and build of assay, and kept. A real server's rate near this
//! ceiling says more about the client than about the server (check `client_had_headroom`).

use crate::units::Share;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Canary {
    /// CPU model, count, kernel and assay revision that it was measured with.
    pub machine: String,
    /// `io_uring`, `epoll` or `blocking`.
    pub io: String,
    /// Ascending in users.
    pub points: Vec<CanaryPoint>,
    pub unix_ms: u64,
    /// CPU time of the machine that others took meanwhile; `None` in ceilings from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Share>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct CanaryPoint {
    pub users: u32,
    /// Statements per second that the load reached.
    pub qps: f64,
    /// Client CPU per statement, microseconds.
    pub client_cpu_us: f64,
    /// Median latency, microseconds.
    pub latency_us_p50: f64,
}
