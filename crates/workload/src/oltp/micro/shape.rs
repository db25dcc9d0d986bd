//! Hot path: the statements of the microbenchmarks, and what a correct server answers. What is read of a row decides
//! which indexes a server must look at: a column that the index has (covered), or one that only the row has.

use super::super::statement::Quoted;
use std::fmt::{Display, Write};
use std::ops::RangeInclusive;

/// What is done to the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// These columns are returned.
    Select(&'static str),
    /// The rows of `c` that they match are counted.
    Count,
    /// `c` gets another text.
    Update,
}

/// By which column rows are found: `id` has the primary key, `k` the secondary index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Id,
    K,
}

/// Which rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Those of a list of values.
    List(Key),
    /// Those between two values.
    Range(Key),
    /// The first row, always the same.
    One,
    /// Every row is read, and none has what is asked for.
    Scan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub what: What,
    pub which: Which,
}

impl Key {
    fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::K => "k",
        }
    }
}

impl Shape {
    pub fn writes(self) -> bool {
        self.what == What::Update
    }

    /// Replaces `sql` by the statement with these values and this text, or with question marks.
    pub fn write(self, sql: &mut String, table: u64, c: impl Display, values: &[impl Display]) {
        const WRITTEN: &str = "writing into a String cannot fail";
        sql.clear();
        match self.what {
            What::Select(columns) => write!(sql, "SELECT {columns} FROM sbtest{table} WHERE "),
            What::Count => write!(sql, "SELECT count(c) FROM sbtest{table} WHERE "),
            What::Update => write!(sql, "UPDATE sbtest{table} SET c={c} WHERE "),
        }
        .expect(WRITTEN);
        match self.which {
            Which::List(key) => {
                sql.push_str(key.name());
                sql.push_str(" IN (");
                let mut values = values.iter().enumerate();
                let written = values.try_for_each(|(n, id)| write!(sql, "{}{id}", if n == 0 { "" } else { ", " }));
                sql.push(')');
                written
            }
            Which::Range(key) => write!(sql, "{} BETWEEN {} AND {}", key.name(), values[0], values[1]),
            Which::One => write!(sql, "id={}", values[0]),
            Which::Scan => write!(sql, "LENGTH(c) < 0"),
        }
        .expect(WRITTEN);
    }

    /// The same with the values and the text of an update in place.
    pub fn write_values(self, sql: &mut String, table: u64, c: &[u8], values: &[u64]) {
        self.write(sql, table, Quoted(c), values);
    }

    /// How many rows a table of rows 1 to `rows` must return, or change; `None` where the data decide, as of `k`.
    /// `sorted` has room for the values.
    pub fn expected(self, values: &[u64], rows: u64, sorted: &mut Vec<u64>) -> Option<RangeInclusive<u64>> {
        if self.what == What::Count {
            return Some(1..=1);
        }
        let known = match self.which {
            Which::List(Key::K) | Which::Range(Key::K) => return None,
            Which::List(Key::Id) => {
                sorted.clear();
                sorted.extend(values.iter().filter(|id| **id <= rows));
                sorted.sort_unstable();
                sorted.dedup();
                sorted.len() as u64
            }
            Which::Range(Key::Id) => (values[1].min(rows) + 1).saturating_sub(values[0]),
            Which::One => 1,
            Which::Scan => 0,
        };
        Some(known..=known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_listed_twice_finds_one_row_and_one_past_the_end_none() {
        let mut sorted = Vec::new();
        let mut list = |values: &[u64]| {
            let shape = Shape { what: What::Select("c"), which: Which::List(Key::Id) };
            shape.expected(values, 10, &mut sorted)
        };
        assert_eq!([list(&[3, 7, 3]), list(&[10, 11]), list(&[11])], [Some(2..=2), Some(1..=1), Some(0..=0)]);
        let range = Shape { what: What::Select("id"), which: Which::Range(Key::Id) };
        assert_eq!(range.expected(&[8, 17], 10, &mut Vec::new()), Some(3..=3));
    }
}
