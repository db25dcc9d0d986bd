//! Hot path: what a correct server's rows look like. Short answers are all looked at, lists one in sixteen; of lists
//! that may be full the last row is always kept, since where they end is remembered. A row that is not kept was still
//! parsed.

use super::data::NODE_TYPE;
use super::statement::TIME_COLUMN;
use crate::rows::KeptRows;
use crate::session::Want;

/// One list in so many is looked at: enough to see a wrong order within a second.
const SAMPLED: u64 = 16;
/// Loaded links of a list that is short enough to be looked at.
const SHORT: u64 = 128;
/// Adding links makes a list up to so many times as long as it was loaded.
const GROWTH: u64 = 20;

/// Which rows of a list are to be kept.
pub(super) fn worth_keeping(loaded: u64, limit: u64, count: u64) -> Want {
    let may_be_full = loaded * GROWTH >= limit;
    match count.is_multiple_of(SAMPLED) {
        true if may_be_full || loaded < SHORT => Want::Keep,
        false if may_be_full => Want::KeepFrom(limit.saturating_sub(1)),
        true | false => Want::Count,
    }
}

/// Visible links of this node and type, none newer than the one before it.
pub(super) fn is_a_list(rows: &KeptRows, id1: u64, link_type: u64, until: u64) -> bool {
    let mut before = until as i64;
    (0..rows.rows()).all(|row| {
        let time = rows.int(row, TIME_COLUMN).unwrap_or(i64::MAX);
        let ordered = time <= before;
        before = time;
        ordered && is_of(rows, row, id1, link_type) && rows.int(row, 3) == Some(1)
    })
}

/// Links of this node and type that were asked for, none twice.
pub(super) fn are_among(rows: &KeptRows, id1: u64, link_type: u64, ids: &[u64]) -> bool {
    let id2 = |row| rows.int(row, 1).unwrap_or(-1) as u64;
    (0..rows.rows()).all(|row| {
        is_of(rows, row, id1, link_type) && ids.contains(&id2(row)) && (0..row).all(|other| id2(other) != id2(row))
    })
}

fn is_of(rows: &KeptRows, row: usize, id1: u64, link_type: u64) -> bool {
    rows.int(row, 0) == Some(id1 as i64) && rows.int(row, 2) == Some(link_type as i64)
}

/// At most one node, of this id, as it was loaded or after an update.
pub(super) fn is_node(rows: &KeptRows, id: u64) -> bool {
    match rows.rows() {
        0 => true,
        1 => {
            let is_whole = rows.int(0, 1) == Some(NODE_TYPE as i64) && matches!(rows.int(0, 2), Some(1 | 2));
            rows.int(0, 0) == Some(id as i64) && is_whole
        }
        _ => false,
    }
}
