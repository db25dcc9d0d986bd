//! What each member of the family does: its statements, its words, and what one of its operations is, resolved from the
//! parameters once.

use super::knobs::{self, count};
use super::rows::Set;
use super::schema::Variant;
use super::statement::Say;
use crate::Parameters;
use model::words::Parameter;
use std::fmt::Display;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Transactions(Transaction),
    Alone(Single),
    History,
}

/// Statements between BEGIN and COMMIT, all in one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transaction {
    Insert,
    PointSelects,
    RangeQueries,
    SecondarySelects,
    UpdateNonIndex,
    UpdateIndex,
}

/// A statement by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Single {
    Create,
    DeleteAll,
    DeleteHistory,
    Moment,
    Access,
}

/// One user's part of a step.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub step: Step,
    pub variant: Variant,
    pub set: Set,
    pub tables: u64,
    pub range_size: u64,
    /// Statements of a transaction in their order.
    pub says: Vec<Say>,
    /// Selects ask for all versions of their rows, and not for the current ones.
    pub all_versions: bool,
}

impl Work {
    pub fn of(step: Step, parameters: &Parameters) -> Self {
        let set = Set::of(parameters);
        let each = |say: Say| vec![say; count(parameters, "per_transaction") as usize];
        let ranges = || {
            let named = Say::RANGES.iter().zip(["simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"]);
            named.flat_map(|(say, knob)| vec![*say; count(parameters, knob) as usize]).collect()
        };
        let says = match step {
            Step::Transactions(Transaction::Insert) => each(Say::Insert),
            Step::Transactions(Transaction::PointSelects) => each(Say::Point),
            Step::Transactions(Transaction::RangeQueries) => ranges(),
            Step::Transactions(Transaction::SecondarySelects) => each(Say::Secondary),
            Step::Transactions(Transaction::UpdateNonIndex) => each(Say::UpdateNonIndex),
            Step::Transactions(Transaction::UpdateIndex) => each(Say::UpdateIndex),
            Step::Alone(_) | Step::History => Vec::new(),
        };
        let range_size = match step {
            Step::Transactions(Transaction::RangeQueries) | Step::Alone(Single::Access) => {
                count(parameters, "range_size").min(set.rows)
            }
            Step::Transactions(_) | Step::Alone(_) | Step::History => 1,
        };
        let variant = Variant::of(parameters);
        // A plain table has one version of each row, and no word for it.
        let all_versions = variant.is_versioned() && parameters.get("period").and_then(|p| p.text()) == Some("all");
        Self { step, variant, set, tables: count(parameters, "tables"), range_size, says, all_versions }
    }

    /// Replaces `sql` by a statement with these values, or question marks.
    pub fn write(&self, say: Say, sql: &mut String, table: u64, values: [impl Display; 2], texts: [impl Display; 2]) {
        const PERIOD: &str = " FOR SYSTEM_TIME ALL";
        say.write(sql, table, values, texts);
        if let Some(at) = sql.find(" WHERE").filter(|_| self.all_versions && !say.writes()) {
            sql.insert_str(at, PERIOD);
        }
    }

    /// Rows that must be current in each table when this step begins; `None` where that does not matter.
    pub fn begins_with(&self) -> Option<u64> {
        match self.step {
            Step::Alone(Single::Create | Single::Moment) => None,
            Step::Transactions(Transaction::Insert) => Some(0),
            Step::Transactions(_) | Step::Alone(_) | Step::History => Some(self.set.rows),
        }
    }
}

impl Step {
    pub const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Transactions(Transaction::PointSelects | Transaction::SecondarySelects) => knobs::SELECTS,
            Self::Transactions(Transaction::RangeQueries) => knobs::RANGES,
            Self::Transactions(_) => knobs::TRANSACTIONS,
            Self::Alone(Single::Access) => knobs::ACCESS,
            Self::Alone(_) | Self::History => knobs::STEP,
        }
    }
    pub const fn writes(self) -> bool {
        match self {
            Self::Transactions(transaction) => match transaction {
                Transaction::Insert | Transaction::UpdateNonIndex | Transaction::UpdateIndex => true,
                Transaction::PointSelects | Transaction::RangeQueries | Transaction::SecondarySelects => false,
            },
            // Access changes nothing, but takes the locks of one who does.
            Self::Alone(_) => true,
            Self::History => false,
        }
    }
}
