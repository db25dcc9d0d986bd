//! Placeholders of prepared statements as PostgreSQL writes them: scripts say `?` whatever the server is. sysbench
//! replaces every question mark; here those inside of literals, names and comments stay what they are.

use std::borrow::Cow;

/// The statement with `$1` to `$n` for its question marks.
pub fn numbered(sql: &str) -> Cow<'_, str> {
    if !sql.contains('?') {
        return Cow::Borrowed(sql);
    }
    let (mut out, mut rest, mut number) = (String::with_capacity(sql.len() + 8), sql, 0);
    while let Some(first) = rest.chars().next() {
        let (taken, after) = rest.split_at(opaque(rest).unwrap_or(first.len_utf8()));
        if taken == "?" {
            number += 1;
            out.push_str(&format!("${number}"));
        } else {
            out.push_str(taken);
        }
        rest = after;
    }
    Cow::Owned(out)
}

/// The length of what begins here and is not read: a literal, a quoted name or a comment.
fn opaque(text: &str) -> Option<usize> {
    let until = |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    match text.as_bytes() {
        [quote @ (b'\'' | b'"'), ..] => Some(until(if *quote == b'"' { "\"" } else { "'" }, 1)),
        [b'-', b'-', ..] => Some(until("\n", 2)),
        [b'/', b'*', ..] => Some(until("*/", 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_marks_are_numbered_where_they_stand_for_values() {
        assert_eq!(numbered("SELECT c FROM t WHERE id BETWEEN ? AND ?"), "SELECT c FROM t WHERE id BETWEEN $1 AND $2");
        assert_eq!(
            numbered("SELECT '?', \"a?\", 'it''s ?' -- ?\n, ? /* ? */"),
            "SELECT '?', \"a?\", 'it''s ?' -- ?\n, $1 /* ? */"
        );
        assert_eq!(numbered("SELECT 'open ?"), "SELECT 'open ?");
        assert!(matches!(numbered("SELECT 1"), Cow::Borrowed(_)));
        assert_eq!(numbered("ä?ö?"), "ä$1ö$2");
    }
}
