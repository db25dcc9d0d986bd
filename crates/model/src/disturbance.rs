//! What disturbances do that numbers follow from: a row for each that does more than take the host's or the server's
//! time. A record names its disturbances and no more, so this stands where the lab and the judges both read it. What a
//! disturbance is called, what it takes and how it acts is one file of `lab`, whose list is held against these rows.

/// The disturbance that holds a snapshot, and nothing else.
pub const OPEN_SNAPSHOT: &str = "open_snapshot";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Old versions of rows must be kept for it: that they grow in number is its result.
    HoldsVersions,
    /// Users are in no operation until the server is back, and what it counts begins anew.
    EndsServer,
    /// The session or the transaction of the open snapshot, without the snapshot.
    Placebo,
}

pub const ROWS: &[(&str, Does)] = &[
    (OPEN_SNAPSHOT, Does::HoldsVersions),
    ("long_query", Does::HoldsVersions),
    ("logical_backup", Does::HoldsVersions),
    ("server_kill", Does::EndsServer),
    ("idle_connection", Does::Placebo),
    ("begin_read_committed", Does::Placebo),
    ("begin_read_uncommitted", Does::Placebo),
];

/// Whether the disturbance does that, called by its name or as a record tells it, `long_query (sessions 2)`.
pub fn does(disturbance: &str, what: Does) -> bool {
    let name = disturbance.split(' ').next();
    ROWS.iter().any(|(row, does)| name == Some(row) && *does == what)
}
