//! Hot path: COM_STMT_EXECUTE, written straight into the caller's buffer.
//!
//! Parameter types are sent with the first execute (`Types::Sent`) and may be left out while they stay the same
//! (`Types::Bound`), as libmariadb does. A packet kept for each statement and patched would be one more cache line to
//! fetch per user. Cursors and long data are not here.

use super::column::ColumnType;
use super::command::STMT_EXECUTE;
use super::packet;
use super::writer;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Param<'a> {
    Null,
    I64(i64),
    U64(u64),
    F64(f64),
    /// A number as it is written.
    Decimal(&'a [u8]),
    /// Bytes and text alike; text is in the session's charset.
    Bytes(&'a [u8]),
}

/// Whether an execute tells the server its parameter types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types {
    /// Needed the first time, and whenever a parameter's type changes.
    Sent,
    /// The server keeps the types of the last execute that sent them. A parameter that was then `Null` must still be.
    Bound,
}

/// Appends an execute of `statement`; returns the sequence number that the reply will start with.
#[inline]
pub fn execute<'a>(
    out: &mut Vec<u8>,
    statement: u32,
    params: impl ExactSizeIterator<Item = Param<'a>> + Clone,
    types: Types,
) -> u8 {
    packet::write(out, 0, |out| {
        head(out, statement);
        if params.len() == 0 {
            return;
        }
        let bitmap = out.len();
        out.resize(bitmap + params.len().div_ceil(8), 0);
        for (index, param) in params.clone().enumerate() {
            if param == Param::Null {
                out[bitmap + index / 8] |= 1 << (index % 8);
            }
        }
        match types {
            Types::Sent => {
                out.push(1);
                params.clone().for_each(|param| out.extend_from_slice(&param.type_bytes()));
            }
            Types::Bound => out.push(0),
        }
        params.for_each(|param| param.write(out));
    })
}

/// Command, statement, flags (no cursor), iteration count (always 1).
fn head(out: &mut Vec<u8>, statement: u32) {
    let [a, b, c, d] = statement.to_le_bytes();
    out.extend_from_slice(&[STMT_EXECUTE, a, b, c, d, 0, 1, 0, 0, 0]);
}

impl Param<'_> {
    fn type_bytes(&self) -> [u8; 2] {
        match self {
            Param::Null => [ColumnType::NULL, 0],
            Param::I64(_) => [ColumnType::LONGLONG, 0],
            Param::U64(_) => [ColumnType::LONGLONG, 0x80],
            Param::F64(_) => [ColumnType::DOUBLE, 0],
            Param::Decimal(_) => [ColumnType::NEWDECIMAL, 0],
            Param::Bytes(_) => [ColumnType::VAR_STRING, 0],
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Param::Null => {}
            Param::I64(value) => out.extend_from_slice(&value.to_le_bytes()),
            Param::U64(value) => out.extend_from_slice(&value.to_le_bytes()),
            Param::F64(value) => out.extend_from_slice(&value.to_le_bytes()),
            Param::Decimal(bytes) | Param::Bytes(bytes) => writer::lenenc_bytes(out, bytes),
        }
    }
}
