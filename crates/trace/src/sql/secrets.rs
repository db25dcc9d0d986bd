//! Passwords, which no trace holds: where in a statement one stands, by the words before it (IDENTIFIED BY, PASSWORD,
//! MASTER_PASSWORD, SET PASSWORD …), in the statements that manage accounts, replication and remote servers. A string
//! that itself holds such a statement, for PREPARE or EXECUTE IMMEDIATE, is hidden as a whole. What an application
//! keeps in a column named `password` is data, and `--mask` is for that.

use super::token::{Dialect, Kind, Token, tokens};
use std::borrow::Cow;

/// What stands in the place of one.
pub const HIDDEN: &str = "<secret>";
/// Words that no statement lacks which holds a password: others are not looked at any closer.
const SIGNS: [&[u8]; 3] = [b"password", b"identified", b"wsrep_sst_auth"];

/// Where literals and parameters of a statement stand that are passwords.
fn secrets(sql: &[u8]) -> Vec<Token<'_>> {
    let all: Vec<Token<'_>> = tokens(sql, Dialect::default()).collect();
    let statements = all.split(|token| token.is_symbol(";"));
    statements.flat_map(|one| (0..one.len()).filter(|at| is_secret(one, *at)).map(|at| one[at])).collect()
}

/// The statement without its passwords; as it is, where it has none.
pub fn hidden(sql: &[u8]) -> Cow<'_, [u8]> {
    if !is_suspect(sql) {
        return Cow::Borrowed(sql);
    }
    let (mut out, mut from) = (Vec::with_capacity(sql.len()), 0);
    for token in secrets(sql).into_iter().filter(|token| token.kind != Kind::Parameter) {
        out.extend_from_slice(&sql[from..token.at]);
        out.extend_from_slice(format!("'{HIDDEN}'").as_bytes());
        from = token.end();
    }
    if from == 0 {
        return Cow::Borrowed(sql);
    }
    out.extend_from_slice(&sql[from..]);
    Cow::Owned(out)
}

/// Which parameters of a prepared statement are passwords, by their place from 0.
pub fn parameters(sql: &[u8]) -> Vec<usize> {
    if !is_suspect(sql) {
        return Vec::new();
    }
    let secret: Vec<usize> = secrets(sql).iter().map(|token| token.at).collect();
    let parameters = tokens(sql, Dialect::default()).filter(|token| token.kind == Kind::Parameter);
    parameters.enumerate().filter(|(_, token)| secret.contains(&token.at)).map(|(place, _)| place).collect()
}

/// Whether a closer look is worth while: this is asked of every statement.
fn is_suspect(sql: &[u8]) -> bool {
    let begins =
        |sign: &&[u8], at: usize| sql.get(at..at + sign.len()).is_some_and(|here| here.eq_ignore_ascii_case(sign));
    let first = |at: usize| matches!(sql[at] | 0x20, b'p' | b'i' | b'w');
    (0..sql.len()).any(|at| first(at) && SIGNS.iter().any(|sign| begins(sign, at)))
}

/// Words behind IDENTIFIED that a password follows.
const BEFORE: [&str; 4] = ["BY", "AS", "USING", "REPLACE"];
/// Statements in which a word that ends in PASSWORD names one; elsewhere it is a column, and what it equals is data.
const MANAGING: [&str; 3] = ["CHANGE", "START", "SET"];

/// Whether the token at this place of a statement is a password.
fn is_secret(all: &[Token<'_>], at: usize) -> bool {
    let token = &all[at];
    if !matches!(token.kind, Kind::Text | Kind::Bits | Kind::Parameter) {
        return false;
    }
    if token.kind == Kind::Text && is_statement(token.text) {
        return true;
    }
    let before = &all[..at];
    let of_password = all.len() > 1 && all[0].is("SET") && all[1].is("PASSWORD");
    if of_password && before.iter().any(|token| token.is_symbol("=")) {
        return true;
    }
    let skipped = before.iter().rev().take_while(|token| ["(", "=", ":="].iter().any(|s| token.is_symbol(s))).count();
    let Some(word) = before[..at - skipped].last().filter(|token| token.kind == Kind::Word) else { return false };
    let is_call = before.last().is_some_and(|token| token.is_symbol("("));
    let ends = word.text.to_ascii_uppercase().ends_with(b"PASSWORD");
    let is_managing = MANAGING.iter().any(|first| all[0].is(first));
    let is_identifying = before.iter().any(|token| token.is("IDENTIFIED"));
    ends && (is_call || is_managing || skipped == 0)
        || all[0].is("SET") && word.is("wsrep_sst_auth")
        || is_identifying && BEFORE.iter().any(|listed| word.is(listed))
}

/// Whether a string holds a statement that holds a password.
fn is_statement(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    let has = |word: &[u8]| lower.windows(word.len()).any(|window| window == word);
    has(b"identified") && (has(b"by") || has(b"as") || has(b"using")) || has(b"set") && has(b"password") && has(b"=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_hidden_wherever_servers_take_them() {
        for sql in [
            "CREATE USER 'u'@'h' IDENTIFIED BY 'pw', 'v'@'h' IDENTIFIED BY PASSWORD 'pw'",
            "create user u identified via ed25519 using 'pw' or unix_socket",
            "CREATE USER u IDENTIFIED VIA mysql_native_password USING PASSWORD('pw')",
            "ALTER USER u IDENTIFIED WITH caching_sha2_password AS 'pw' REQUIRE SUBJECT 'me'",
            "ALTER USER u IDENTIFIED BY 'pw' REPLACE 'pw'",
            "ALTER USER u IDENTIFIED WITH x AS 0x7077",
            "GRANT ALL ON *.* TO 'u'@'%' IDENTIFIED BY \"pw\"",
            "SET PASSWORD FOR 'u'@'h' = PASSWORD('pw')",
            "SET PASSWORD = 'pw'",
            "SET GLOBAL wsrep_sst_auth = 'u:pw'",
            "CHANGE MASTER TO MASTER_HOST='h', MASTER_PASSWORD='pw'",
            "CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD = 'pw'",
            "START REPLICA USER='u' PASSWORD='pw'",
            "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD 'pw')",
            "SELECT 1; SET PASSWORD = 'pw'",
            "SELECT PASSWORD ( 'pw' )",
            "PREPARE s FROM 'CREATE USER u IDENTIFIED BY \\'pw\\''",
            "EXECUTE IMMEDIATE \"SET PASSWORD = 'pw'\"",
        ] {
            let safe = String::from_utf8(hidden(sql.as_bytes()).into_owned()).unwrap();
            assert!(!safe.contains("pw") && !safe.contains("7077") && safe.contains(HIDDEN), "{sql}\n{safe}");
        }
        let kept = hidden(b"CREATE USER 'u'@'h' IDENTIFIED BY 'pw', 'v'@'h' IDENTIFIED BY 'pw'");
        assert_eq!(kept.as_ref(), b"CREATE USER 'u'@'h' IDENTIFIED BY '<secret>', 'v'@'h' IDENTIFIED BY '<secret>'");
    }

    #[test]
    fn data_stays_although_a_column_is_named_so() {
        for sql in ["SELECT 1 FROM users WHERE password = 'x' AND user_password = 'y'", "UPDATE t SET password='x'"] {
            assert!(matches!(hidden(sql.as_bytes()), Cow::Borrowed(_)), "{sql}");
        }
    }

    #[test]
    fn parameters_that_are_passwords_are_known_by_their_place() {
        assert_eq!(parameters(b"SELECT ?, PASSWORD(?), ?"), [1]);
        assert_eq!(parameters(b"SET PASSWORD FOR u = ?"), [0]);
        assert_eq!(parameters(b"SELECT ? FROM t WHERE password = ?"), Vec::<usize>::new());
    }
}
