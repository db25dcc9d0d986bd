//! Hot path: which statements an operation has, and where a user finds those that it has prepared. Both lie in the user
//! itself, and its prepared statements as close together as the work has kinds: with a thousand users, each line of
//! memory that a turn reads comes from far away.

use super::statement::Kind;
use std::ops::Deref;

const MOST: usize = Kind::ALL.len();

/// Statements per operation in their order, each group in one table.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    groups: [(Kind, u32); MOST],
    count: u8,
    /// By kind: its place among the kinds that are said.
    places: [u8; MOST],
    said: u8,
}

impl Groups {
    /// `paired`: a delete takes an insert along.
    pub fn of(groups: impl IntoIterator<Item = (Kind, u32)>, paired: bool) -> Self {
        let mut all = Self { groups: [(Kind::Point, 0); MOST], count: 0, places: [0; MOST], said: 0 };
        for (kind, count) in groups {
            all.groups[usize::from(all.count)] = (kind, count);
            all.count += 1;
            all.say(kind);
            if paired && kind == Kind::Delete {
                all.say(Kind::Insert);
            }
        }
        all
    }

    fn say(&mut self, kind: Kind) {
        self.places[kind as usize] = self.said;
        self.said += 1;
    }

    /// How many kinds are said, with the inserts of deletes.
    pub fn kinds(&self) -> usize {
        usize::from(self.said)
    }

    /// Where the prepared statement of a kind that is said lies among those of all tables.
    #[inline]
    pub fn place(&self, kind: Kind, table: u64) -> usize {
        (table - 1) as usize * self.kinds() + usize::from(self.places[kind as usize])
    }
}

impl Deref for Groups {
    type Target = [(Kind, u32)];

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.groups[..usize::from(self.count)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_table_has_a_place_of_its_own() {
        let groups = Groups::of([(Kind::Point, 10), (Kind::Delete, 1)], true);
        let places = |table| [Kind::Point, Kind::Delete, Kind::Insert].map(|kind| groups.place(kind, table));
        assert_eq!((groups.len(), groups.kinds()), (2, 3));
        assert_eq!([places(1), places(2)], [[0, 1, 2], [3, 4, 5]]);
    }
}
