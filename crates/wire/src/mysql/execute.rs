//! Hot path: COM_STMT_EXECUTE, written straight into the caller's buffer.
//!
//! Two forms. `execute` takes parameters of any type. `Template` is for statements whose parameters are all integers: the
//! packet is built once and only eight bytes per parameter change. Parameter types are sent with the first execute
//! (`Types::Sent`) and may be left out while they stay the same (`Types::Bound`), as libmariadb does. Cursors and long data are not here.

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
pub fn execute(out: &mut Vec<u8>, statement: u32, params: &[Param<'_>], types: Types) -> u8 {
    packet::write(out, 0, |out| {
        head(out, statement);
        if params.is_empty() {
            return;
        }
        let bitmap = out.len();
        out.resize(bitmap + params.len().div_ceil(8), 0);
        for (index, param) in params.iter().enumerate() {
            if *param == Param::Null {
                out[bitmap + index / 8] |= 1 << (index % 8);
            }
        }
        match types {
            Types::Sent => {
                out.push(1);
                params.iter().for_each(|param| out.extend_from_slice(&param.type_bytes()));
            }
            Types::Bound => out.push(0),
        }
        params.iter().for_each(|param| param.write(out));
    })
}

/// Command, statement, flags (no cursor), iteration count (always 1).
fn head(out: &mut Vec<u8>, statement: u32) {
    out.push(STMT_EXECUTE);
    out.extend_from_slice(&statement.to_le_bytes());
    out.extend_from_slice(&[0, 1, 0, 0, 0]);
}

impl Param<'_> {
    fn type_bytes(&self) -> [u8; 2] {
        match self {
            Param::Null => [ColumnType::NULL, 0],
            Param::I64(_) => [ColumnType::LONGLONG, 0],
            Param::U64(_) => [ColumnType::LONGLONG, 0x80],
            Param::F64(_) => [ColumnType::DOUBLE, 0],
            Param::Bytes(_) => [ColumnType::VAR_STRING, 0],
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Param::Null => {}
            Param::I64(value) => out.extend_from_slice(&value.to_le_bytes()),
            Param::U64(value) => out.extend_from_slice(&value.to_le_bytes()),
            Param::F64(value) => out.extend_from_slice(&value.to_le_bytes()),
            Param::Bytes(bytes) => writer::lenenc_bytes(out, bytes),
        }
    }
}

/// An execute packet of integer parameters, ready to be sent again and again.
#[derive(Clone, Debug)]
pub struct Template {
    packet: Vec<u8>,
    values: usize,
}

impl Template {
    /// The sequence number that the reply to a template starts with: a template is always one packet.
    pub const REPLY_SEQUENCE: u8 = 1;

    /// All parameters start as zero. `parameters` is what the prepare reply said.
    pub fn new(statement: u32, parameters: u16, types: Types) -> Self {
        let zeros = vec![Param::I64(0); usize::from(parameters)];
        let mut packet = Vec::new();
        execute(&mut packet, statement, &zeros, types);
        let values = packet.len() - 8 * zeros.len();
        Template { packet, values }
    }

    #[inline]
    pub fn set(&mut self, parameter: usize, value: i64) {
        let at = self.values + 8 * parameter;
        self.packet[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.packet
    }
}
