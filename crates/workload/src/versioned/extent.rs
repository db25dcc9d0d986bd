//! How large the tables are when a run begins, and what each step makes of them, for the plan: before anything runs it
//! must tell in which iteration history will outgrow the cache. Bytes were measured on MariaDB 10.11 (8 users, 25,000
//! and 100,000 rows a table, four iterations): they meet what the files took within a fifth, and those of the seed (46
//! and 77 GB).

use super::knobs;
use super::schema::{Begin, Variant};
use super::step::{Single, Step, Transaction};
use crate::Parameters;
use model::words::{Extent, Footprint, Grows};

/// InnoDB's row of 188 bytes with its entry in k_N, as in the oltp family, loaded in the order of the key.
const LOADED_ROW: u64 = 240;
/// The same inserted by several users at once: none comes behind the last row, so that pages split and stay half full.
const INSERTED_ROW: u64 = 500;
/// A version that is no longer current, between those of other rows.
const VERSION: u64 = 400;
/// One in a partition of its own, where it comes behind versions of other times.
const VERSION_APART: u64 = 500;
/// A table without rows.
const EMPTY_TABLE: u64 = 1 << 17;
/// Extents that a file has in store: twice what it holds, up to this.
const STORE: u64 = 8 << 20;

pub(super) fn footprint(parameters: &Parameters) -> Footprint {
    let tables = knobs::count(parameters, "tables");
    let rows = tables * knobs::count(parameters, "rows");
    let (loaded, kept) = match (Begin::of(parameters), Variant::of(parameters).is_versioned()) {
        (Begin::Empty, _) => (0, 0),
        (Begin::Filled, _) | (Begin::Aged, false) => (rows, rows),
        (Begin::Aged, true) => (rows, 2 * rows),
    };
    Footprint { bytes: tables * EMPTY_TABLE + kept * LOADED_ROW, rows: loaded }
}

pub(super) const fn of(step: Step) -> Option<Grows> {
    match step {
        Step::Transactions(Transaction::Insert) => Some(inserted),
        Step::Transactions(Transaction::UpdateNonIndex | Transaction::UpdateIndex) => Some(updated),
        Step::Alone(Single::DeleteAll) => Some(deleted),
        Step::Alone(Single::DeleteHistory) => Some(forgotten),
        Step::Transactions(_) | Step::Alone(_) | Step::History => None,
    }
}

fn inserted(parameters: &Parameters, operations: u64, data: Extent) -> Extent {
    let rows = operations.saturating_mul(knobs::count(parameters, "per_transaction"));
    on_disk(parameters, Extent { current: data.current.saturating_add(rows.saturating_mul(INSERTED_ROW)), ..data })
}

/// The row itself stays as large as it was.
fn updated(parameters: &Parameters, operations: u64, data: Extent) -> Extent {
    kept(parameters, operations.saturating_mul(knobs::count(parameters, "per_transaction")), data)
}

/// All rows of a table at a time.
fn deleted(parameters: &Parameters, operations: u64, data: Extent) -> Extent {
    let tables = knobs::count(parameters, "tables");
    let gone = operations.min(tables);
    let current = data.current - data.current / tables * gone;
    kept(parameters, gone * knobs::count(parameters, "rows"), Extent { current, ..data })
}

fn forgotten(parameters: &Parameters, operations: u64, data: Extent) -> Extent {
    let tables = knobs::count(parameters, "tables");
    Extent { history: data.history - data.history / tables * operations.min(tables), ..data }
}

/// With so many versions more.
fn kept(parameters: &Parameters, versions: u64, data: Extent) -> Extent {
    let each = match Variant::of(parameters) {
        // No server takes the last.
        Variant::Plain | Variant::TransactionPartitioned => 0,
        Variant::Timestamp | Variant::Transaction => VERSION,
        Variant::TimestampPartitioned => VERSION_APART,
    };
    on_disk(parameters, Extent { history: data.history.saturating_add(versions.saturating_mul(each)), ..data })
}

fn on_disk(parameters: &Parameters, data: Extent) -> Extent {
    let store = knobs::count(parameters, "tables") * STORE;
    let loose = |bytes: u64| bytes.saturating_add(bytes.saturating_mul(2).min(store));
    let Extent { current, history, .. } = data;
    let files = match Variant::of(parameters) {
        Variant::TransactionPartitioned => 0,
        Variant::TimestampPartitioned => loose(current).saturating_add(loose(history)),
        Variant::Plain | Variant::Timestamp | Variant::Transaction => loose(current.saturating_add(history)),
    };
    Extent { files: files.max(data.files), ..data }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workload;
    use crate::versioned::MEMBERS;

    /// Bytes on disk after each of that many of the seed's iterations on so many tables and rows.
    fn files(variant: &str, tables: i64, rows: i64, iterations: u64) -> Vec<u64> {
        let mut parameters = MEMBERS[1].words().defaults();
        for (name, value) in [("variant", variant.into()), ("tables", tables.into()), ("rows", rows.into())] {
            parameters.insert(name.into(), value);
        }
        let transactions = (tables * rows / 10).unsigned_abs();
        let mut data = Extent::default();
        let iteration = |_| {
            data = inserted(&parameters, transactions, data);
            data = updated(&parameters, transactions, data);
            data = deleted(&parameters, tables.unsigned_abs(), data);
            assert_eq!(data.current, 0, "all rows are gone");
            data.files
        };
        (0..iterations).map(iteration).collect()
    }

    #[test]
    fn tables_grow_by_their_history_as_they_did_when_they_were_measured() {
        for (variant, tables, rows, measured) in [
            ("plain", 2, 25_000, 50.3e6),
            ("timestamp", 2, 25_000, 193e6),
            ("transaction", 2, 25_000, 197e6),
            ("timestamp_partitioned", 2, 25_000, 253e6),
        ] {
            let files = files(variant, tables, rows, 4)[3] as f64;
            assert!((0.75..1.25).contains(&(files / measured)), "{variant}: {files} of {measured}");
        }
    }

    #[test]
    fn without_versions_a_deleted_row_leaves_its_room_to_the_next() {
        let plain = files("plain", 32, 250_000, 10);
        assert!(plain.iter().all(|files| *files == plain[0]), "{plain:?}");
        let kept = files("timestamp", 32, 250_000, 10);
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "{kept:?}");
    }
}
