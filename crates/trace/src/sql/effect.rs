//! What a statement does to its transaction, as its first words tell: for sources that do not know the server's status.
//! What a stored procedure does is not seen.

use super::token::{Dialect, Token, tokens};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Begins,
    Commits,
    /// `COMMIT AND CHAIN`, `ROLLBACK AND CHAIN`: the next begins at once.
    Chains,
    RollsBack,
    Autocommit(bool),
    /// DDL and its like: ends an open transaction and is one of its own.
    CommitsItself,
    /// Reads or writes rows: with autocommit off it begins a transaction.
    Rows,
    None,
}

/// First words after which a server commits by itself.
const COMMITTING: [&str; 13] = [
    "ALTER", "ANALYZE", "CHECK", "CREATE", "DROP", "FLUSH", "GRANT", "INSTALL", "LOCK", "OPTIMIZE", "RENAME", "REVOKE",
    "TRUNCATE",
];
const OF_ROWS: [&str; 10] =
    ["CALL", "DELETE", "DO", "EXECUTE", "INSERT", "LOAD", "REPLACE", "SELECT", "UPDATE", "WITH"];

/// The effect of one statement, or of the last of several that has one.
pub fn effect(sql: &[u8]) -> Effect {
    let mut words = tokens(sql, Dialect::default());
    let first: Vec<Token<'_>> = words.by_ref().take(6).collect();
    let is = |at: usize, word: &str| first.get(at).is_some_and(|token| token.is(word));
    let any = |list: &[&str]| list.iter().any(|word| is(0, word));
    let chains = |from: usize| first.get(from..).is_some_and(|rest| rest.windows(2).any(chained));
    if is(0, "BEGIN") || is(0, "START") && is(1, "TRANSACTION") || is(0, "XA") && (is(1, "START") || is(1, "BEGIN")) {
        return Effect::Begins;
    }
    if is(0, "COMMIT") || is(0, "XA") && is(1, "COMMIT") {
        return if chains(1) { Effect::Chains } else { Effect::Commits };
    }
    // `ROLLBACK TO SAVEPOINT` ends nothing.
    if is(0, "ROLLBACK") && !first.iter().any(|token| token.is("TO")) || is(0, "XA") && is(1, "ROLLBACK") {
        return if chains(1) { Effect::Chains } else { Effect::RollsBack };
    }
    if is(0, "SET") {
        return autocommit(&first).map_or(Effect::None, Effect::Autocommit);
    }
    if is(0, "CREATE") && is(1, "TEMPORARY") || is(0, "DROP") && is(1, "TEMPORARY") {
        return Effect::Rows;
    }
    if any(&COMMITTING) {
        return Effect::CommitsItself;
    }
    if any(&OF_ROWS) || first.first().is_some_and(|token| token.is_symbol("(")) { Effect::Rows } else { Effect::None }
}

fn chained(pair: &[Token<'_>]) -> bool {
    pair[0].is("AND") && pair[1].is("CHAIN")
}

/// `SET [SESSION] autocommit = 0`, `SET @@autocommit = OFF`.
fn autocommit(first: &[Token<'_>]) -> Option<bool> {
    let names: [&[u8]; 4] = [b"autocommit", b"@@autocommit", b"@@session.autocommit", b"@@local.autocommit"];
    let at = first.iter().position(|token| names.iter().any(|name| token.text.eq_ignore_ascii_case(name)))?;
    let value = first.get(at + 2)?;
    match value.text.to_ascii_uppercase().as_slice() {
        b"0" | b"OFF" | b"FALSE" | b"'OFF'" => Some(false),
        b"1" | b"ON" | b"TRUE" | b"'ON'" => Some(true),
        _ => None,
    }
}
