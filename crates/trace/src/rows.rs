//! Checksums of result sets, computed row by row as the rows pass and kept nowhere. Two of them: one that the order of
//! rows changes, and one that it does not, because a result without ORDER BY may come in any order and be the same.
//! A row is summed as it travelled (the payload of its packet), so sums of the text and of the binary protocol differ,
//! and so do those of a float that two versions print differently; whoever compares values reads the rows themselves.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowSums {
    /// XXH3 (64 bits) over each row, chained: the sum so far is the seed of the next row.
    pub ordered: u64,
    /// The wrapping sum of each row's XXH3.
    pub unordered: u64,
}

/// Sums rows; several result sets of one statement are summed as one, each parted from the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows {
    sums: RowSums,
    count: u64,
}

/// Parts two result sets, so that a row may not move from one into the other unnoticed.
const PARTING: u64 = 0x9E37_79B9_7F4A_7C15;

impl Rows {
    /// Adds a row: the payload of its packet.
    #[inline]
    pub fn add(&mut self, payload: &[u8]) {
        self.sums.ordered = xxh3_64_with_seed(payload, self.sums.ordered);
        self.sums.unordered = self.sums.unordered.wrapping_add(xxh3_64(payload));
        self.count += 1;
    }

    /// A result set is over.
    pub fn end_set(&mut self) {
        self.sums.ordered = self.sums.ordered.rotate_left(1) ^ PARTING;
        self.sums.unordered = self.sums.unordered.rotate_left(1) ^ PARTING;
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn sums(&self) -> RowSums {
        self.sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(rows: &[&str]) -> RowSums {
        let mut all = Rows::default();
        rows.iter().for_each(|row| all.add(row.as_bytes()));
        all.end_set();
        all.sums()
    }

    #[test]
    fn one_sum_tells_the_order_of_rows_and_the_other_only_what_they_are() {
        let (there, back) = (sums(&["a", "b", "c"]), sums(&["c", "b", "a"]));
        assert_ne!(there.ordered, back.ordered);
        assert_eq!(there.unordered, back.unordered);
        assert_ne!(there.unordered, sums(&["a", "b"]).unordered);
        assert_ne!(sums(&["a", "a"]).unordered, sums(&[]).unordered, "equal rows do not cancel each other");
    }
}
