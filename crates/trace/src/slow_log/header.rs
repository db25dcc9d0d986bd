//! The lines with `#` before a statement: who, how long, how many rows. Every dialect writes `Key: value` pairs, so
//! pairs are read wherever they stand and keys that mean nothing here are passed over.

use super::time::{precise, span};
use model::Nanos;

/// What the header of one entry says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// As `# Time:` says: when it was logged, which is when the statement ended. Only where it is precise.
    pub time: Option<Nanos>,
    pub user: String,
    pub host: String,
    /// The server's number of the connection.
    pub thread: Option<u64>,
    pub schema: Option<String>,
    pub took: Option<Nanos>,
    pub locked: Option<Nanos>,
    pub start: Option<Nanos>,
    pub end: Option<Nanos>,
    pub rows: Option<u64>,
    pub examined: Option<u64>,
    pub affected: Option<u64>,
    pub error: Option<u16>,
    /// One of so many statements or sessions was logged (Percona's and MariaDB's rate limit).
    pub sampled: Option<u64>,
    has_account: bool,
}

const TIME: &[u8] = b"# Time: ";
const ACCOUNT: &[u8] = b"# User@Host: ";
const COMMAND: &[u8] = b"# administrator command: ";

/// Whether a line can only be the beginning of an entry. A statement's own line may look like one only if it copies a
/// whole header.
pub fn opens(line: &[u8]) -> bool {
    if let Some(time) = line.strip_prefix(TIME) {
        return time.first().is_some_and(u8::is_ascii_digit);
    }
    line.strip_prefix(ACCOUNT).is_some_and(|rest| account(&String::from_utf8_lossy(rest)).is_some())
}

pub fn is_command(line: &[u8]) -> bool {
    line.starts_with(COMMAND)
}

/// `…, Version: 8.0.36 (…). started with:`, which a server writes when it opens the log.
pub fn is_server_start(line: &[u8]) -> bool {
    line.ends_with(b"started with:") && line.windows(11).any(|window| window == b", Version: ")
}

/// `2024-01-01T12:00:00.123456Z     8 Query SELECT 1`, or the older form.
pub fn is_of_general_log(line: &[u8]) -> bool {
    [&b" Query\t"[..], b" Connect\t", b" Execute\t", b" Prepare\t"]
        .iter()
        .any(|word| line.windows(word.len()).any(|window| window == *word))
}

/// User, host and the rest of `root[root] @ localhost [127.0.0.1]  Id:     8`.
fn account(text: &str) -> Option<(String, String, &str)> {
    let (names, rest) = text.split_once(" @ ")?;
    let (privileged, login) = names.split_once('[')?;
    let login = login.strip_suffix(']')?;
    let (host, rest) = rest.split_once('[')?;
    let (address, rest) = rest.split_once(']')?;
    let user = if login.is_empty() { privileged } else { login };
    let host = if host.trim().is_empty() { address } else { host.trim() };
    Some((user.trim().to_string(), host.trim().to_string(), rest))
}

impl Header {
    /// A second account line without a statement between: the entry before had none.
    pub fn is_begun_again_by(&self, line: &[u8]) -> bool {
        self.has_account && opens(line)
    }

    pub fn line(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        if let Some(time) = text.strip_prefix("# Time: ") {
            self.time = precise(time.trim());
            return;
        }
        let pairs = match text.strip_prefix("# User@Host: ").and_then(account) {
            Some((user, host, rest)) => {
                (self.user, self.host, self.has_account) = (user, host, true);
                rest.to_string()
            }
            None => text.trim_start_matches('#').to_string(),
        };
        let mut words = pairs.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            let Some(key) = word.strip_suffix(':') else { continue };
            // A value may be missing, which says something too: `Schema:  QC_hit: No`.
            self.pair(key, words.next_if(|next| !next.ends_with(':')).unwrap_or(""));
        }
    }

    fn pair(&mut self, key: &str, value: &str) {
        match key {
            "Id" | "Thread_id" => self.thread = value.parse().ok().or(self.thread),
            "Schema" => self.schema = Some(value.to_string()),
            "Query_time" => self.took = span(value),
            "Lock_time" => self.locked = span(value),
            "Start" => self.start = precise(value),
            "End" => self.end = precise(value),
            "Rows_sent" => self.rows = value.parse().ok(),
            "Rows_examined" => self.examined = value.parse().ok(),
            "Rows_affected" => self.affected = value.parse().ok(),
            "Last_errno" | "Errno" => self.error = value.parse().ok(),
            "Log_slow_rate_limit" => self.sampled = value.parse().ok().filter(|rate| *rate > 1),
            _ => {}
        }
    }
}
