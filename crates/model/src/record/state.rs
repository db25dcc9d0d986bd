//! What held when the users of a run came and when they had left: the server's variables, its tables, who else was
//! there, what its process may use, how the kernel is set. Read at both ends of every run, because a number is true of
//! what was in force while it was made, and not of what was read when the server started. A record keeps each facet
//! once per change, by a digest of its facts (`states/<digest>.json`), and a run names the digests of its two ends.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is read together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Facet {
    /// The server's own, global.
    Variables,
    /// Those of a fresh session, opened as a user's is, where they differ from the global ones.
    UserSession,
    /// The same of the session by which the lab asks.
    LabSession,
    /// Definitions of the data's tables, with their triggers and the scheduled events beside them.
    Tables,
    /// Rows per table, as the engine estimates them.
    Rows,
    /// When each table was last written, as far as the engine knows.
    Written,
    /// By which number the engine keeps each table: one that is made anew, swapped or imported has another.
    TableIds,
    /// What the users' account may do, and its limits.
    Grants,
    Plugins,
    /// What a server watches of itself, and of whom: MySQL's performance_schema, as it is set up.
    Instruments,
    /// Transactions that were open and none of the lab's.
    Transactions,
    /// Sessions that were none of the lab's.
    Others,
    /// The transactions of [`Facet::Transactions`] one by one, as `app@10.0.0.5, thread 17`, with their age in seconds;
    /// in PostgreSQL those that hold a snapshot.
    Holders,
    /// Statements that the server has counted of each account since it started, where it counts them; accounts as whom
    /// the load comes end with [`OF_THE_LOAD`].
    Askers,
    /// Limits of the server's process: control groups, limits of resources, priority, CPUs.
    Process,
    /// The same of the client's.
    Client,
    /// Knobs of the kernel that bear on memory, CPUs, disks and network.
    Kernel,
    /// How often somebody wrote to a knob of the kernel's, to a limit of a control group or to a file by which the
    /// server's process is set while users were at work; when they came, none.
    KernelWrites,
}

/// What marks an account of [`Facet::Askers`] as one by which the lab's own sessions come.
pub const OF_THE_LOAD: &str = " (the load's)";

impl Facet {
    /// Whether what it says is to be the same at both ends: an age grows, and so does a count.
    pub fn is_to_hold(self) -> bool {
        !matches!(self, Self::Holders | Self::Askers | Self::KernelWrites)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub facet: Facet,
    pub facts: BTreeMap<String, String>,
}

impl State {
    pub fn new(facet: Facet, facts: BTreeMap<String, String>) -> Self {
        Self { facet, facts }
    }
}

/// Digests of the facets by which a run began and ended. A facet that could not be read is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct States {
    pub begin: BTreeMap<Facet, String>,
    #[serde(default)]
    pub end: BTreeMap<Facet, String>,
    /// What was seen once a second while users were at work, each state once; of what processes may use. They may have
    /// facts that were not read at the ends, and lack others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meanwhile: Vec<(Facet, String)>,
}

/// A fact of [`Facet::Written`] where the engine knows of no write: since its start, or since it forgot.
pub const NO_WRITE: &str = "unknown";

/// Variables that change by themselves, or name this one server and not how it works, and are left out; each with the
/// reason. `*` stands for any end.
pub const VOLATILE: &[(&str, &str)] = &[
    ("timestamp", "the clock"),
    ("original_commit_timestamp", "the clock"),
    ("rand_seed*", "drawn anew by each session"),
    ("pseudo_*", "numbers of one session"),
    ("last_*", "of the session's last statement"),
    ("insert_id", "of the session's last statement"),
    ("identity", "of the session's last statement"),
    ("error_count", "of the session's last statement"),
    ("warning_count", "of the session's last statement"),
    ("statement_id", "counts statements"),
    ("in_transaction", "of the session's last statement"),
    ("gtid_*", "positions in the binary log, which each commit moves"),
    ("wsrep_start_position", "a position, new at each start"),
    ("wsrep_gtid_*", "positions in the binary log"),
    ("server_uuid", "drawn with each data directory"),
    ("server_uid", "drawn with each data directory"),
    ("feedback_server_uid", "drawn with each data directory"),
    ("handlersocket_plain_secret*", "a secret, drawn at each start"),
    ("innodb_buffer_pool_load_now", "a command"),
    ("innodb_buffer_pool_dump_now", "a command"),
    ("innodb_buffer_pool_load_abort", "a command"),
    ("external_user", "of one session"),
    ("proxy_user", "of one session"),
    ("seed", "drawn anew by each session (PostgreSQL)"),
    ("transaction_timeout_at", "the clock (PostgreSQL)"),
    ("application_name", "of one session (PostgreSQL)"),
];

/// Why such a variable is left out of a state; `None` where it is not.
pub fn volatile(name: &str) -> Option<&'static str> {
    VOLATILE.iter().find(|(pattern, _)| matches(pattern, name)).map(|(_, why)| *why)
}

/// Whether a name is meant by a pattern, whose `*` stands for any end.
pub fn matches(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}
