//! What a load does when an operation meets an error: which errors are worth another try and how often, how long it
//! waits before it, and which end the run. Errors go by the server's numbers; those that no server numbers, because the
//! client alone sees them, are below 1000. PostgreSQL's have an SQLSTATE and no number: where MySQL has the same error
//! they have its number, so that one experiment means the same on both, and else one of ours that is told as the state.

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

/// Errors that PostgreSQL and MySQL share, by what each calls them. A snapshot that was overtaken is MySQL's deadlock:
/// both say that the transaction is to begin anew.
const SHARED: &[(&[u8; 5], u32)] = &[
    (b"40001", 1213),
    (b"40P01", 1213),
    (b"55P03", 1205),
    (b"23505", 1062),
    (b"53300", TOO_MANY_CONNECTIONS),
    (b"57P01", 1053),
    (b"57014", 1317),
];

/// Digits of a state: 0 to 9 and A to Z.
const STATE_DIGITS: u32 = 36;

/// The number of an error of which a server says the state alone.
pub fn of_state(state: &[u8; 5]) -> u32 {
    let shared = SHARED.iter().find(|(known, _)| *known == state).map(|(_, number)| *number);
    let digit = |byte: &u8| char::from(*byte).to_digit(STATE_DIGITS).unwrap_or(0);
    shared.unwrap_or_else(|| LARGEST + 1 + state.iter().fold(0, |all, byte| all * STATE_DIGITS + digit(byte)))
}

/// The state that such a number stands for.
fn state(number: u32) -> Option<String> {
    let mut rest = number.checked_sub(LARGEST + 1)?;
    let mut digits = [0_u8; 5];
    for place in digits.iter_mut().rev() {
        let digit = char::from_digit(rest % STATE_DIGITS, STATE_DIGITS).expect("a remainder is a digit");
        *place = digit.to_ascii_uppercase() as u8;
        rest /= STATE_DIGITS;
    }
    (rest == 0).then(|| digits.iter().map(|digit| char::from(*digit)).collect())
}

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

/// Whether a server's message names its error itself, by its number or its state.
pub fn is_named_in(message: &str, number: u32) -> bool {
    message.starts_with(&state(number).unwrap_or_else(|| format!("error {number} ")))
}

/// The number with its word where it has one, as `1213 (deadlock)`; the client's own have the word alone.
pub fn shown(number: u32) -> String {
    match NAMES.iter().find(|(_, known)| *known == number) {
        Some((name, number)) if *number < 1_000 => name.replace('_', " "),
        Some((name, number)) => format!("{number} ({})", name.replace('_', " ")),
        None => state(number).map_or_else(|| number.to_string(), |state| format!("SQLSTATE {state}")),
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

    #[test]
    fn an_error_that_has_a_state_alone_is_mysqls_where_it_has_the_same_and_is_told_by_its_state_elsewhere() {
        assert_eq!([of_state(b"40P01"), of_state(b"40001"), of_state(b"23505")], [1213, 1213, 1062]);
        for state in [b"42P01", b"ZZZZZ", b"00000"] {
            assert_eq!(shown(of_state(state)), format!("SQLSTATE {}", String::from_utf8_lossy(state)));
        }
        assert_eq!(shown(u32::MAX), u32::MAX.to_string());
    }
}
