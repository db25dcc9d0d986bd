//! What each member of the family does, resolved from the parameters once: its size, and which table and keys belong to
//! which client.

use super::knobs::{self, count, flag, text};
use crate::Parameters;
use crate::oltp::Form;
use model::words::Parameter;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Load,
    CreateIndexes,
    Insert,
    RangeQueries,
    PointQueries,
}

impl Step {
    pub const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Load => knobs::LOAD,
            Self::CreateIndexes => knobs::INDEXES,
            Self::Insert => knobs::INSERT,
            Self::RangeQueries | Self::PointQueries => knobs::QUERIES,
        }
    }
    pub const fn writes(self) -> bool {
        match self {
            Self::Load | Self::CreateIndexes | Self::Insert => true,
            Self::RangeQueries | Self::PointQueries => false,
        }
    }
    /// Whether the secondary indexes must be there when it begins.
    pub const fn is_indexed(self) -> bool {
        match self {
            Self::Load | Self::CreateIndexes => false,
            Self::Insert | Self::RangeQueries | Self::PointQueries => true,
        }
    }
}

/// The tables and who has which keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub clients: u64,
    /// The rows of each client.
    pub rows: u64,
    pub is_one_table: bool,
}

/// The keys of one client in its table: every `stride`-th from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keys {
    pub table: u64,
    pub first: u64,
    pub stride: u64,
}

impl Extent {
    pub fn of(parameters: &Parameters) -> Self {
        Self {
            clients: count(parameters, "clients"),
            rows: count(parameters, "rows"),
            is_one_table: flag(parameters, "one_table"),
        }
    }
    pub fn tables(&self) -> u64 {
        if self.is_one_table { 1 } else { self.clients }
    }
    pub fn rows_of_table(&self) -> u64 {
        if self.is_one_table { self.rows * self.clients } else { self.rows }
    }
    /// The keys of the client with this number, from 0.
    pub fn keys(&self, client: u64) -> Keys {
        match self.is_one_table {
            true => Keys { table: 1, first: 1 + client, stride: self.clients },
            false => Keys { table: 1 + client, first: 1, stride: 1 },
        }
    }
}

impl Keys {
    /// The key of the client's row with this number, from 0.
    pub fn key(&self, number: u64) -> u64 {
        self.first + number * self.stride
    }
    /// The number of the row that has this key.
    pub fn number(&self, key: u64) -> u64 {
        key.saturating_sub(self.first) / self.stride
    }
}

/// One user's part of a step.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub step: Step,
    pub extent: Extent,
    /// Rows that an operation inserts, or asks for.
    pub rows: u64,
    /// Rows and index entries are counted before the step.
    pub counts: bool,
    /// How an INSERT is said.
    pub form: Form,
}

impl Work {
    pub fn of(step: Step, parameters: &Parameters) -> Self {
        let rows = match step {
            Step::Load | Step::Insert => count(parameters, "rows_per_transaction"),
            Step::RangeQueries | Step::PointQueries => count(parameters, "rows_per_query"),
            Step::CreateIndexes => 0,
        };
        let counts = step != Step::Load && text(parameters, "looks") == "all";
        let form = match step {
            Step::Load | Step::Insert => Form::of(parameters),
            Step::CreateIndexes | Step::RangeQueries | Step::PointQueries => Form::Text,
        };
        Self { step, extent: Extent::of(parameters), rows, counts, form }
    }

    /// Transactions that load all rows of a client.
    pub fn blocks(&self) -> u64 {
        self.extent.rows.div_ceil(self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_of_a_table_belongs_to_one_client() {
        for is_one_table in [false, true] {
            let extent = Extent { clients: 4, rows: 10, is_one_table };
            let mut taken = Vec::new();
            for client in 0..4 {
                let keys = extent.keys(client);
                let own: Vec<u64> = (0..10).map(|number| keys.key(number)).collect();
                assert!(own.iter().enumerate().all(|(n, key)| keys.number(*key) == n as u64));
                taken.extend(own.into_iter().map(|key| (keys.table, key)));
            }
            taken.sort_unstable();
            let all = (1..=extent.tables()).flat_map(|t| (1..=extent.rows_of_table()).map(move |key| (t, key)));
            assert_eq!(taken, all.collect::<Vec<_>>());
        }
    }
}
