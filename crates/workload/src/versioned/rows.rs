//! Hot path: which ids are current, and what their rows hold. Each iteration has a set of its own behind those before
//! it, and a row depends on (iteration, table, number) only: whoever inserts it and whoever reads it back from history,
//! many steps later and with other seeds, know the same row.

use super::knobs::{count, text};
use crate::Parameters;
use crate::draw::{Generator, strings};
use model::seed::Seed;

/// The seed of all contents, in every variant and every record; the number of the seed's own issue.
const CONTENTS: Seed = Seed(15_690);

/// The rows that are current in one iteration, in each table alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set {
    pub iteration: u64,
    pub rows: u64,
    /// Ids that were taken before the first iteration's.
    pub before: u64,
}

impl Set {
    pub fn of(parameters: &Parameters) -> Self {
        let rows = count(parameters, "rows");
        // An aged set has moved behind its own ids.
        let before = if text(parameters, "begin") == "aged" { rows } else { 0 };
        Self { iteration: count(parameters, "iteration"), rows, before }
    }
    pub fn first(&self) -> u64 {
        self.before + (self.iteration - 1) * self.rows + 1
    }
    pub fn last(&self) -> u64 {
        self.first() + self.rows - 1
    }
    /// An id of the set.
    pub fn draw(&self, generator: &mut Generator) -> u64 {
        self.first() + generator.below(self.rows)
    }
    /// The first of that many neighbouring ids, all of the set.
    pub fn draw_range(&self, generator: &mut Generator, size: u64) -> u64 {
        self.first() + generator.below(self.rows - size.min(self.rows) + 1)
    }
    /// What was inserted under this id.
    pub fn row(&self, table: u64, id: u64) -> Row {
        row(self.iteration, table, id - self.first(), self.rows)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub k: u64,
    pub c: [u8; strings::C],
    pub pad: [u8; strings::PAD],
}

/// `number` counts from 0 within its table and iteration; `k` is uniform as in sysbench's tables.
pub(super) fn row(iteration: u64, table: u64, number: u64, rows: u64) -> Row {
    let mut generator = Generator::new(CONTENTS.nth(iteration).nth(table).nth(number));
    let k = 1 + generator.below(rows);
    Row { k, c: strings::c(&mut generator), pad: strings::pad(&mut generator) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_follow_each_other_and_a_row_is_the_same_for_ever() {
        let set = |iteration, before| Set { iteration, rows: 100, before };
        assert_eq!((set(1, 0).first(), set(1, 0).last(), set(2, 0).first()), (1, 100, 101));
        assert_eq!(set(1, 100).first(), 101);
        assert_eq!(set(3, 0).row(7, 250), row(3, 7, 49, 100));
        assert_ne!(row(1, 1, 0, 100).c, row(2, 1, 0, 100).c);
        let mut generator = Generator::new(Seed(1));
        for _ in 0..1_000 {
            let set = set(4, 100);
            assert!((401..=500).contains(&set.draw(&mut generator)));
            let first = set.draw_range(&mut generator, 30);
            assert!(first >= 401 && first + 29 <= 500);
        }
        assert_eq!(set(1, 0).draw_range(&mut generator, 1_000), 1, "a range is never longer than the set");
    }
}
