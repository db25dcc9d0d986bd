//! Rows that a user asked to read, in buffers that are used again for the next answer: after the first few answers
//! of a run, keeping rows allocates nothing.

/// One cell of a kept row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    Null,
    Int(i64),
    UInt(u64),
    Real(f64),
    /// Text, decimals, dates of the text protocol, blobs.
    Bytes(&'a [u8]),
}

#[derive(Clone, Copy, Debug)]
enum Entry {
    Null,
    Int(i64),
    UInt(u64),
    Real(f64),
    Bytes { start: u32, length: u32 },
}

#[derive(Debug, Default)]
pub struct Kept {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    columns: usize,
}

impl Kept {
    /// Forgets the rows and keeps the memory.
    pub fn clear(&mut self, columns: usize) {
        self.bytes.clear();
        self.entries.clear();
        self.columns = columns;
    }
    /// Becomes equal to `other`, in the memory that it has.
    pub fn copy(&mut self, other: &Self) {
        self.bytes.clone_from(&other.bytes);
        self.entries.clone_from(&other.entries);
        self.columns = other.columns;
    }
    /// Appends the next cell, in row order.
    pub fn push(&mut self, cell: Cell<'_>) {
        self.entries.push(match cell {
            Cell::Null => Entry::Null,
            Cell::Int(n) => Entry::Int(n),
            Cell::UInt(n) => Entry::UInt(n),
            Cell::Real(x) => Entry::Real(x),
            Cell::Bytes(b) => {
                let start = u32::try_from(self.bytes.len()).expect("kept rows stay under 4 GiB");
                self.bytes.extend_from_slice(b);
                Entry::Bytes { start, length: b.len() as u32 }
            }
        });
    }
    pub fn columns(&self) -> usize {
        self.columns
    }
    pub fn rows(&self) -> usize {
        self.entries.len().checked_div(self.columns).unwrap_or(0)
    }
    /// Panics when there is no such row or column, as a slice would.
    pub fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        assert!(column < self.columns);
        match self.entries[row * self.columns + column] {
            Entry::Null => Cell::Null,
            Entry::Int(n) => Cell::Int(n),
            Entry::UInt(n) => Cell::UInt(n),
            Entry::Real(x) => Cell::Real(x),
            Entry::Bytes { start, length } => Cell::Bytes(&self.bytes[start as usize..][..length as usize]),
        }
    }
    /// The cell as text; numbers are written out, NULL is `None`.
    pub fn text(&self, row: usize, column: usize) -> Option<String> {
        match self.cell(row, column) {
            Cell::Null => None,
            Cell::Int(n) => Some(n.to_string()),
            Cell::UInt(n) => Some(n.to_string()),
            Cell::Real(x) => Some(x.to_string()),
            Cell::Bytes(b) => Some(String::from_utf8_lossy(b).into_owned()),
        }
    }
    /// The cell as a whole number, read from text where the text protocol gave text.
    pub fn int(&self, row: usize, column: usize) -> Option<i64> {
        match self.cell(row, column) {
            Cell::Null => None,
            Cell::Int(n) => Some(n),
            Cell::UInt(n) => i64::try_from(n).ok(),
            Cell::Real(x) => Some(x as i64),
            Cell::Bytes(b) => decimal(b).or_else(|| std::str::from_utf8(b).ok()?.trim().parse().ok()),
        }
    }
}

/// Digits that cannot pass the end of an `i64`.
const SURE_DIGITS: usize = 18;

/// The number that plain digits are, as the text protocol writes nearly all; `None` where a closer look is needed.
#[inline]
fn decimal(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > SURE_DIGITS {
        return None;
    }
    text.iter().try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn int(text: &str) -> Option<i64> {
        let mut kept = Kept::default();
        kept.clear(1);
        kept.push(Cell::Bytes(text.as_bytes()));
        kept.int(0, 0)
    }

    proptest! {
        #[test]
        fn a_number_is_read_back_from_its_text(number: i64) {
            prop_assert_eq!(int(&number.to_string()), Some(number));
            prop_assert_eq!(int(&format!(" {number} ")), Some(number));
        }

        #[test]
        fn what_is_no_number_is_none(text in "[0-9]{0,3}[a-z.][0-9]{0,3}") {
            prop_assert_eq!(int(&text), None);
        }
    }
}
