//! What was asked, as bytes: a number of its kind and its fields; bound values by their type.

use super::fields::meant;
use crate::statement::{Ask, Execute, Text};
use crate::value::{Bound, Value};
use crate::varint::{Cursor, Malformed, put, put_bytes, put_signed};
use std::sync::Arc;
use wire::mysql::row::{DateTime, Time};

/// What must stand in the block before the statement.
pub enum Needs<'a> {
    Nothing,
    Name(&'a Arc<str>),
    Text(&'a Text),
}

pub fn needs(ask: &Ask) -> Needs<'_> {
    match ask {
        Ask::Query(text) | Ask::Prepare { text, .. } => Needs::Text(text),
        Ask::Execute(execute) => execute.text.as_ref().map_or(Needs::Nothing, Needs::Text),
        Ask::InitDb(name) | Ask::Other(name) => Needs::Name(name),
        Ask::Connect { .. }
        | Ask::Fetch { .. }
        | Ask::Reset { .. }
        | Ask::Close { .. }
        | Ask::ChangeUser { .. }
        | Ask::ResetConnection
        | Ask::SetOption(_)
        | Ask::Ping
        | Ask::Quit => Needs::Nothing,
    }
}

/// Bits of an execute.
const BULK: u8 = 1;
const CURSOR: u8 = 2;
const KNOWN: u8 = 4;

pub fn put_ask(out: &mut Vec<u8>, ask: &Ask, meant: u64) {
    let mut put_kind = |kind: u8, numbers: &[u64]| {
        out.push(kind);
        numbers.iter().for_each(|number| put(out, *number));
    };
    match ask {
        Ask::Connect { collation } => put_kind(0, &[u64::from(*collation)]),
        Ask::Query(_) => put_kind(1, &[meant]),
        Ask::Prepare { statement, .. } => put_kind(2, &[u64::from(*statement), meant]),
        Ask::Execute(execute) => {
            put_kind(3, &[u64::from(execute.statement), meant]);
            put_execute(out, execute);
        }
        Ask::Fetch { statement, rows } => put_kind(4, &[u64::from(*statement), u64::from(*rows)]),
        Ask::Reset { statement } => put_kind(5, &[u64::from(*statement)]),
        Ask::Close { statement } => put_kind(6, &[u64::from(*statement)]),
        Ask::ChangeUser { collation } => put_kind(7, &[u64::from(*collation)]),
        Ask::InitDb(_) => put_kind(8, &[meant]),
        Ask::ResetConnection => put_kind(9, &[]),
        Ask::SetOption(option) => put_kind(10, &[u64::from(*option)]),
        Ask::Ping => put_kind(11, &[]),
        Ask::Quit => put_kind(12, &[]),
        Ask::Other(_) => put_kind(13, &[meant]),
    }
}

pub fn read_ask(cursor: &mut Cursor<'_>, names: &[Arc<str>], texts: &[Text]) -> Result<Ask, Malformed> {
    Ok(match cursor.byte()? {
        0 => Ask::Connect { collation: cursor.narrow()? },
        1 => Ask::Query(meant(texts, cursor)?),
        2 => Ask::Prepare { statement: cursor.narrow()?, text: meant(texts, cursor)? },
        3 => {
            let statement = cursor.narrow()?;
            let text = meant(texts, cursor)?;
            Ask::Execute(read_execute(cursor, statement, text)?)
        }
        4 => Ask::Fetch { statement: cursor.narrow()?, rows: cursor.narrow()? },
        5 => Ask::Reset { statement: cursor.narrow()? },
        6 => Ask::Close { statement: cursor.narrow()? },
        7 => Ask::ChangeUser { collation: cursor.narrow()? },
        8 => Ask::InitDb(meant(names, cursor)?),
        9 => Ask::ResetConnection,
        10 => Ask::SetOption(cursor.narrow()?),
        11 => Ask::Ping,
        12 => Ask::Quit,
        13 => Ask::Other(meant(names, cursor)?),
        _ => return Err(Malformed("an unknown kind of request")),
    })
}

fn put_execute(out: &mut Vec<u8>, execute: &Execute) {
    let bit = |is: bool, bit: u8| if is { bit } else { 0 };
    out.push(bit(execute.is_bulk, BULK) | bit(execute.cursor, CURSOR) | bit(execute.text.is_some(), KNOWN));
    put(out, execute.rows.len() as u64);
    for row in &execute.rows {
        put(out, row.len() as u64);
        row.iter().for_each(|bound| put_bound(out, bound));
    }
}

fn read_execute(cursor: &mut Cursor<'_>, statement: u32, text: Text) -> Result<Execute, Malformed> {
    let bits = cursor.byte()?;
    let count: usize = cursor.narrow()?;
    // Each row is a byte at least, and each value three: a count beyond that is damage.
    let mut rows = Vec::with_capacity(count.min(cursor.rest.len()));
    for _ in 0..count {
        let values: usize = cursor.narrow()?;
        let mut row = Vec::with_capacity(values.min(cursor.rest.len()));
        for _ in 0..values {
            row.push(read_bound(cursor)?);
        }
        rows.push(row);
    }
    let text = (bits & KNOWN != 0).then_some(text);
    Ok(Execute { statement, text, rows, is_bulk: bits & BULK != 0, cursor: bits & CURSOR != 0 })
}

fn put_bound(out: &mut Vec<u8>, bound: &Bound) {
    out.extend_from_slice(&[bound.code, u8::from(bound.unsigned)]);
    match &bound.value {
        Value::Null => out.push(0),
        Value::Int(value) => {
            out.push(1);
            put_signed(out, *value);
        }
        Value::UInt(value) => {
            out.push(2);
            put(out, *value);
        }
        Value::Float(value) => {
            out.push(3);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Value::Double(value) => {
            out.push(4);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Value::Bytes(value) => {
            out.push(5);
            put_bytes(out, value);
        }
        Value::DateTime(DateTime { year, month, day, hour, minute, second, micros }) => {
            out.push(6);
            put(out, u64::from(*year));
            out.extend_from_slice(&[*month, *day, *hour, *minute, *second]);
            put(out, u64::from(*micros));
        }
        Value::Time(Time { negative, days, hours, minutes, seconds, micros }) => {
            out.push(7);
            put(out, u64::from(*days));
            out.extend_from_slice(&[u8::from(*negative), *hours, *minutes, *seconds]);
            put(out, u64::from(*micros));
        }
        Value::Default => out.push(8),
        Value::Ignore => out.push(9),
    }
}

fn read_bound(cursor: &mut Cursor<'_>) -> Result<Bound, Malformed> {
    let [code, unsigned] = cursor.array()?;
    let value = match cursor.byte()? {
        0 => Value::Null,
        1 => Value::Int(cursor.signed()?),
        2 => Value::UInt(cursor.number()?),
        3 => Value::Float(f32::from_le_bytes(cursor.array()?)),
        4 => Value::Double(f64::from_le_bytes(cursor.array()?)),
        5 => Value::Bytes(cursor.bytes()?.to_vec()),
        6 => {
            let year = cursor.narrow()?;
            let [month, day, hour, minute, second] = cursor.array()?;
            Value::DateTime(DateTime { year, month, day, hour, minute, second, micros: cursor.narrow()? })
        }
        7 => {
            let days = cursor.narrow()?;
            let [negative, hours, minutes, seconds] = cursor.array()?;
            Value::Time(Time { negative: negative != 0, days, hours, minutes, seconds, micros: cursor.narrow()? })
        }
        8 => Value::Default,
        9 => Value::Ignore,
        _ => return Err(Malformed("an unknown kind of value")),
    };
    Ok(Bound { code, unsigned: unsigned != 0, value })
}
