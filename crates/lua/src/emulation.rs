//! Prepared statements that are sent as texts (`--db-ps-mode=disable`): the values in place of the question marks,
//! escaped. sysbench does not escape them, and replaces question marks inside of literals too.

use std::fmt::Write;
use workload::session::Param;

/// How many question marks of the text stand for parameters.
pub fn parameters(sql: &str) -> usize {
    pieces(sql).count() - 1
}

/// The text between parameters.
fn pieces(sql: &str) -> impl Iterator<Item = &str> {
    let mut quote = None;
    sql.split(move |c| {
        match (quote, c) {
            (None, '\'' | '"' | '`') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, '?') => return true,
            (None | Some(_), _) => {}
        }
        false
    })
}

/// The statement with these values.
pub fn expand(sql: &str, params: &[Param<'_>], into: &mut String) {
    into.clear();
    for (n, piece) in pieces(sql).enumerate() {
        if n > 0 {
            literal(params.get(n - 1).copied().unwrap_or(Param::Null), into);
        }
        into.push_str(piece);
    }
}

fn literal(param: Param<'_>, into: &mut String) {
    let written = match param {
        Param::Null => into.write_str("NULL"),
        Param::Int(n) => write!(into, "{n}"),
        Param::Real(x) => write!(into, "{x:.6}"),
        Param::Decimal(digits) => into.write_str(&String::from_utf8_lossy(digits)),
        Param::Bytes(bytes) => {
            into.push('\'');
            for c in String::from_utf8_lossy(bytes).chars() {
                match c {
                    '\'' => into.push_str("''"),
                    '\\' => into.push_str("\\\\"),
                    '\0' => into.push_str("\\0"),
                    other => into.push(other),
                }
            }
            into.write_char('\'')
        }
    };
    written.expect("writing into a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_place_of_question_marks_outside_of_literals() {
        let sql = "UPDATE t SET a = ?, b = 'why?' WHERE c = ? AND d = ? AND e = ?";
        assert_eq!(parameters(sql), 4);
        let mut text = String::new();
        expand(sql, &[Param::Int(-3), Param::Bytes(b"it's\\"), Param::Null, Param::Real(2.5)], &mut text);
        assert_eq!(text, "UPDATE t SET a = -3, b = 'why?' WHERE c = 'it''s\\\\' AND d = NULL AND e = 2.500000");
    }
}
