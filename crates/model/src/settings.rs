//! Settings of a server in the lab's own words. A word means the same on every kind and version; the kind translates it
//! (`lab/src/servers`), and what has no word goes through `native`, which is passed as it is and disclosed as such. The
//! two profiles are the ones that studies name: `durable` pins what seed 3 lists, `default` leaves the server alone.

use crate::words::{Class, Kind, Literal, Parameter};

const fn word(name: &'static str, kind: Kind, default: Option<Literal>, why: &'static str) -> Parameter {
    Parameter { name, kind, default, class: Class::Server, why }
}

/// The defaults are those of the profile `durable`; a word without one is left to the server unless an experiment says
/// it. In the profile `default` only the words marked as plumbing in [`PLUMBING`] keep theirs.
pub const ALL: &[Parameter] = &[
    word("buffer_pool", Kind::Size, Some(Literal::Count(1 << 30)), "memory for cached pages of the storage engine"),
    word(
        "buffer_pool_instances",
        Kind::Count { min: 1, max: 64 },
        None,
        "parts of the buffer pool with locks of their own",
    ),
    word("redo", Kind::Size, Some(Literal::Count(2 << 30)), "total capacity of the redo log"),
    word(
        "flush_at_commit",
        Kind::Count { min: 0, max: 2 },
        Some(Literal::Count(1)),
        "1 makes every commit durable; 2 and 0 trade that for speed",
    ),
    word("doublewrite", Kind::Flag, Some(Literal::Flag(true)), "protection against torn pages"),
    word("checksums", Kind::Choice(&["crc32", "none"]), Some(Literal::Text("crc32")), "page checksum algorithm"),
    word("direct_io", Kind::Flag, Some(Literal::Flag(true)), "bypass the page cache for data files"),
    word("performance_schema", Kind::Flag, Some(Literal::Flag(true)), "the server's own instrumentation"),
    word("binlog", Kind::Flag, Some(Literal::Flag(false)), "binary log"),
    word("query_cache", Kind::Flag, Some(Literal::Flag(false)), "result cache of the servers that still have one"),
    word("adaptive_hash_index", Kind::Flag, Some(Literal::Flag(false)), "InnoDB's hash index over hot pages"),
    word("change_buffer", Kind::Flag, None, "InnoDB's buffer of changes to secondary indexes"),
    word("flush_neighbors", Kind::Flag, None, "write dirty pages together with their neighbours"),
    word(
        "memtable",
        Kind::Size,
        None,
        "what a column family of RocksDB collects in memory before it is written out and merged",
    ),
    word("undo_tablespaces", Kind::Count { min: 0, max: 127 }, None, "files of undo, when the data directory is made"),
    word("engine_counters", Kind::Flag, None, "the storage engine's counters that are off by default"),
    word(
        "io_capacity",
        Kind::Count { min: 100, max: 10_000_000 },
        Some(Literal::Count(2_000)),
        "page flushing rate the server aims at, in pages per second",
    ),
    word(
        "max_connections",
        Kind::Count { min: 10, max: 100_000 },
        Some(Literal::Count(4_096)),
        "sessions the server accepts",
    ),
    word(
        "prepared_statement_limit",
        Kind::Count { min: 0, max: 4_194_304 },
        Some(Literal::Count(1_048_576)),
        "prepared statements over all sessions",
    ),
    word("tls", Kind::Flag, Some(Literal::Flag(false)), "offer encrypted connections"),
    word("doors", Kind::Flag, None, "serve the key protocols, as happens by itself where a workload uses one"),
    word("door_threads", Kind::Count { min: 1, max: 1_024 }, None, "threads that serve the users of key protocols"),
    word("read_batch", Kind::Count { min: 1, max: 1_048_576 }, None, "gets of a connection in one transaction"),
    word("write_batch", Kind::Count { min: 1, max: 1_048_576 }, None, "sets of a connection in one transaction"),
    word(
        "door_isolation",
        Kind::Choice(&["read_uncommitted", "read_committed", "repeatable_read", "serializable"]),
        None,
        "isolation of the transactions behind a key protocol",
    ),
];

/// Words that keep their default even in the profile `default`, because without them the lab cannot work.
pub const PLUMBING: &[&str] = &["max_connections", "prepared_statement_limit", "tls"];

pub const PROFILES: &[&str] = &["durable", "default"];

/// Words whose value is visible in the bytes of a data directory after a clean end; instances that differ in other
/// words can share a loaded dataset.
pub const SHAPES_BYTES: &[&str] = &["redo", "doublewrite", "checksums", "binlog", "undo_tablespaces"];
/// The other words: memory, flushing, endpoints, and what the server counts.
pub const SHAPES_NO_BYTE: &[&str] = &[
    "buffer_pool",
    "buffer_pool_instances",
    "flush_at_commit",
    "direct_io",
    "performance_schema",
    "query_cache",
    "adaptive_hash_index",
    "change_buffer",
    "flush_neighbors",
    "memtable",
    "engine_counters",
    "io_capacity",
    "max_connections",
    "prepared_statement_limit",
    "tls",
    "doors",
    "door_threads",
    "read_batch",
    "write_batch",
    "door_isolation",
];

/// The server's variables that a word moves, of whatever kind and version; `*` stands for any end.
const MOVES: &[(&str, &[&str])] = &[
    (
        "buffer_pool",
        &[
            "innodb_buffer_pool_*",
            "innodb_page_cleaners",
            "innodb_lru_*",
            "rocksdb_block_cache_size",
            "key_buffer_size",
            "aria_pagecache_buffer_size",
        ],
    ),
    ("buffer_pool_instances", &["innodb_buffer_pool_*", "innodb_page_cleaners"]),
    ("redo", &["innodb_log_*", "innodb_redo_log_*", "rocksdb_max_total_wal_size"]),
    ("flush_at_commit", &["innodb_flush_log_at_trx_commit", "rocksdb_flush_log_at_trx_commit"]),
    ("doublewrite", &["innodb_doublewrite*"]),
    ("checksums", &["innodb_checksum*"]),
    (
        "direct_io",
        &["innodb_flush_method", "innodb_data_file_buffering", "innodb_log_file_buffering", "rocksdb_use_direct_*"],
    ),
    ("performance_schema", &["performance_schema*"]),
    ("binlog", &["log_bin*", "sql_log_bin", "binlog_*", "sync_binlog", "log_slave*", "log_replica*"]),
    ("query_cache", &["query_cache*", "have_query_cache"]),
    ("adaptive_hash_index", &["innodb_adaptive_hash*"]),
    ("change_buffer", &["innodb_change_buffering"]),
    ("flush_neighbors", &["innodb_flush_neighbors"]),
    ("memtable", &["rocksdb_default_cf_options"]),
    ("undo_tablespaces", &["innodb_undo_tablespaces"]),
    ("engine_counters", &["innodb_monitor_*", "rocksdb_perf_context_level"]),
    ("io_capacity", &["innodb_io_capacity*"]),
    (
        "max_connections",
        &[
            "max_connections",
            "open_files_limit",
            "table_open_cache*",
            "thread_cache_size",
            "back_log",
            "performance_schema*",
        ],
    ),
    ("prepared_statement_limit", &["max_prepared_stmt_count"]),
    ("tls", &["have_ssl", "have_openssl", "ssl_*", "tls_*"]),
    ("doors", &[]),
    ("door_threads", &["daemon_memcached_option", "handlersocket_threads"]),
    ("read_batch", &["daemon_memcached_r_batch_size"]),
    ("write_batch", &["daemon_memcached_w_batch_size"]),
    ("door_isolation", &["innodb_api_trx_level"]),
];

pub fn moves(word: &str) -> &'static [&'static str] {
    MOVES.iter().find(|(name, _)| *name == word).map_or(&[], |(_, variables)| variables)
}

pub fn by_name(name: &str) -> Option<&'static Parameter> {
    ALL.iter().find(|p| p.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_says_which_variables_it_moves() {
        let told: Vec<_> = MOVES.iter().map(|(word, _)| *word).collect();
        assert_eq!(told, ALL.iter().map(|p| p.name).collect::<Vec<_>>(), "in the order of the words");
    }

    #[test]
    fn every_word_says_whether_it_shapes_bytes() {
        for word in ALL.iter().map(|p| p.name) {
            assert!(
                SHAPES_BYTES.contains(&word) != SHAPES_NO_BYTE.contains(&word),
                "{word} stands in one of the two lists"
            );
        }
        let words = SHAPES_BYTES.iter().chain(SHAPES_NO_BYTE);
        assert!(words.clone().all(|word| by_name(word).is_some()), "a word that is gone");
    }
}
