//! What an axis over builds implies of the variables of two servers. Versions differ in hundreds of variables, most of
//! them by having them at all, and that is the build itself. But some that both have are defaults which moved under the
//! same option file, and cost or save time: those are told, because a number may be theirs and not the build's. An
//! experiment pins them by `native` or by a word of its settings.

/// What stands for the value of a variable that one of the two does not have.
pub const ABSENT: &str = "(absent)";

/// Defaults that moved between the versions read (MySQL 5.5 to 9.7, MariaDB 10.1 to 11.8) and bear on speed.
const BEARING: &[&str] = &[
    "back_log",
    "eq_range_index_dive_limit",
    "innodb_adaptive_hash_index",
    "innodb_autoinc_lock_mode",
    "innodb_buffer_pool_instances",
    "innodb_change_buffering",
    "innodb_checksum_algorithm",
    "innodb_doublewrite",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_flush_neighbors",
    "innodb_io_capacity",
    "innodb_log_buffer_size",
    "innodb_lru_scan_depth",
    "innodb_max_dirty_pages_pct",
    "innodb_purge_threads",
    "innodb_snapshot_isolation",
    "innodb_spin_wait_delay",
    "innodb_sync_spin_loops",
    "innodb_undo_log_truncate",
    "join_buffer_size",
    "log_bin",
    "max_heap_table_size",
    "performance_schema",
    "query_cache_type",
    "read_buffer_size",
    "read_rnd_buffer_size",
    "sort_buffer_size",
    "sql_mode",
    "sync_binlog",
    "table_open_cache",
    "table_open_cache_instances",
    "thread_cache_size",
    "thread_handling",
    "time_zone",
    "tmp_table_size",
    "transaction_isolation",
];

/// What a commit is worth.
const DURABILITY: &[&str] = &[
    "innodb_flush_log_at_trx_commit",
    "rocksdb_flush_log_at_trx_commit",
    "log_bin",
    "sync_binlog",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
];

/// What a statement means, how it is carried out, and which bytes it writes. Builds have words of their own for it.
const MEANING: &[&str] = &[
    "innodb_doublewrite",
    "innodb_flush_method",
    "innodb_checksum_algorithm",
    "binlog_format",
    "wal_sync_method",
    "sql_mode",
    "time_zone",
    "TimeZone",
    "autocommit",
    "transaction_isolation",
    "default_transaction_isolation",
    "optimizer_switch",
    "lower_case_table_names",
    "innodb_snapshot_isolation",
    "character_set_server",
    "collation_server",
    "general_log",
    "slow_query_log",
];

pub fn is_durability(name: &str) -> bool {
    DURABILITY.contains(&name)
}

pub fn is_meaning(name: &str) -> bool {
    MEANING.contains(&name)
}

const ISOLATION: &str = "transaction_isolation";

/// Names that changed between versions, or are another server's, while the meaning stayed; and the one used here.
const RENAMED: &[(&str, &str)] = &[
    ("tx_isolation", ISOLATION),
    ("default_transaction_isolation", ISOLATION),
    ("tx_read_only", "transaction_read_only"),
];

/// A variable as MySQL's newer versions call it: `read committed` is PostgreSQL's word for READ-COMMITTED.
pub fn renamed(name: &str, value: &str) -> (String, String) {
    let name = RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new);
    let value = if name == ISOLATION { value.to_uppercase().replace(' ', "-") } else { value.to_string() };
    (name.to_string(), value)
}

/// Whether a difference between two builds is the build itself.
pub fn is_the_build(key: &str, base: &str, candidate: &str) -> bool {
    let Some((_, name)) = key.split_once('.') else { return false };
    !BEARING.contains(&name) || [base, candidate].contains(&ABSENT) || same_number(base, candidate)
}

/// `75` and `75.000000`.
pub fn same_number(base: &str, candidate: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    number(base).is_some_and(|base| number(candidate) == Some(base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_default_that_bears_on_speed_is_told_and_the_rest_is_the_build() {
        let told = |key: &str, base: &str, candidate: &str| !is_the_build(key, base, candidate);
        assert!(told("variable.sort_buffer_size", "262144", "2097152"));
        assert!(!told("variable.innodb_max_dirty_pages_pct", "75", "75.000000"), "the same number");
        assert!(!told("variable.innodb_change_buffering", "all", ABSENT), "one of the two has no such thing");
        assert!(!told("variable.lc_time_names", "en_US", "de_DE"), "nothing to do with speed");
        assert!(told("io", "epoll", "io_uring"), "nothing of the server");
        let read_committed = (ISOLATION.to_string(), "READ-COMMITTED".to_string());
        assert_eq!(renamed("tx_isolation", "READ-COMMITTED"), read_committed);
        assert_eq!(renamed("default_transaction_isolation", "read committed"), read_committed);
    }
}
