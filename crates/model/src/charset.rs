//! Charset labels: one word for a character set together with its collation, because a benchmark that sets one and
//! leaves the other to the server's default compares two things at once. Those of MySQL's family are the labels of seed
//! 0; PostgreSQL has one character set here and three ways to compare in it.

use crate::protocol::Protocol;

/// A label and what it stands for on the wire and in DDL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset {
    pub label: &'static str,
    /// Whose servers know it.
    pub protocol: Protocol,
    pub character_set: &'static str,
    pub collation: &'static str,
}

const fn mysql(label: &'static str, character_set: &'static str, collation: &'static str) -> Charset {
    Charset { label, protocol: Protocol::MySql, character_set, collation }
}

const fn postgresql(label: &'static str, collation: &'static str) -> Charset {
    Charset { label, protocol: Protocol::PostgreSql, character_set: "UTF8", collation }
}

pub const ALL: &[Charset] = &[
    mysql("latin1", "latin1", "latin1_swedish_ci"),
    mysql("utf8mb4-generic", "utf8mb4", "utf8mb4_general_ci"),
    mysql("utf8mb4-unicode", "utf8mb4", "utf8mb4_unicode_ci"),
    mysql("utf8mb4-0900", "utf8mb4", "utf8mb4_0900_ai_ci"),
    mysql("utf8mb4-uca1400", "utf8mb4", "utf8mb4_uca1400_ai_ci"),
    // What the database compares by where nobody says it: of a private server the C library's, in C.UTF-8.
    postgresql("utf8-default", "default"),
    // Byte by byte.
    postgresql("utf8-c", "C"),
    // The root of ICU's collations, which is the Unicode algorithm without a language.
    postgresql("utf8-icu", "und-x-icu"),
];

/// Just the labels, for a parameter's choices.
pub const LABELS: &[&str] = &{
    let mut labels = [""; ALL.len()];
    let mut at = 0;
    while at < labels.len() {
        labels[at] = ALL[at].label;
        at += 1;
    }
    labels
};

pub fn by_label(label: &str) -> Option<Charset> {
    ALL.iter().copied().find(|c| c.label == label)
}

/// The labels that servers of that protocol know, the first being taken where nobody says one.
pub fn of(protocol: Protocol) -> impl Iterator<Item = Charset> {
    ALL.iter().copied().filter(move |charset| charset.protocol == protocol)
}
