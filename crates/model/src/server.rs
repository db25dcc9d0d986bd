//! What a server under test is to be: its build, its shape and its settings, as an experiment asks for them and as a
//! plan decides them for each cell.

use crate::topology::Topology;
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the instance of a cell is to be: two cells with equal servers can share one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Server {
    /// Name in the catalogue, as `mariadb-10.11` or `distribution`; with `on` set, the name of what the DSN points at.
    pub build: String,
    /// A server that the lab neither starts nor stops: its DSN without any secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// One server, or a cluster of equal ones.
    #[serde(default, skip_serializing_if = "Topology::is_single")]
    pub topology: Topology,
    pub engine: String,
    pub profile: String,
    /// Settings in the lab's words (`settings::ALL`), profile defaults filled in.
    pub settings: BTreeMap<String, Value>,
    /// The server's own variables, passed as they are.
    pub native: BTreeMap<String, Value>,
    /// Listens on loopback beside its socket, because some users of the plan come that way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tcp: bool,
    /// CPUs for server and load as the experiment said (`all`, `half`, `0-7`, `socket:0`); `None` leaves it to the lab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<String>,
    /// Those of several ranks are one set for all, or one for each (`0-3 | 4-7`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_cpus: Option<String>,
    /// Where its memory comes from, as the experiment said (`local`, `interleave`, `node 0`); `None` leaves it to the
    /// kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
}
