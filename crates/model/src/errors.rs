//! What a load does when an operation meets an error: which errors are worth another try and how often, how long it
//! waits before it, and which end the run. Errors go by the server's numbers; those that no server numbers, because the
//! client alone sees them, are below 1000.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The client's own.
pub const LOST_CONNECTION: u32 = 0;
pub const TIME_OUT: u32 = 1;
pub const MALFORMED_ANSWER: u32 = 2;

pub const TOO_MANY_CONNECTIONS: u32 = 1040;

/// Words for numbers, in experiments and in sentences.
pub const NAMES: &[(&str, u32)] = &[
    ("lost_connection", LOST_CONNECTION),
    ("time_out", TIME_OUT),
    ("malformed_answer", MALFORMED_ANSWER),
    ("record_changed", 1020),
    ("too_many_connections", TOO_MANY_CONNECTIONS),
    ("server_shutdown", 1053),
    ("duplicate_key", 1062),
    ("lock_wait_timeout", 1205),
    ("deadlock", 1213),
    ("query_interrupted", 1317),
];

/// Errors that another moment may not bring: the transaction was the victim of another one. sysbench repeats operations
/// after the same three.
pub const RETRYABLE: [u32; 3] = [1020, 1205, 1213];

/// More than any conflict takes, and an end for a workload that can never succeed.
pub const RETRIES: u32 = 1_000;

/// The largest number that an error can have on the wire.
const LARGEST: u32 = u16::MAX as u32;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errors {
    /// How often an operation is tried again after this error; after others it fails at once, and the user goes on.
    pub retry: BTreeMap<u32, u32>,
    /// Between the rollback and the next try.
    pub back_off: Nanos,
    /// These end the run as failed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub stop: BTreeSet<u32>,
}

impl Default for Errors {
    fn default() -> Self {
        Self { retry: RETRYABLE.map(|number| (number, RETRIES)).into(), back_off: Nanos(0), stop: BTreeSet::new() }
    }
}

impl Errors {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
    pub fn retries(&self, number: u32) -> u32 {
        self.retry.get(&number).copied().unwrap_or(0)
    }
}

/// The number that a text names: a word of `NAMES`, or digits.
pub fn number(text: &str) -> Option<u32> {
    let named = NAMES.iter().find(|(name, _)| *name == text).map(|(_, number)| *number);
    named.or_else(|| text.parse().ok().filter(|number| (1_000..=LARGEST).contains(number)))
}

/// The word for it, or its digits: what `number` reads.
pub fn word(number: u32) -> String {
    let named = NAMES.iter().find(|(_, known)| *known == number);
    named.map_or_else(|| number.to_string(), |(name, _)| (*name).to_string())
}

/// Several in one text.
pub fn words(numbers: impl IntoIterator<Item = u32>) -> String {
    numbers.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The number with its word where it has one, as `1213 (deadlock)`; the client's own have the word alone.
pub fn shown(number: u32) -> String {
    match NAMES.iter().find(|(_, known)| *known == number) {
        Some((name, number)) if *number < 1_000 => name.replace('_', " "),
        Some((name, number)) => format!("{number} ({})", name.replace('_', " ")),
        None => number.to_string(),
    }
}

impl std::fmt::Display for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let retries = self.retry.iter().filter(|(_, times)| **times > 0);
        let retries: Vec<_> =
            retries.map(|(number, times)| format!("{} up to {times} times", shown(*number))).collect();
        write!(f, "tried again after {}", if retries.is_empty() { "nothing".into() } else { retries.join(", ") })?;
        if self.back_off > Nanos(0) {
            write!(f, ", {} later", self.back_off)?;
        }
        if !self.stop.is_empty() {
            let stop: Vec<_> = self.stop.iter().map(|number| shown(*number)).collect();
            write!(f, "; the run ends at {}", stop.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_goes_by_its_number_or_its_word() {
        assert_eq!((number("deadlock"), number("1213"), number("time_out")), (Some(1213), Some(1213), Some(TIME_OUT)));
        assert_eq!([number("deadlok"), number("1"), number("70000"), number("")], [None; 4]);
        assert_eq!(shown(1213) + ", " + &shown(0) + ", " + &shown(1064), "1213 (deadlock), lost connection, 1064");
    }
}
