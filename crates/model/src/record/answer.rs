//! What servers answered when asked about themselves: effective variables, definitions of tables, plans of statements,
//! rows counted. The plan says what was wanted; these say what was.

use crate::host::Version;
use crate::plan::Server;
use crate::units::{Bytes, Nanos};
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One server as it really ran: `instances/<key>.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct InstanceRecord {
    /// Hash of `wanted`; runs name it.
    pub key: String,
    pub wanted: Server,
    pub kind: String,
    pub version: Version,
    /// `SELECT VERSION()`.
    pub version_text: String,
    pub version_comment: String,
    /// SHA-256 of the binary when the lab could read it.
    #[serde(default)]
    pub binary_sha256: Option<String>,
    /// The linker's name for the program that the process runs, which a wrapper may have started; absent where it has
    /// none, and in records from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_id: Option<String>,
    /// The commit that the build's folder names, for a server that does not say it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_commit: Option<String>,
    /// The option file as written; empty for a server that the lab did not start. Here and in the variables the private
    /// folders and the port, new at every start, read `{data}`, `{run}` and `{port}`.
    pub option_file: String,
    /// `SHOW GLOBAL VARIABLES`.
    pub variables: BTreeMap<String, String>,
    pub engines: Vec<String>,
    /// CPUs that the server's process may use, read back after start.
    pub cpus: Vec<u32>,
    /// The place of a server that was there before the lab; absent for one that the lab started, and in records from
    /// before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Warnings in the error log that mean an option was not honoured.
    pub complaints: Vec<String>,
    /// Settings that this version or engine has no use for, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_applicable: Vec<String>,
    pub start_time: Nanos,
}

impl InstanceRecord {
    /// The commit that it was made from: as MariaDB says it, as Percona Server does, or as the build's folder does.
    pub fn commit(&self) -> Option<&str> {
        let said = self.variables.get(REVISION).map(String::as_str).filter(|revision| !revision.is_empty());
        let told = || self.version_comment.split_once("Revision ")?.1.split(|c: char| !c.is_ascii_hexdigit()).next();
        said.or_else(|| told().filter(|commit| !commit.is_empty())).or(self.source_commit.as_deref())
    }
}

/// MariaDB's variable of the commit that it was made from.
const REVISION: &str = "version_source_revision";

/// Where a server is that the lab did not start, as its address says: the far end of a tunnel looks like this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Behind a Unix socket, loopback, or an address of this host: it shares CPUs with the load.
    ThisHost,
    Elsewhere,
}

/// One dataset as it lies in an instance: `datasets/<key>.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct DatasetRecord {
    /// Hash of instance, workload family and the parameters that shape data; runs name it.
    pub key: String,
    pub instance: String,
    pub schema: String,
    pub family: String,
    /// The parameters that shape the data.
    pub parameters: BTreeMap<String, Value>,
    pub tables: Vec<TableAnswer>,
    /// The time of the one load, whichever lab it was that loaded; `None` when it was found loaded.
    pub load_time: Option<Nanos>,
    /// Where it is kept cold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotRecord>,
    pub rows: u64,
    /// Rows compared with the generator, and those that differed.
    pub rows_checked: u64,
    pub rows_wrong: u64,
}

/// Loaded data kept as files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct SnapshotRecord {
    pub key: String,
    /// On disk, the server's own files included.
    pub bytes: Bytes,
    /// What it took beyond the load: purge, a clean end of the server, syncing.
    pub time: Nanos,
    /// Made by an earlier lab.
    pub reused: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct TableAnswer {
    pub name: String,
    /// The statement that was submitted.
    pub submitted: String,
    /// `SHOW CREATE TABLE`.
    pub created: String,
    /// Warnings of the CREATE.
    pub warnings: Vec<String>,
    /// `SELECT COUNT(*)`.
    pub rows: u64,
    pub rows_wanted: u64,
    /// Data and index bytes as the server states them.
    pub bytes: Bytes,
}

/// What one session said about itself before a run, and the plan of each statement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct SessionAnswer {
    /// `character_set_client`, `collation_connection`, `transaction_isolation`, `autocommit`, `sql_mode`, `time_zone` …
    pub variables: BTreeMap<String, String>,
    /// `unix` or `tcp`; then `plain` or `tls`.
    pub transport: String,
    /// TLS version and cipher as client and server agreed on them, and as the server names them (`Ssl_version`,
    /// `Ssl_cipher`); `None` in the clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsAnswer>,
    /// The authentication plugin by which the server let the session in.
    #[serde(default)]
    pub authentication: String,
    /// `off`, and whether the server offered it: assay never compresses.
    #[serde(default)]
    pub compression: String,
    pub plans: Vec<StatementPlan>,
    /// Plans that read otherwise after the run, numbers aside, by statement; `None` where nobody asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans_after: Option<BTreeMap<String, String>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct TlsAnswer {
    pub version: String,
    pub cipher: String,
    pub server_version: String,
    pub server_cipher: String,
}

/// One statement and how the server means to carry it out, with sampled values in place of its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct StatementPlan {
    pub statement: String,
    pub sql: String,
    /// `EXPLAIN FORMAT=JSON` where the server has it, else the rows of EXPLAIN as `key=value` lines.
    pub explain: String,
    /// Session handler counters of one execution (`Handler_read_next` = 100 …), from the probe session.
    pub handlers: BTreeMap<String, i64>,
    /// Rows that execution returned.
    pub rows: u64,
    /// Plans of the same statement with other values that read otherwise, numbers aside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_explains: Vec<String>,
    /// What executions with values from a seed of their own returned, the same in every record: digests of the question
    /// and of its rows, whatever their order. Empty for a statement that writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answered>,
}

/// A question and its answer, as digests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(from = "(String, String)", into = "(String, String)")]
pub struct Answered {
    pub asked: String,
    pub answer: String,
}

impl From<(String, String)> for Answered {
    fn from((asked, answer): (String, String)) -> Self {
        Self { asked, answer }
    }
}

impl From<Answered> for (String, String) {
    fn from(a: Answered) -> Self {
        (a.asked, a.answer)
    }
}
