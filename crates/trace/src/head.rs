//! The small files of a trace: what it is (`trace.json`, written first), how it ended (`end.json`, written last), and
//! the mix of statements where a source counts them and does not tell them one by one (`mix.json`).

use model::Nanos;
use serde::{Deserialize, Serialize};

/// It counts for the whole folder. A reader refuses any other: a trace is short-lived, and made anew rather than
/// converted.
pub const VERSION: u32 = 1;

pub const HEAD: &str = "trace.json";
pub const STATEMENTS: &str = "statements";
pub const MIX: &str = "mix.json";
pub const CLOSING: &str = "end.json";

/// What a trace was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Proxy,
    SlowLog,
    Packets,
    /// performance_schema's digests: a mix with rates, no statement, no session, no order.
    Digests,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub version: u32,
    pub origin: Origin,
    /// When the capture was begun, in nanoseconds since 1970 (UTC): not when the traffic was, of a log or a file.
    pub made: Nanos,
    /// As the server, or the head of its log, names its version; `None` where nothing did.
    pub server: Option<String>,
    /// Literals were replaced (`--mask`): the first bytes of the key's hash in hexadecimal, so that two traces of the
    /// same key can be told from those of two.
    pub masked: Option<String>,
    /// What a reader should know, as sentences: what this origin cannot know, what was left out.
    pub notes: Vec<String>,
}

/// Its presence says that the capture ended by itself or was stopped, and that all it had is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Closing {
    pub statements: u64,
    pub sessions: u64,
    /// Statements known to be missing, and places where an unknown number is.
    pub lost: u64,
    pub gaps: u64,
    /// Start of the first and end of the last statement, in nanoseconds since 1970 (UTC).
    pub first: Nanos,
    pub last: Nanos,
    /// What was noticed on the way, as sentences; each kind once, with its count.
    pub notes: Vec<String>,
}

/// How often what was asked: all that performance_schema's digests tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// The time that was counted, as the server's clock says, in nanoseconds since 1970 (UTC).
    pub from: Nanos,
    pub to: Nanos,
    pub lines: Vec<MixLine>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MixLine {
    pub database: Option<String>,
    /// The server's own digest and its text; it may be cut.
    pub digest: String,
    pub text: String,
    /// The digest of this text by `sql::digest`, in hexadecimal, by which it compares with statements of traces.
    pub ours: String,
    pub calls: u64,
    pub took: Nanos,
    pub errors: u64,
    pub warnings: u64,
    pub rows_sent: u64,
    pub rows_affected: u64,
    pub rows_examined: u64,
}
