//! Column definitions: what a result set, or a prepared statement, says of each column.
//!
//! The hot path never reads them (a definition is handed on as bytes, `Definition`); a binary row only needs the
//! `ColumnType`, two bytes that a session keeps per column of a prepared statement.

use super::reader::{Malformed, Reader};
use super::writer;

/// How a cell of the binary protocol is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnType {
    pub code: u8,
    pub unsigned: bool,
}

impl ColumnType {
    pub const DECIMAL: u8 = 0;
    pub const TINY: u8 = 1;
    pub const SHORT: u8 = 2;
    pub const LONG: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const DOUBLE: u8 = 5;
    pub const NULL: u8 = 6;
    pub const TIMESTAMP: u8 = 7;
    pub const LONGLONG: u8 = 8;
    pub const INT24: u8 = 9;
    pub const DATE: u8 = 10;
    pub const TIME: u8 = 11;
    pub const DATETIME: u8 = 12;
    pub const YEAR: u8 = 13;
    pub const VARCHAR: u8 = 15;
    pub const BIT: u8 = 16;
    pub const JSON: u8 = 245;
    pub const NEWDECIMAL: u8 = 246;
    pub const ENUM: u8 = 247;
    pub const SET: u8 = 248;
    pub const TINY_BLOB: u8 = 249;
    pub const MEDIUM_BLOB: u8 = 250;
    pub const LONG_BLOB: u8 = 251;
    pub const BLOB: u8 = 252;
    pub const VAR_STRING: u8 = 253;
    pub const STRING: u8 = 254;
    pub const GEOMETRY: u8 = 255;

    pub const fn signed(code: u8) -> Self {
        ColumnType { code, unsigned: false }
    }
}

/// The payload of a definition packet, not read yet.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a>(pub &'a [u8]);

impl<'a> Definition<'a> {
    pub fn column_type(&self) -> Result<ColumnType, Malformed> {
        self.parse().map(|column| column.column_type())
    }

    pub fn parse(&self) -> Result<Column<'a>, Malformed> {
        let mut reader = Reader::new(self.0);
        if reader.lenenc_bytes()? != b"def" {
            return Err(Malformed("a column's catalogue is not 'def'"));
        }
        let [schema, table, org_table, name, org_name] = [
            reader.lenenc_bytes()?,
            reader.lenenc_bytes()?,
            reader.lenenc_bytes()?,
            reader.lenenc_bytes()?,
            reader.lenenc_bytes()?,
        ];
        if reader.lenenc()? < FIXED_BYTES {
            return Err(Malformed("a column's fixed part is too short"));
        }
        Ok(Column {
            schema,
            table,
            org_table,
            name,
            org_name,
            collation: reader.u16()?,
            length: reader.u32()?,
            code: reader.u8()?,
            flags: reader.u16()?,
            decimals: reader.u8()?,
        })
    }
}

/// Bytes of a definition after its strings: collation 2, length 4, type 1, flags 2, decimals 1, filler 2.
const FIXED_BYTES: u64 = 12;

/// A column as the server describes it. `length` is in bytes as displayed; `flags` are the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column<'a> {
    pub schema: &'a [u8],
    pub table: &'a [u8],
    pub org_table: &'a [u8],
    pub name: &'a [u8],
    pub org_name: &'a [u8],
    pub collation: u16,
    pub length: u32,
    pub code: u8,
    pub flags: u16,
    pub decimals: u8,
}

impl<'a> Column<'a> {
    pub const UNSIGNED_FLAG: u16 = 0x20;
    /// The collation id that stands for "bytes".
    pub const BINARY_COLLATION: u16 = 63;

    /// A column of no table, as `SELECT 1 AS name` has.
    pub fn plain(name: &'a str, column_type: ColumnType) -> Self {
        Column {
            schema: b"",
            table: b"",
            org_table: b"",
            name: name.as_bytes(),
            org_name: b"",
            collation: Self::BINARY_COLLATION,
            length: 255,
            code: column_type.code,
            flags: if column_type.unsigned { Self::UNSIGNED_FLAG } else { 0 },
            decimals: 0,
        }
    }

    pub fn column_type(&self) -> ColumnType {
        ColumnType { code: self.code, unsigned: self.flags & Self::UNSIGNED_FLAG != 0 }
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        writer::lenenc_bytes(out, b"def");
        for text in [self.schema, self.table, self.org_table, self.name, self.org_name] {
            writer::lenenc_bytes(out, text);
        }
        writer::lenenc(out, FIXED_BYTES);
        out.extend_from_slice(&self.collation.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
        out.push(self.code);
        out.extend_from_slice(&self.flags.to_le_bytes());
        out.extend_from_slice(&[self.decimals, 0, 0]);
    }
}
