//! Prepared statements of a session: what each was prepared as, the types that its last execute declared, the long data
//! sent ahead; and with these an execute's values.

use crate::statement::{Ask, Execute, Text};
use crate::value::{Bound, Value};
use std::collections::{BTreeMap, HashMap};
use wire::mysql::reader::{Malformed, Reader};
use wire::mysql::row::{DateTime, Time};
use wire::mysql::{ColumnType, Prepared};

/// Means the statement that was prepared last (MariaDB).
const LAST: u32 = 0xFFFF_FFFF;
/// Statements of one session: servers have a limit of theirs (max_prepared_stmt_count, 16,382 by default).
const MOST: usize = 65_536;
/// Flags of an execute: any kind of cursor.
const CURSORS: u8 = 0x07;
/// The client sends query attributes with it (MySQL): a count, and a name behind each type.
const PARAMETER_COUNT: u8 = 0x08;
/// Flag of a bulk execute: types are sent.
const SEND_TYPES: u16 = 128;
const UNSIGNED: u8 = 0x80;

#[derive(Debug, Default)]
pub struct Statements {
    known: HashMap<u32, Statement>,
    last: u32,
}

#[derive(Debug)]
struct Statement {
    text: Text,
    parameters: usize,
    types: Vec<ColumnType>,
    long: BTreeMap<u16, Vec<u8>>,
}

impl Statements {
    pub fn prepared(&mut self, prepared: Prepared, text: Text) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        let parameters = usize::from(prepared.parameters);
        self.last = prepared.statement;
        let statement = Statement { text, parameters, types: Vec::new(), long: BTreeMap::new() };
        self.known.insert(prepared.statement, statement);
    }

    pub fn close(&mut self, statement: u32) {
        self.known.remove(&statement);
    }

    pub fn reset(&mut self, statement: u32) {
        if let Some(statement) = self.known.get_mut(&statement) {
            statement.long.clear();
        }
    }

    /// Data beyond what a trace holds are cut: the statement is then too long for it anyway.
    pub fn long_data(&mut self, statement: u32, parameter: u16, data: &[u8]) {
        let statement = if statement == LAST { self.last } else { statement };
        let Some(statement) = self.known.get_mut(&statement) else { return };
        let held: usize = statement.long.values().map(Vec::len).sum();
        let room = (crate::block::MAX_BYTES + 1).saturating_sub(held);
        statement.long.entry(parameter).or_default().extend_from_slice(&data[..data.len().min(room)]);
    }

    /// What an execute asks; one whose statement or values are not known is told without them.
    pub fn execute(&mut self, payload: &[u8]) -> Ask {
        let read = self.values(payload).unwrap_or(None);
        self.asked(payload, read.map(|row| vec![row]), false)
    }

    pub fn bulk(&mut self, payload: &[u8]) -> Ask {
        let read = self.bulk_values(payload).unwrap_or(None);
        self.asked(payload, read, true)
    }

    fn asked(&mut self, payload: &[u8], rows: Option<Vec<Vec<Bound>>>, is_bulk: bool) -> Ask {
        let mut head = Reader::new(payload);
        let number = head.u32().unwrap_or(0);
        let flags = head.u8().unwrap_or(0);
        let statement = if number == LAST { self.last } else { number };
        let known = self.known.get_mut(&statement);
        let text = known.map(|known| {
            known.long.clear();
            known.text.clone()
        });
        // Values that could not be read would replay as another statement.
        let text = text.filter(|_| rows.is_some());
        let cursor = !is_bulk && flags & CURSORS != 0;
        Ask::Execute(Execute { statement, text, rows: rows.unwrap_or_default(), is_bulk, cursor })
    }

    fn values(&mut self, payload: &[u8]) -> Result<Option<Vec<Bound>>, Malformed> {
        let mut reader = Reader::new(payload);
        let Some(statement) = self.find(reader.u32()?) else { return Ok(None) };
        let flags = reader.u8()?;
        reader.u32()?;
        let has_names = flags & PARAMETER_COUNT != 0;
        let mut count = statement.parameters;
        if has_names {
            count = usize::try_from(reader.lenenc()?).map_err(|_| Malformed("more parameters than a statement has"))?;
        }
        if count == 0 {
            return Ok(Some(Vec::new()));
        }
        let nulls = reader.bytes(count.div_ceil(8))?;
        if reader.u8()? != 0 {
            statement.types = types(&mut reader, count, has_names)?;
        }
        if statement.types.len() < count {
            return Ok(None);
        }
        let mut row = Vec::with_capacity(count.min(statement.parameters));
        for place in 0..count {
            let column = statement.types[place];
            let long = u16::try_from(place).ok().and_then(|place| statement.long.remove(&place));
            let value = match long {
                Some(data) => Value::Bytes(data),
                None if nulls[place / 8] >> (place % 8) & 1 == 1 => Value::Null,
                None => value(&mut reader, column)?,
            };
            // Query attributes stand behind the statement's own parameters.
            if place < statement.parameters {
                row.push(Bound { code: column.code, unsigned: column.unsigned, value });
            }
        }
        Ok(Some(row))
    }

    fn bulk_values(&mut self, payload: &[u8]) -> Result<Option<Vec<Vec<Bound>>>, Malformed> {
        let mut reader = Reader::new(payload);
        let Some(statement) = self.find(reader.u32()?) else { return Ok(None) };
        let count = statement.parameters;
        if reader.u16()? & SEND_TYPES != 0 {
            statement.types = types(&mut reader, count, false)?;
        }
        if count == 0 || statement.types.len() < count {
            return Ok(None);
        }
        let mut rows = Vec::new();
        while !reader.is_empty() {
            let mut row = Vec::with_capacity(count);
            for column in &statement.types {
                let value = match reader.u8()? {
                    0 => value(&mut reader, *column)?,
                    1 => Value::Null,
                    2 => Value::Default,
                    3 => Value::Ignore,
                    _ => return Err(Malformed("an unknown indicator of a bulk execute")),
                };
                row.push(Bound { code: column.code, unsigned: column.unsigned, value });
            }
            rows.push(row);
        }
        Ok(Some(rows))
    }

    fn find(&mut self, statement: u32) -> Option<&mut Statement> {
        let statement = if statement == LAST { self.last } else { statement };
        self.known.get_mut(&statement)
    }
}

fn types(reader: &mut Reader<'_>, count: usize, has_names: bool) -> Result<Vec<ColumnType>, Malformed> {
    let one = |_| {
        let [code, flags] = reader.array()?;
        if has_names {
            reader.lenenc_bytes()?;
        }
        Ok(ColumnType { code, unsigned: flags & UNSIGNED != 0 })
    };
    (0..count).map(one).collect()
}

/// One value as the binary protocol has it.
fn value(reader: &mut Reader<'_>, column: ColumnType) -> Result<Value, Malformed> {
    type T = ColumnType;
    let signed = |value: i64| if column.unsigned { Value::UInt(value.cast_unsigned()) } else { Value::Int(value) };
    Ok(match column.code {
        T::NULL => Value::Null,
        T::TINY if column.unsigned => Value::UInt(reader.u8()?.into()),
        T::TINY => Value::Int(reader.u8()?.cast_signed().into()),
        T::SHORT | T::YEAR if column.unsigned => Value::UInt(reader.u16()?.into()),
        T::SHORT | T::YEAR => Value::Int(reader.u16()?.cast_signed().into()),
        T::LONG | T::INT24 if column.unsigned => Value::UInt(reader.u32()?.into()),
        T::LONG | T::INT24 => Value::Int(reader.u32()?.cast_signed().into()),
        T::LONGLONG => signed(reader.u64()?.cast_signed()),
        T::FLOAT => Value::Float(f32::from_le_bytes(reader.array()?)),
        T::DOUBLE => Value::Double(f64::from_le_bytes(reader.array()?)),
        T::DATE | T::DATETIME | T::TIMESTAMP => Value::DateTime(DateTime::read(reader)?),
        T::TIME => Value::Time(Time::read(reader)?),
        _ => Value::Bytes(reader.lenenc_bytes()?.to_vec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use wire::mysql::execute::{Param, Types, execute};

    #[test]
    fn values_are_read_as_they_were_bound_and_types_are_kept() {
        let mut all = Statements::default();
        let prepared = Prepared { statement: 7, parameters: 3, columns: 0, warnings: 0 };
        all.prepared(prepared, Arc::from(*b"SELECT ?, ?, ?"));
        let values = [Param::I64(-5), Param::Null, Param::Bytes(b"abc")];
        for types in [Types::Sent, Types::Bound] {
            let mut out = Vec::new();
            execute(&mut out, 7, values.into_iter(), types);
            let Ask::Execute(asked) = all.execute(&out[5..]) else { panic!("an execute") };
            let read: Vec<&Value> = asked.rows[0].iter().map(|bound| &bound.value).collect();
            assert_eq!(read, [&Value::Int(-5), &Value::Null, &Value::Bytes(b"abc".to_vec())]);
            assert_eq!((asked.statement, asked.text.as_deref()), (7, Some(&b"SELECT ?, ?, ?"[..])));
        }
        // Long data stand in for the value, once.
        all.long_data(LAST, 2, b"long ");
        all.long_data(7, 2, b"data");
        let mut out = Vec::new();
        execute(&mut out, 7, [Param::I64(1), Param::Null, Param::Null].into_iter(), Types::Bound);
        let Ask::Execute(asked) = all.execute(&out[5..]) else { panic!("an execute") };
        assert_eq!(asked.rows[0][2].value, Value::Bytes(b"long data".to_vec()));
        assert!(all.known[&7].long.is_empty());
    }

    #[test]
    fn what_was_prepared_before_the_trace_began_is_told_without_its_values() {
        let mut out = Vec::new();
        execute(&mut out, 9, [Param::I64(1)].into_iter(), Types::Sent);
        let Ask::Execute(asked) = Statements::default().execute(&out[5..]) else { panic!("an execute") };
        assert_eq!((asked.statement, asked.text, asked.rows.len()), (9, None, 0));
    }
}
