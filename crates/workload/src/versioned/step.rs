//! What each member of the family does: its statements, its words, and what one of its operations is, resolved from the
//! parameters once.

use super::knobs::{self, count};
use super::rows::Set;
use super::schema::Variant;
use super::statement::Say;
use crate::Parameters;
use model::words::Parameter;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Create,
    Insert,
    PointSelects,
    RangeQueries,
    SecondarySelects,
    UpdateNonIndex,
    UpdateIndex,
    DeleteAll,
    Moment,
    History,
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
            Step::Insert => each(Say::Insert),
            Step::PointSelects => each(Say::Point),
            Step::RangeQueries => ranges(),
            Step::SecondarySelects => each(Say::Secondary),
            Step::UpdateNonIndex => each(Say::UpdateNonIndex),
            Step::UpdateIndex => each(Say::UpdateIndex),
            Step::Create | Step::DeleteAll | Step::Moment | Step::History | Step::Access => Vec::new(),
        };
        let range_size = match step {
            Step::RangeQueries | Step::Access => count(parameters, "range_size").min(set.rows),
            Step::Create
            | Step::Insert
            | Step::PointSelects
            | Step::SecondarySelects
            | Step::UpdateNonIndex
            | Step::UpdateIndex
            | Step::DeleteAll
            | Step::Moment
            | Step::History => 1,
        };
        Self { step, variant: Variant::of(parameters), set, tables: count(parameters, "tables"), range_size, says }
    }

    /// Rows that must be current in each table when this step begins; `None` where that does not matter.
    pub fn begins_with(&self) -> Option<u64> {
        match self.step {
            Step::Create | Step::Moment => None,
            Step::Insert => Some(0),
            Step::PointSelects
            | Step::RangeQueries
            | Step::SecondarySelects
            | Step::UpdateNonIndex
            | Step::UpdateIndex
            | Step::DeleteAll
            | Step::History
            | Step::Access => Some(self.set.rows),
        }
    }
}

impl Step {
    pub const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Insert | Self::PointSelects | Self::SecondarySelects | Self::UpdateNonIndex | Self::UpdateIndex => {
                knobs::TRANSACTIONS
            }
            Self::RangeQueries => knobs::RANGES,
            Self::Access => knobs::ACCESS,
            Self::Create | Self::DeleteAll | Self::Moment | Self::History => knobs::STEP,
        }
    }
    pub const fn writes(self) -> bool {
        match self {
            Self::Create
            | Self::Insert
            | Self::UpdateNonIndex
            | Self::UpdateIndex
            | Self::DeleteAll
            | Self::Moment
            // It changes nothing, but takes the locks of one who does.
            | Self::Access => true,
            Self::PointSelects | Self::RangeQueries | Self::SecondarySelects | Self::History => false,
        }
    }
}
