//! Hot path: rows, borrowed where they lie in the receive buffer.
//!
//! A text row is a list of strings or NULLs. A binary row is a bitmap of NULLs and then values whose layout only the
//! column types tell, so these are passed in. Nothing is copied, converted to another charset, or kept.

use super::column::ColumnType;
use super::reader::{Malformed, Reader};

/// One row of the reply to a text query or to an execute.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    Text(TextRow<'a>),
    Binary(BinaryRow<'a>),
}

#[derive(Clone, Copy, Debug)]
pub struct TextRow<'a> {
    payload: &'a [u8],
    columns: usize,
}

impl<'a> TextRow<'a> {
    pub fn new(payload: &'a [u8], columns: usize) -> Self {
        TextRow { payload, columns }
    }

    /// The cells from left to right; the iterator ends after an error.
    #[inline]
    pub fn cells(&self) -> TextCells<'a> {
        TextCells { reader: Reader::new(self.payload), left: self.columns }
    }
}

#[derive(Clone, Debug)]
pub struct TextCells<'a> {
    reader: Reader<'a>,
    left: usize,
}

impl<'a> Iterator for TextCells<'a> {
    type Item = Result<Option<&'a [u8]>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let cell = self.reader.lenenc_bytes_or_null();
        let ends_badly = self.left == 0 && !self.reader.is_empty();
        let cell = if ends_badly { cell.and(Err(Malformed("a row goes on after its last cell"))) } else { cell };
        if cell.is_err() {
            self.left = 0;
        }
        Some(cell)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct BinaryRow<'a> {
    payload: &'a [u8],
    columns: usize,
}

impl<'a> BinaryRow<'a> {
    pub fn new(payload: &'a [u8], columns: usize) -> Self {
        BinaryRow { payload, columns }
    }

    /// The cells from left to right, read as `types` say: one per column, as the statement's definitions gave them.
    #[inline]
    pub fn cells<'t>(&self, types: &'t [ColumnType]) -> Result<BinaryCells<'a, 't>, Malformed> {
        if types.len() != self.columns {
            return Err(Malformed("a row has another number of columns than its statement"));
        }
        let mut reader = Reader::new(self.payload);
        if reader.u8()? != 0 {
            return Err(Malformed("a binary row opens with zero"));
        }
        let nulls = reader.bytes(row_bitmap_bytes(types.len()))?;
        Ok(BinaryCells { reader, nulls, types, next: 0 })
    }
}

/// The bitmap of a row leaves its first two bits unused.
pub(super) const ROW_BITMAP_OFFSET: usize = 2;

pub(super) fn row_bitmap_bytes(columns: usize) -> usize {
    (columns + ROW_BITMAP_OFFSET).div_ceil(8)
}

#[derive(Clone, Debug)]
pub struct BinaryCells<'a, 't> {
    reader: Reader<'a>,
    nulls: &'a [u8],
    types: &'t [ColumnType],
    next: usize,
}

impl<'a> Iterator for BinaryCells<'a, '_> {
    type Item = Result<Cell<'a>, Malformed>;

    // Two places read rows, for which the compiler would call it; `bench/instructions.sh` counts what that costs.
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let column_type = *self.types.get(self.next)?;
        let bit = self.next + ROW_BITMAP_OFFSET;
        self.next += 1;
        let null = self.nulls[bit / 8] >> (bit % 8) & 1 == 1;
        let cell = if null { Ok(Cell::Null) } else { Cell::read(&mut self.reader, column_type) };
        let ends_badly = self.next == self.types.len() && !self.reader.is_empty();
        let cell = if ends_badly { cell.and(Err(Malformed("a row goes on after its last cell"))) } else { cell };
        if cell.is_err() {
            self.next = self.types.len();
        }
        Some(cell)
    }
}

/// A value of the binary protocol. Decimals, enums, bits and JSON arrive as bytes, as the server sends them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    Null,
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
    Bytes(&'a [u8]),
    DateTime(DateTime),
    Time(Time),
}

/// A DATE, DATETIME or TIMESTAMP; parts that the server left out are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateTime {
    pub year: u16,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub micros: u32,
}

/// A TIME, which is a signed span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    pub negative: bool,
    pub days: u32,
    pub hours: u8,
    pub minutes: u8,
    pub seconds: u8,
    pub micros: u32,
}

/// As the text protocol writes a DATETIME.
impl std::fmt::Display for DateTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { year, month, day, hour, minute, second, micros } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")?;
        if *micros == 0 { Ok(()) } else { write!(f, ".{micros:06}") }
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { negative, days, hours, minutes, seconds, micros } = self;
        let hours = days * 24 + u32::from(*hours);
        write!(f, "{}{hours:02}:{minutes:02}:{seconds:02}", if *negative { "-" } else { "" })?;
        if *micros == 0 { Ok(()) } else { write!(f, ".{micros:06}") }
    }
}

impl<'a> Cell<'a> {
    #[inline(always)]
    fn read(reader: &mut Reader<'a>, column_type: ColumnType) -> Result<Self, Malformed> {
        type T = ColumnType;
        let unsigned = column_type.unsigned;
        Ok(match column_type.code {
            T::LONGLONG if unsigned => Cell::U64(reader.u64()?),
            T::LONGLONG => Cell::I64(reader.u64()?.cast_signed()),
            T::LONG | T::INT24 if unsigned => Cell::U64(reader.u32()?.into()),
            T::LONG | T::INT24 => Cell::I64(reader.u32()?.cast_signed().into()),
            T::SHORT | T::YEAR if unsigned => Cell::U64(reader.u16()?.into()),
            T::SHORT | T::YEAR => Cell::I64(reader.u16()?.cast_signed().into()),
            T::TINY if unsigned => Cell::U64(reader.u8()?.into()),
            T::TINY => Cell::I64(reader.u8()?.cast_signed().into()),
            T::FLOAT => Cell::F32(f32::from_le_bytes(reader.array()?)),
            T::DOUBLE => Cell::F64(f64::from_le_bytes(reader.array()?)),
            T::DATE | T::DATETIME | T::TIMESTAMP => Cell::DateTime(DateTime::read(reader)?),
            T::TIME => Cell::Time(Time::read(reader)?),
            T::NULL => Cell::Null,
            T::DECIMAL | T::VARCHAR | T::BIT | T::JSON..=T::GEOMETRY => Cell::Bytes(reader.lenenc_bytes()?),
            _ => return Err(Malformed("an unknown column type")),
        })
    }
}

impl DateTime {
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut value = DateTime::default();
        let length = reader.u8()?;
        if !matches!(length, 0 | 4 | 7 | 11) {
            return Err(Malformed("a date of an impossible length"));
        }
        if length >= 4 {
            value.year = reader.u16()?;
            [value.month, value.day] = reader.array()?;
        }
        if length >= 7 {
            [value.hour, value.minute, value.second] = reader.array()?;
        }
        if length == 11 {
            value.micros = reader.u32()?;
        }
        Ok(value)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.push(11);
        out.extend_from_slice(&self.year.to_le_bytes());
        out.extend_from_slice(&[self.month, self.day, self.hour, self.minute, self.second]);
        out.extend_from_slice(&self.micros.to_le_bytes());
    }
}

impl Time {
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut value = Time::default();
        let length = reader.u8()?;
        if !matches!(length, 0 | 8 | 12) {
            return Err(Malformed("a time of an impossible length"));
        }
        if length >= 8 {
            value.negative = reader.u8()? != 0;
            value.days = reader.u32()?;
            [value.hours, value.minutes, value.seconds] = reader.array()?;
        }
        if length == 12 {
            value.micros = reader.u32()?;
        }
        Ok(value)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[12, u8::from(self.negative)]);
        out.extend_from_slice(&self.days.to_le_bytes());
        out.extend_from_slice(&[self.hours, self.minutes, self.seconds]);
        out.extend_from_slice(&self.micros.to_le_bytes());
    }
}
