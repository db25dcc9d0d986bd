//! The lab's own names for what every server counts under a name of its version: one row per metric, with the sources
//! in which it may be found, best first. Read from what `status`, `innodb` and `rocksdb` have told at the same reading,
//! so it costs the server nothing. A metric that no source of this server has is missing, and said so once; whoever
//! judges it finds nothing there, and never a zero.

use crate::samplers::{Asker, Occasion, Reading, Source};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const NAME: &str = "database";

/// Name behind `db.`, and its sources; one source may be a sum.
type Row = (&'static str, &'static [&'static [&'static str]]);

/// About the server around the engine.
const SERVER: &[Row] = &[
    ("tmp_tables", &[&["status.Created_tmp_tables"]]),
    ("tmp_disk_tables", &[&["status.Created_tmp_disk_tables"]]),
    ("sort_rows", &[&["status.Sort_rows"]]),
    ("sort_merge_passes", &[&["status.Sort_merge_passes"]]),
    (
        "handler_reads",
        &[&[
            "status.Handler_read_first",
            "status.Handler_read_key",
            "status.Handler_read_last",
            "status.Handler_read_next",
            "status.Handler_read_prev",
            "status.Handler_read_rnd",
            "status.Handler_read_rnd_next",
        ]],
    ),
    ("handler_writes", &[&["status.Handler_write"]]),
    ("tables_opened", &[&["status.Opened_tables"]]),
    ("table_lock_waits", &[&["status.Table_locks_waited"]]),
    ("selects", &[&["status.Com_select"]]),
    ("query_cache_hits", &[&["status.Qcache_hits"]]),
];

const INNODB: &[Row] = &[
    ("rows_read", &[&["status.Innodb_rows_read"], &["innodb.dml_reads"], &["status.Rows_read"]]),
    ("row_lock_waits", &[&["status.Innodb_row_lock_waits"], &["innodb.lock_row_lock_waits"]]),
    ("row_lock_time_ms", &[&["status.Innodb_row_lock_time"], &["innodb.lock_row_lock_time"]]),
    ("deadlocks", &[&["status.Innodb_deadlocks"], &["innodb.lock_deadlocks"]]),
    ("history_list_length", &[&["status.Innodb_history_list_length"], &["innodb.trx_rseg_history_len"]]),
    ("page_reads", &[&["status.Innodb_buffer_pool_reads"], &["innodb.buffer_pool_reads"]]),
    ("page_read_requests", &[&["status.Innodb_buffer_pool_read_requests"], &["innodb.buffer_pool_read_requests"]]),
    ("pages_written", &[&["status.Innodb_pages_written"], &["innodb.buffer_pages_written"]]),
    (
        "page_splits",
        &[&["innodb.index_page_splits"], &["innodb.index_splits"], &["status.Innodb_buffer_pool_pages_split"]],
    ),
    ("page_merges", &[&["innodb.index_page_merge_successful"], &["innodb.index_merges"]]),
    ("redo_written", &[&["status.Innodb_os_log_written"], &["innodb.os_log_bytes_written"]]),
    ("redo_fsyncs", &[&["status.Innodb_os_log_fsyncs"], &["innodb.os_log_fsyncs"]]),
    ("data_fsyncs", &[&["status.Innodb_data_fsyncs"], &["innodb.os_data_fsyncs"]]),
    ("redo_waits", &[&["status.Innodb_log_waits"], &["innodb.log_waits"]]),
    ("checkpoint_age", &[&["status.Innodb_checkpoint_age"], &["innodb.log_lsn_checkpoint_age"]]),
    ("checkpoint_max_age", &[&["status.Innodb_checkpoint_max_age"], &["innodb.log_max_modified_age_async"]]),
    ("checkpoint_lsn", &[&["status.Innodb_lsn_last_checkpoint"], &["innodb.log_lsn_last_checkpoint"]]),
    ("pages_dirty", &[&["status.Innodb_buffer_pool_pages_dirty"]]),
    ("pages_total", &[&["status.Innodb_buffer_pool_pages_total"]]),
    ("rwlock_s_waits", &[&["innodb.innodb_rwlock_s_os_waits"], &["status.Innodb_s_lock_os_waits"]]),
    ("rwlock_x_waits", &[&["innodb.innodb_rwlock_x_os_waits"], &["status.Innodb_x_lock_os_waits"]]),
    ("rwlock_sx_waits", &[&["innodb.innodb_rwlock_sx_os_waits"]]),
];

const ROCKSDB: &[Row] = &[
    ("rows_read", &[&["status.Rocksdb_rows_read"]]),
    ("row_lock_waits", &[&["status.Rocksdb_row_lock_deadlocks", "status.Rocksdb_row_lock_wait_timeouts"]]),
    ("page_reads", &[&["status.Rocksdb_block_cache_miss"]]),
    ("page_read_requests", &[&["status.Rocksdb_block_cache_hit", "status.Rocksdb_block_cache_miss"]]),
    ("redo_written", &[&["status.Rocksdb_wal_bytes"]]),
    ("bytes_written", &[&["status.Rocksdb_bytes_written"]]),
    ("compaction_debt", &[&["rocksdb.compaction_debt"]]),
    ("write_stall_us", &[&["status.Rocksdb_stall_micros"]]),
    ("redo_fsyncs", &[&["status.Rocksdb_wal_synced"]]),
    ("tombstones_skipped", &[&["rocksdb.INTERNAL_DELETE_SKIPPED_COUNT"]]),
    ("keys_skipped", &[&["rocksdb.INTERNAL_KEY_SKIPPED_COUNT"]]),
];

pub(crate) struct Database {
    asker: Rc<RefCell<Asker>>,
    rows: Vec<&'static Row>,
}

impl Database {
    pub(crate) fn new(asker: Rc<RefCell<Asker>>, engine: &str) -> Self {
        let of_engine = match engine {
            "innodb" => INNODB,
            "rocksdb" => ROCKSDB,
            // No counters of their own are known of the others.
            _ => &[],
        };
        Self { asker, rows: SERVER.iter().chain(of_engine).collect() }
    }
}

impl Source for Database {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let asker = self.asker.borrow();
        // Nothing was told at all: `status` has said why.
        if asker.told.is_empty() {
            return;
        }
        let mut missing = Vec::new();
        for (name, sources) in &self.rows {
            let found = sources.iter().find_map(|names| {
                let parts: Option<Vec<_>> = names.iter().map(|n| asker.told.get(*n)).collect();
                parts.filter(|p| !p.is_empty())
            });
            match found {
                Some(parts) => {
                    let (first, _) = parts[0];
                    let sum = parts.iter().map(|(_, value)| value).sum();
                    reading.add(&format!("db.{name}"), first.unit, first.shape, sum);
                }
                None => missing.push(format!("db.{name}")),
            }
        }
        if !missing.is_empty() {
            reading.missing(&missing.join(", "), "no counter of this server says it");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samplers::Refused;
    use model::record::series::{Metric, Shape, Unit};

    #[test]
    fn a_metric_is_found_where_this_server_has_it_and_else_named_as_missing() {
        let told = |name: &str, value: f64| {
            (name.to_string(), (Metric { name: name.into(), unit: Unit::Count, shape: Shape::Counter }, value))
        };
        let mut asker = Asker::new(Box::new(Refused(String::new())));
        asker.told = [
            told("innodb.dml_reads", 7.0),
            told("status.Rows_read", 9.0),
            told("status.Sort_rows", 3.0),
            told("innodb.index_splits", 0.0),
        ]
        .into();
        let mut reading = Reading::default();
        Database::new(Rc::new(RefCell::new(asker)), "innodb").read(Occasion::Mark, &mut reading);
        let found: Vec<_> = reading.values.iter().map(|(m, v)| format!("{} {v}", m.name)).collect();
        assert_eq!(found, ["db.sort_rows 3", "db.rows_read 7", "db.page_splits 0"]);
        let (missing, _) = &reading.missing[0];
        assert!(missing.starts_with("db.tmp_tables, ") && missing.ends_with(", db.rwlock_sx_waits"), "{missing}");
        assert_eq!(missing.split(", ").count(), SERVER.len() + INNODB.len() - 3);
    }
}
