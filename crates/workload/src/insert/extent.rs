//! How large the tables are, for the plan. Bytes were measured on MariaDB 10.11 with InnoDB.

use super::schema::rows_at_begin;
use super::work::{Extent as Size, Step};
use crate::Parameters;
use crate::asked::count;
use model::words::{Extent, Footprint, Grows};

/// InnoDB's row, in the order of the key.
const ROW: u64 = 82;
/// Its entries in the three secondary indexes, when they are built over rows that are there.
const ENTRIES: u64 = 110;

pub(super) fn footprint(parameters: &Parameters) -> Footprint {
    let (rows, is_indexed) = rows_at_begin(parameters);
    Footprint { bytes: rows * (ROW + if is_indexed { ENTRIES } else { 0 }), rows }
}

pub(super) const fn of(step: Step) -> Option<Grows> {
    match step {
        Step::Load => Some(loaded),
        Step::CreateIndexes => Some(indexed),
        // As many rows go as come; how far that loosens the pages is not foreseen.
        Step::Insert | Step::RangeQueries | Step::PointQueries => None,
    }
}

fn loaded(parameters: &Parameters, operations: u64, data: Extent) -> Extent {
    grown(data, operations.saturating_mul(count(parameters, "rows_per_transaction")).saturating_mul(ROW))
}

fn indexed(parameters: &Parameters, operations: u64, data: Extent) -> Extent {
    grown(data, operations.saturating_mul(Size::of(parameters).rows_of_table()).saturating_mul(ENTRIES))
}

fn grown(data: Extent, bytes: u64) -> Extent {
    let current = data.current.saturating_add(bytes);
    Extent { current, files: data.files.max(current), ..data }
}
