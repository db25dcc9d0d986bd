//! A bound value written as the literal that means the same, as a server writes a prepared statement into its log: so
//! that an execute can be compared with a query, and explained.

use super::token::{Dialect, Kind, tokens};
use crate::value::{Bound, Value};
use std::io::Write;
use wire::mysql::ColumnType;

/// The text with its parameters replaced by these values, in their order; a parameter without a value stays.
pub fn with_values(sql: &[u8], values: &[Bound]) -> Vec<u8> {
    let (mut out, mut from) = (Vec::with_capacity(sql.len() + 16 * values.len()), 0);
    let parameters = tokens(sql, Dialect::default()).filter(|token| token.kind == Kind::Parameter);
    for (token, bound) in parameters.zip(values) {
        out.extend_from_slice(&sql[from..token.at]);
        literal(&mut out, bound);
        from = token.end();
    }
    out.extend_from_slice(&sql[from..]);
    out
}

/// Appends one value as SQL.
pub fn literal(out: &mut Vec<u8>, bound: &Bound) {
    let written = match &bound.value {
        Value::Null => write!(out, "NULL"),
        Value::Default => write!(out, "DEFAULT"),
        Value::Ignore => write!(out, "IGNORE"),
        Value::Int(value) => write!(out, "{value}"),
        Value::UInt(value) => write!(out, "{value}"),
        Value::Float(value) => write!(out, "{value}"),
        Value::Double(value) => write!(out, "{value}"),
        Value::DateTime(value) if bound.code == ColumnType::DATE => {
            write!(out, "'{:04}-{:02}-{:02}'", value.year, value.month, value.day)
        }
        Value::DateTime(value) => write!(out, "'{value}'"),
        Value::Time(value) => write!(out, "'{value}'"),
        Value::Bytes(bytes) if matches!(bound.code, ColumnType::DECIMAL | ColumnType::NEWDECIMAL) => {
            out.write_all(bytes)
        }
        Value::Bytes(bytes) => {
            quote(out, bytes);
            Ok(())
        }
    };
    written.expect("a vector takes what it is given");
}

/// Appends bytes as a string in single quotes, with a backslash before what needs one.
pub fn quote(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'\'');
    for byte in bytes {
        match byte {
            0 => out.extend_from_slice(b"\\0"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0x1A => out.extend_from_slice(b"\\Z"),
            b'\'' | b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            other => out.push(*other),
        }
    }
    out.push(b'\'');
}
