//! A value as a client bound it to a prepared statement: with the type that it declared, so that it can be bound again
//! alike, and decoded, so that it can be masked, compared and written out as a literal.

use wire::mysql::row::{DateTime, Time};

/// A parameter of an execute.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// MySQL's number of the type (`wire::mysql::ColumnType`).
    pub code: u8,
    pub unsigned: bool,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    /// TINY, SHORT, LONG, LONGLONG, YEAR, declared signed.
    Int(i64),
    /// The same, declared unsigned.
    UInt(u64),
    Float(f32),
    Double(f64),
    /// Strings, BLOB, DECIMAL, JSON, ENUM, BIT: whatever travels as bytes.
    Bytes(Vec<u8>),
    /// DATE, DATETIME, TIMESTAMP.
    DateTime(DateTime),
    Time(Time),
    /// MariaDB's indicators of a bulk execute: the column's default, and leave it as it is.
    Default,
    Ignore,
}
