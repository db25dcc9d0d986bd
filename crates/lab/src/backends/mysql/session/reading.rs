//! Hot path: decodes every cell of an answer as it is read, and keeps those that were asked for.

use super::columns::Columns;
use super::statement::Statement;
use wire::mysql::{Cell as WireCell, Definition, Malformed, Row, Visitor};
use workload::rows::{Cell, KeptRows};

/// Decodes every cell of an answer as it is read.
pub(crate) struct Reading<'s> {
    /// Types of the columns of an executed statement.
    pub(crate) types: Option<&'s mut Columns>,
    pub(crate) preparing: Option<&'s mut Statement>,
    pub(crate) keep: Option<&'s mut KeptRows>,
    /// Keeps each result and not the last alone.
    pub(crate) each: bool,
    /// Rows before the first that is kept.
    pub(crate) skip: &'s mut u64,
    pub(crate) wrong: Option<Malformed>,
}

impl Visitor for Reading<'_> {
    fn result_set(&mut self, columns: usize) {
        match &mut self.keep {
            Some(kept) if self.each => kept.begin(columns, 0),
            Some(kept) => kept.clear(columns),
            None => {}
        }
    }

    fn column(&mut self, index: usize, definition: Definition<'_>) {
        let types = match (&mut self.preparing, &mut self.types) {
            (Some(statement), _) => &mut statement.columns,
            (None, Some(types)) => types,
            (None, None) => return,
        };
        match definition.column_type() {
            Ok(t) => types.set(index, t),
            Err(malformed) => self.wrong = Some(malformed),
        }
    }

    #[inline]
    fn row(&mut self, row: Row<'_>) {
        if let Err(malformed) = self.decode(row) {
            self.wrong.get_or_insert(malformed);
        }
    }

    fn ok(&mut self, affected: u64) {
        if let (Some(kept), true) = (&mut self.keep, self.each) {
            kept.begin(0, affected);
        }
    }
}

impl Reading<'_> {
    #[inline]
    fn decode(&mut self, row: Row<'_>) -> Result<(), Malformed> {
        let mut keep = self.keep.as_deref_mut().filter(|_| *self.skip == 0);
        *self.skip = self.skip.saturating_sub(1);
        match row {
            Row::Text(text) => {
                for cell in text.cells() {
                    let cell = cell?;
                    if let Some(kept) = &mut keep {
                        kept.push(cell.map_or(Cell::Null, Cell::Bytes));
                    }
                }
            }
            Row::Binary(binary) => {
                let types = self.types.as_deref().map_or(&[][..], Columns::types);
                for cell in binary.cells(types)? {
                    let cell = cell?;
                    if let Some(kept) = &mut keep {
                        push(kept, cell);
                    }
                }
            }
        }
        Ok(())
    }
}

fn push(kept: &mut KeptRows, cell: WireCell<'_>) {
    match cell {
        WireCell::Null => kept.push(Cell::Null),
        WireCell::I64(n) => kept.push(Cell::Int(n)),
        WireCell::U64(n) => kept.push(Cell::UInt(n)),
        WireCell::F32(x) => kept.push(Cell::Real(f64::from(x))),
        WireCell::F64(x) => kept.push(Cell::Real(x)),
        WireCell::Bytes(b) => kept.push(Cell::Bytes(b)),
        WireCell::DateTime(t) => kept.push(Cell::Bytes(t.to_string().as_bytes())),
        WireCell::Time(t) => kept.push(Cell::Bytes(t.to_string().as_bytes())),
    }
}
