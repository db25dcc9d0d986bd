//! The machine as the lab found it: what a plan may count on and what a reader needs to judge whether another machine
//! would give the same. Facts that could not be read are absent, never guessed.

use crate::units::{Bytes, Nanos};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Host {
    /// Online logical CPUs, by number.
    pub cpus: Vec<u32>,
    /// CPUs of each socket (physical package).
    pub sockets: BTreeMap<u32, Vec<u32>>,
    /// NUMA nodes that have memory; none where the kernel tells of none, and in records from before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<u32>,
    pub cpu_model: String,
    pub memory: Bytes,
    /// Free space where records and data directories go.
    pub disk_free: Bytes,
    pub kernel: String,
    pub distribution: String,
    pub virtualization: Option<String>,
    pub clock_source: Option<String>,
    /// The least by which the clock was seen to move, and what a reading of it costs; `None` in records from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_step: Option<Nanos>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_cost: Option<Nanos>,
    /// Open files that the lab may raise its limit to.
    pub open_files: u64,
    pub io_uring: bool,
    /// Threads that a process here may still begin; 0 in descriptions from before.
    #[serde(default)]
    pub threads: u64,
    /// Other facts worth a line in the provenance: governor, transparent huge pages, swappiness, file system.
    pub facts: BTreeMap<String, String>,
    /// Builds that can be started here.
    pub builds: Vec<InstalledBuild>,
    /// Revision and profile of the assay binary.
    pub assay: String,
}

/// One server binary on this host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct InstalledBuild {
    /// The name in the catalogue.
    pub name: String,
    /// `mariadb`, `mysql`.
    pub kind: String,
    pub version: Version,
    /// The server binary.
    pub binary: String,
    pub basedir: String,
    pub engines: Vec<String>,
}

/// A server's version, compared by its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Version(pub u32, pub u32, pub u32);

impl Version {
    /// Reads the first `a.b.c` (or `a.b`) of a text such as `5.5.5-10.11.19-MariaDB-0+deb12u1`; MariaDB's
    /// compatibility prefix `5.5.5-` is passed over.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix("5.5.5-").unwrap_or(text);
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let mut numbers = text[start..].split(|c: char| !c.is_ascii_digit()).map(|n| n.parse().ok());
        Some(Self(numbers.next()??, numbers.next()??, numbers.next().flatten().unwrap_or(0)))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_read_from_what_servers_say() {
        assert_eq!(Version::parse("5.5.5-10.11.19-MariaDB-0+deb12u1"), Some(Version(10, 11, 19)));
        assert_eq!(Version::parse("8.0.33"), Some(Version(8, 0, 33)));
        assert_eq!(Version::parse("none"), None);
        assert!(Version(10, 2, 11) < Version(10, 11, 5));
    }
}
