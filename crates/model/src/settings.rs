//! Settings of a server in the lab's own words. A word means the same on every kind and version; the kind translates it
//! (`lab/src/servers`), and what has no word goes through `native`, which is passed as it is and disclosed as such. The
//! two profiles are the ones that studies name: `durable` pins what seed 3 lists, `default` leaves the server alone.

use crate::words::{Class, Kind, Parameter, data};

/// A word, and what is known of it beside what it accepts.
struct Setting {
    word: Parameter,
    /// Whether its value is visible in the bytes of a data directory after a clean end; instances that differ in other
    /// words (memory, flushing, endpoints, what the server counts) can share a loaded dataset.
    shapes_bytes: bool,
    /// The server's variables that it moves, of whatever kind and version; `*` stands for any end.
    moves: &'static [&'static str],
}

const fn word(name: &'static str, why: &'static str) -> Parameter {
    Parameter { class: Class::Server, ..data(name, why) }
}
const fn live(word: Parameter, moves: &'static [&'static str]) -> Setting {
    Setting { word, shapes_bytes: false, moves }
}
const fn stored(word: Parameter, moves: &'static [&'static str]) -> Setting {
    Setting { word, shapes_bytes: true, moves }
}

/// The defaults are those of the profile `durable`; a word without one is left to the server unless an experiment says
/// it. In the profile `default` only the words marked as plumbing in [`PLUMBING`] keep theirs.
const SETTINGS: &[Setting] = &[
    live(
        word("buffer_pool", "memory for cached pages of the storage engine").size(1 << 30),
        &[
            "innodb_buffer_pool_*",
            "innodb_page_cleaners",
            "innodb_lru_*",
            "rocksdb_block_cache_size",
            "key_buffer_size",
            "aria_pagecache_buffer_size",
            "shared_buffers",
            "wal_buffers",
        ],
    ),
    live(
        word("buffer_pool_instances", "parts of the buffer pool with locks of their own")
            .accepting(Kind::Count { min: 1, max: 64 }),
        &["innodb_buffer_pool_*", "innodb_page_cleaners"],
    ),
    live(
        word("huge_pages", "the buffer pool in huge pages, which the host must have set aside").accepting(Kind::Flag),
        &["large_pages", "huge_pages*", "shared_memory_size_in_huge_pages"],
    ),
    stored(
        word("redo", "total capacity of the redo log").size(2 << 30),
        &["innodb_log_*", "innodb_redo_log_*", "rocksdb_max_total_wal_size", "max_wal_size"],
    ),
    live(
        word("flush_at_commit", "1 makes every commit durable; 2 and 0 trade that for speed").count(1, [0, 2]),
        &["innodb_flush_log_at_trx_commit", "rocksdb_flush_log_at_trx_commit", "synchronous_commit"],
    ),
    stored(
        word("doublewrite", "protection against torn pages").flag(true),
        &["innodb_doublewrite*", "full_page_writes"],
    ),
    stored(
        word("checksums", "page checksum algorithm").choice(&["crc32", "none"]),
        &["innodb_checksum*", "data_checksums"],
    ),
    live(
        word("direct_io", "bypass the page cache for data files").flag(true),
        &["innodb_flush_method", "innodb_data_file_buffering", "innodb_log_file_buffering", "rocksdb_use_direct_*"],
    ),
    live(
        word("performance_schema", "the server's own instrumentation").flag(true),
        &["performance_schema*", "track_io_timing"],
    ),
    stored(
        word("binlog", "binary log").flag(false),
        &["log_bin*", "sql_log_bin", "binlog_*", "sync_binlog", "log_slave*", "log_replica*"],
    ),
    live(
        word("query_cache", "result cache of the servers that still have one").flag(false),
        &["query_cache*", "have_query_cache"],
    ),
    live(word("adaptive_hash_index", "InnoDB's hash index over hot pages").flag(false), &["innodb_adaptive_hash*"]),
    live(
        word("change_buffer", "InnoDB's buffer of changes to secondary indexes").accepting(Kind::Flag),
        &["innodb_change_buffering"],
    ),
    live(
        word("flush_neighbors", "write dirty pages together with their neighbours").accepting(Kind::Flag),
        &["innodb_flush_neighbors"],
    ),
    live(
        word("memtable", "what a column family of RocksDB collects in memory before it is written out and merged")
            .accepting(Kind::Size),
        &["rocksdb_default_cf_options"],
    ),
    stored(
        word("undo_tablespaces", "files of undo, when the data directory is made")
            .accepting(Kind::Count { min: 0, max: 127 }),
        &["innodb_undo_tablespaces"],
    ),
    live(
        word("engine_counters", "the storage engine's counters that are off by default").accepting(Kind::Flag),
        &["innodb_monitor_*", "rocksdb_perf_context_level"],
    ),
    live(
        word("io_capacity", "page flushing rate the server aims at, in pages per second")
            .count(2_000, [100, 10_000_000]),
        &["innodb_io_capacity*"],
    ),
    live(
        word("max_connections", "sessions the server accepts").count(4_096, [10, 100_000]),
        &[
            "max_connections",
            "open_files_limit",
            "table_open_cache*",
            "thread_cache_size",
            "back_log",
            "performance_schema*",
        ],
    ),
    live(
        word("prepared_statement_limit", "prepared statements over all sessions").count(1_048_576, [0, 4_194_304]),
        &["max_prepared_stmt_count"],
    ),
    live(word("tls", "offer encrypted connections").flag(false), &["have_ssl", "have_openssl", "ssl_*", "tls_*"]),
    live(
        word("doors", "serve the key protocols, as happens by itself where a workload uses one").accepting(Kind::Flag),
        &[],
    ),
    live(
        word("door_threads", "threads that serve the users of key protocols")
            .accepting(Kind::Count { min: 1, max: 1_024 }),
        &["daemon_memcached_option", "handlersocket_threads"],
    ),
    live(
        word("read_batch", "gets of a connection in one transaction").accepting(Kind::Count { min: 1, max: 1_048_576 }),
        &["daemon_memcached_r_batch_size"],
    ),
    live(
        word("write_batch", "sets of a connection in one transaction")
            .accepting(Kind::Count { min: 1, max: 1_048_576 }),
        &["daemon_memcached_w_batch_size"],
    ),
    live(
        word("door_isolation", "isolation of the transactions behind a key protocol").accepting(Kind::Choice(&[
            "read_uncommitted",
            "read_committed",
            "repeatable_read",
            "serializable",
        ])),
        &["innodb_api_trx_level"],
    ),
];

/// The words alone.
pub const ALL: &[Parameter] = &{
    let mut all = [SETTINGS[0].word; SETTINGS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = SETTINGS[at].word;
        at += 1;
    }
    all
};

/// Words that keep their default even in the profile `default`, because without them the lab cannot work.
pub const PLUMBING: &[&str] = &["max_connections", "prepared_statement_limit", "tls"];

pub const PROFILES: &[&str] = &["durable", "default"];

fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.word.name == name)
}

/// Every word, in order.
pub fn words() -> impl Iterator<Item = &'static Parameter> {
    SETTINGS.iter().map(|setting| &setting.word)
}

pub fn by_name(name: &str) -> Option<&'static Parameter> {
    setting(name).map(|setting| &setting.word)
}

/// The variables that a word moves.
pub fn moves(word: &str) -> &'static [&'static str] {
    setting(word).map_or(&[], |setting| setting.moves)
}

/// Whether a word is part of a dataset's identity.
pub fn shapes_bytes(word: &str) -> bool {
    setting(word).is_some_and(|setting| setting.shapes_bytes)
}
