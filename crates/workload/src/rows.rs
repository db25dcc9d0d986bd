//! Rows that a user asked to read, in buffers that are used again for the next answer: after the first few answers
//! of a run, keeping rows allocates nothing.

use std::collections::VecDeque;

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

#[derive(Clone, Debug, Default)]
pub struct KeptRows {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    columns: usize,
    affected: u64,
    /// Since it was cleared, a result has begun.
    has_begun: bool,
    /// While an answer is read, those before this one; afterwards those behind it. Most answers have one result.
    others: VecDeque<KeptRows>,
}

impl KeptRows {
    /// Forgets the rows and keeps the memory.
    pub fn clear(&mut self, columns: usize) {
        self.bytes.clear();
        self.entries.clear();
        self.columns = columns;
        self.has_begun = false;
        self.others.clear();
    }
    /// The answer's next result begins; one without columns has none but rows that it `affected`. Takes memory from the
    /// second on.
    pub fn begin(&mut self, columns: usize, affected: u64) {
        if self.has_begun {
            let mut others = std::mem::take(&mut self.others);
            others.push_back(std::mem::take(self));
            self.others = others;
        }
        (self.columns, self.affected, self.has_begun) = (columns, affected, true);
    }
    /// After the last: the first is at hand, and the others are behind it.
    pub fn rewind(&mut self) {
        if let Some(first) = self.others.pop_front() {
            let mut others = std::mem::take(&mut self.others);
            others.push_back(std::mem::replace(self, first));
            self.others = others;
        }
    }
    /// Has the next result at hand; false, and all is as it was, when there is none.
    pub fn advance(&mut self) -> bool {
        let Some(next) = self.others.pop_front() else { return false };
        let others = std::mem::take(&mut self.others);
        *self = Self { others, ..next };
        true
    }
    /// How many results are behind the one at hand.
    pub fn results_behind(&self) -> usize {
        self.others.len()
    }
    pub fn leave_others(&mut self) {
        self.others.clear();
    }
    /// Rows that a result without columns changed, where each result is kept.
    pub fn affected(&self) -> u64 {
        self.affected
    }
    /// Becomes equal to `other`, in the memory that it has.
    pub fn copy(&mut self, other: &Self) {
        self.bytes.clone_from(&other.bytes);
        self.entries.clone_from(&other.entries);
        (self.columns, self.affected, self.has_begun) = (other.columns, other.affected, other.has_begun);
        self.others.clone_from(&other.others);
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
        let mut kept = KeptRows::default();
        kept.clear(1);
        kept.push(Cell::Bytes(text.as_bytes()));
        kept.int(0, 0)
    }

    #[test]
    fn the_results_of_an_answer_are_read_in_their_order() {
        let mut kept = KeptRows::default();
        // The second answer finds what the first left.
        for _ in 0..2 {
            kept.clear(0);
            kept.begin(1, 0);
            kept.push(Cell::Int(1));
            kept.begin(0, 7);
            kept.begin(2, 0);
            kept.push(Cell::Int(2));
            kept.push(Cell::Bytes(b"two"));
            kept.rewind();
            assert_eq!((kept.columns(), kept.int(0, 0), kept.results_behind()), (1, Some(1), 2));
            assert!(kept.advance());
            assert_eq!((kept.columns(), kept.rows(), kept.affected()), (0, 0, 7));
            assert!(kept.advance());
            assert_eq!((kept.columns(), kept.text(0, 1).as_deref(), kept.results_behind()), (2, Some("two"), 0));
            assert!(!kept.advance() && kept.rows() == 1);
        }
        kept.begin(1, 0);
        kept.clear(1);
        assert_eq!((kept.rows(), kept.results_behind()), (0, 0));
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
