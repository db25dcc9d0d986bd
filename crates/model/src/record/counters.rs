//! What samplers tell under names of this program's own: a row says once what a counter is called, its unit and shape,
//! what it means, where it lies in the page's timeline, and in which of a server's counters it is found. Samplers, the
//! record's header lines, the timeline and docs/counters.md read these rows. Not here: what a server tells under names
//! of its own (`status.*`, `innodb.*`, `rocksdb.*`) and what workloads ask of their data (`data.*`), whose names and
//! shapes are known only when they are told.

use super::series::{Metric, Shape, Unit};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    pub name: &'static str,
    pub unit: Unit,
    pub shape: Shape,
    pub lane: Lane,
    pub meaning: &'static str,
    /// Where it is found, of what every server counts under a name of its version.
    pub found: &'static [Found],
}

/// Where a counter lies in the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// In the lane of busy CPUs, among those of this.
    Cpus(Who),
    /// In a lane of its own, until the reader chooses.
    First,
    /// In a lane of its own, where the reader chooses it.
    Always,
    /// Likewise, where the session has so few runs that all of their series are at hand.
    Offered,
}

/// Who kept a CPU busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Client,
    Server,
    /// All, these two among them.
    Host,
}

/// With this engine, or any: counters of servers, best first; each may be a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub engine: Option<&'static str>,
    pub sources: Sources,
}

pub type Sources = &'static [&'static [&'static str]];

const fn row(name: &'static str, unit: Unit, shape: Shape, meaning: &'static str) -> Counter {
    Counter { name, unit, shape, lane: Lane::Offered, meaning, found: &[] }
}
const fn count(name: &'static str, meaning: &'static str) -> Counter {
    row(name, Unit::Count, Shape::Counter, meaning)
}
const fn bytes(name: &'static str, meaning: &'static str) -> Counter {
    row(name, Unit::Bytes, Shape::Counter, meaning)
}
const fn nanos(name: &'static str, meaning: &'static str) -> Counter {
    row(name, Unit::Nanos, Shape::Counter, meaning)
}
const fn any(sources: Sources) -> Found {
    Found { engine: None, sources }
}
const fn innodb(sources: Sources) -> Found {
    Found { engine: Some("innodb"), sources }
}
const fn rocksdb(sources: Sources) -> Found {
    Found { engine: Some("rocksdb"), sources }
}
/// Where PostgreSQL has it.
const fn heap(sources: Sources) -> Found {
    Found { engine: Some("heap"), sources }
}

impl Counter {
    /// A level at a moment.
    const fn level(self) -> Self {
        Self { shape: Shape::Gauge, ..self }
    }
    const fn lane(self, lane: Lane) -> Self {
        Self { lane, ..self }
    }
    const fn found(self, found: &'static [Found]) -> Self {
        Self { found, ..self }
    }
    /// As a record's header line has it.
    pub fn metric(&self) -> Metric {
        Metric { name: self.name.to_string(), unit: self.unit, shape: self.shape }
    }
    /// The source that tells it: what stands before the first dot.
    pub fn source(&self) -> &'static str {
        self.name.split('.').next().unwrap_or(self.name)
    }
    /// What its source calls it.
    pub fn own_name(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(_, own)| own)
    }
    /// Where a server with this engine has it; `None` where none is known to.
    pub fn sources(&self, engine: &str) -> Option<Sources> {
        let is_its = |found: &&Found| found.engine.is_none_or(|its| its == engine);
        self.found.iter().find(is_its).map(|found| found.sources)
    }
}

/// The row of that name.
pub fn named(name: &str) -> Option<&'static Counter> {
    ALL.iter().find(|counter| counter.name == name)
}

/// All that one source tells, in their order.
pub fn of(source: &str) -> impl Iterator<Item = &'static Counter> {
    ALL.iter().filter(move |counter| counter.source() == source)
}

pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|counter| counter.name).collect()
}

/// Names of those in that lane.
pub fn in_lane(lane: Lane) -> Vec<&'static str> {
    ALL.iter().filter(|counter| counter.lane == lane).map(|counter| counter.name).collect()
}

/// Names of those that the timeline of any session has, however long it is.
pub fn in_any_timeline() -> Vec<&'static str> {
    ALL.iter().filter(|counter| counter.lane != Lane::Offered).map(|counter| counter.name).collect()
}

pub const ALL: &[Counter] = &[
    count("db.tmp_tables", "temporary tables made for statements").found(&[any(&[&["status.Created_tmp_tables"]])]),
    count("db.tmp_disk_tables", "those of them that went to disk")
        .found(&[any(&[&["status.Created_tmp_disk_tables"]])]),
    count("db.sort_rows", "rows sorted").found(&[any(&[&["status.Sort_rows"]])]),
    count("db.sort_merge_passes", "passes that merged sorted pieces on disk")
        .found(&[any(&[&["status.Sort_merge_passes"]])]),
    count("db.handler_reads", "rows and index entries that the server asked the engine for").lane(Lane::Always).found(
        &[any(&[&[
            "status.Handler_read_first",
            "status.Handler_read_key",
            "status.Handler_read_last",
            "status.Handler_read_next",
            "status.Handler_read_prev",
            "status.Handler_read_rnd",
            "status.Handler_read_rnd_next",
        ]])],
    ),
    count("db.handler_writes", "rows that the server gave to the engine").found(&[any(&[&["status.Handler_write"]])]),
    count("db.tables_opened", "tables opened that were not in the table cache")
        .found(&[any(&[&["status.Opened_tables"]])]),
    count("db.table_lock_waits", "waits for a lock of a whole table").found(&[any(&[&["status.Table_locks_waited"]])]),
    count("db.selects", "SELECT statements carried out").found(&[any(&[&["status.Com_select"]])]),
    count("db.query_cache_hits", "answers out of the query cache").found(&[any(&[&["status.Qcache_hits"]])]),
    count("db.rows_read", "rows that the engine read").lane(Lane::Always).found(&[
        innodb(&[&["status.Innodb_rows_read"], &["innodb.dml_reads"], &["status.Rows_read"]]),
        rocksdb(&[&["status.Rocksdb_rows_read"]]),
        heap(&[&["postgres.tup_returned"]]),
    ]),
    count("db.row_lock_waits", "waits for the lock of a row; in RocksDB deadlocks and time-outs")
        .lane(Lane::Always)
        .found(&[
            innodb(&[&["status.Innodb_row_lock_waits"], &["innodb.lock_row_lock_waits"]]),
            rocksdb(&[&["status.Rocksdb_row_lock_deadlocks", "status.Rocksdb_row_lock_wait_timeouts"]]),
        ]),
    count("db.row_lock_time_ms", "milliseconds of these waits")
        .found(&[innodb(&[&["status.Innodb_row_lock_time"], &["innodb.lock_row_lock_time"]])]),
    count("db.deadlocks", "transactions chosen to end a deadlock").found(&[
        innodb(&[&["status.Innodb_deadlocks"], &["innodb.lock_deadlocks"]]),
        heap(&[&["postgres.deadlocks"]]),
    ]),
    count("db.history_list_length", "old versions that are not purged yet, in undo logs; of PostgreSQL dead rows")
        .level()
        .lane(Lane::First)
        .found(&[
            innodb(&[&["status.Innodb_history_list_length"], &["innodb.trx_rseg_history_len"]]),
            heap(&[&["postgres.dead_rows"]]),
        ]),
    count("db.page_reads", "pages that were not in the engine's cache").lane(Lane::Always).found(&[
        innodb(&[&["status.Innodb_buffer_pool_reads"], &["innodb.buffer_pool_reads"]]),
        rocksdb(&[&["status.Rocksdb_block_cache_miss"]]),
        heap(&[&["postgres.blks_read"]]),
    ]),
    count("db.page_read_requests", "pages asked of the engine's cache").lane(Lane::Always).found(&[
        innodb(&[&["status.Innodb_buffer_pool_read_requests"], &["innodb.buffer_pool_read_requests"]]),
        rocksdb(&[&["status.Rocksdb_block_cache_hit", "status.Rocksdb_block_cache_miss"]]),
        heap(&[&["postgres.blks_hit", "postgres.blks_read"]]),
    ]),
    count("db.pages_written", "pages written to data files").lane(Lane::Always).found(&[
        innodb(&[&["status.Innodb_pages_written"], &["innodb.buffer_pages_written"]]),
        heap(&[&["postgres.pages_by_checkpoints", "postgres.pages_by_writer", "postgres.pages_by_backends"]]),
    ]),
    count("db.page_splits", "pages of an index split in two").found(&[innodb(&[
        &["innodb.index_page_splits"],
        &["innodb.index_splits"],
        &["status.Innodb_buffer_pool_pages_split"],
    ])]),
    count("db.page_merges", "pages of an index merged")
        .found(&[innodb(&[&["innodb.index_page_merge_successful"], &["innodb.index_merges"]])]),
    bytes("db.redo_written", "bytes written to the redo log, or RocksDB's log of writes").lane(Lane::Always).found(&[
        innodb(&[&["status.Innodb_os_log_written"], &["innodb.os_log_bytes_written"]]),
        rocksdb(&[&["status.Rocksdb_wal_bytes"]]),
        heap(&[&["postgres.wal_bytes"]]),
    ]),
    count("db.redo_fsyncs", "syncs of that log").found(&[
        innodb(&[&["status.Innodb_os_log_fsyncs"], &["innodb.os_log_fsyncs"]]),
        rocksdb(&[&["status.Rocksdb_wal_synced"]]),
        heap(&[&["postgres.wal_syncs"]]),
    ]),
    count("db.data_fsyncs", "syncs of all of InnoDB's files")
        .found(&[innodb(&[&["status.Innodb_data_fsyncs"], &["innodb.os_data_fsyncs"]])]),
    count("db.redo_waits", "waits because the log buffer was full")
        .found(&[innodb(&[&["status.Innodb_log_waits"], &["innodb.log_waits"]])]),
    bytes("db.checkpoint_age", "bytes of redo log since the last checkpoint").lane(Lane::Always).level().found(&[
        innodb(&[&["status.Innodb_checkpoint_age"], &["innodb.log_lsn_checkpoint_age"]]),
        heap(&[&["postgres.checkpoint_age"]]),
    ]),
    bytes("db.checkpoint_max_age", "the age at which flushing becomes urgent")
        .level()
        .found(&[innodb(&[&["status.Innodb_checkpoint_max_age"], &["innodb.log_max_modified_age_async"]])]),
    bytes("db.checkpoint_lsn", "where the last checkpoint lies in the redo log")
        .found(&[innodb(&[&["status.Innodb_lsn_last_checkpoint"], &["innodb.log_lsn_last_checkpoint"]])]),
    count("db.pages_dirty", "pages in the buffer pool that are not written yet")
        .level()
        .found(&[innodb(&[&["status.Innodb_buffer_pool_pages_dirty"]])]),
    count("db.pages_total", "pages of the buffer pool")
        .level()
        .found(&[innodb(&[&["status.Innodb_buffer_pool_pages_total"]])]),
    count("db.rwlock_s_waits", "waits in the kernel for a shared latch")
        .found(&[innodb(&[&["innodb.innodb_rwlock_s_os_waits"], &["status.Innodb_s_lock_os_waits"]])]),
    count("db.rwlock_x_waits", "waits in the kernel for an exclusive latch")
        .found(&[innodb(&[&["innodb.innodb_rwlock_x_os_waits"], &["status.Innodb_x_lock_os_waits"]])]),
    count("db.rwlock_sx_waits", "waits in the kernel for a shared-exclusive latch")
        .found(&[innodb(&[&["innodb.innodb_rwlock_sx_os_waits"]])]),
    bytes("db.bytes_written", "bytes that users wrote into RocksDB")
        .found(&[rocksdb(&[&["status.Rocksdb_bytes_written"]])]),
    bytes("db.compaction_debt", "bytes that RocksDB's levels hold beyond their targets")
        .level()
        .found(&[rocksdb(&[&["rocksdb.compaction_debt"]])]),
    count("db.write_stall_us", "microseconds in which RocksDB held writers back")
        .found(&[rocksdb(&[&["status.Rocksdb_stall_micros"]])]),
    count("db.tombstones_skipped", "deleted keys that reads of RocksDB stepped over")
        .lane(Lane::Always)
        .found(&[rocksdb(&[&["rocksdb.INTERNAL_DELETE_SKIPPED_COUNT"]])]),
    count("db.keys_skipped", "overwritten keys that reads of RocksDB stepped over")
        .lane(Lane::Always)
        .found(&[rocksdb(&[&["rocksdb.INTERNAL_KEY_SKIPPED_COUNT"]])]),
    nanos("client.cpu.process", "CPU of the whole assay process").lane(Lane::Cpus(Who::Client)),
    nanos(
        "client.cpu.user",
        "CPU of the load's workers; exact is its sum with the next, the split is in steps of 10 ms",
    ),
    nanos("client.cpu.system", "the same in the kernel"),
    nanos("client.cpu.busiest_worker", "CPU of the worker with the most"),
    nanos("client.runqueue.wait", "time that workers were ready and waited for a CPU"),
    count("client.switches.voluntary", "context switches of the workers, because they waited"),
    count("client.switches.involuntary", "the same, because another took the CPU"),
    nanos("client.throttled", "time in which a spent quota kept the lab's control groups from CPUs"),
    bytes("client.memory.resident", "of the assay process").level(),
    bytes("client.io.read_bytes", "by the assay process, from devices"),
    bytes("client.io.write_bytes", "the same, to devices"),
    nanos(
        "server.cpu.user",
        "CPU of the server's process, in steps of 10 ms; of PostgreSQL over all its processes, as all below",
    )
    .lane(Lane::Cpus(Who::Server)),
    nanos("server.cpu.system", "the same in the kernel").lane(Lane::Cpus(Who::Server)),
    nanos(
        "server.runqueue.wait",
        "time that its threads were ready and waited for a CPU; of more than 128 threads at the ends of phases only",
    ),
    count("server.switches.voluntary", "context switches of its threads, because they waited; likewise"),
    count("server.switches.involuntary", "the same, because another took the CPU; likewise"),
    count("server.threads", "threads of the server's process").level(),
    count("server.stops", "times that the server stood still as a whole, stopped or frozen; seen 25 times a second"),
    nanos("server.stopped", "time in which it was seen to stand still"),
    nanos(
        "server.idle",
        "time in which all its sessions waited for their clients at once, so that it had nothing to do; seen ten times a second",
    ),
    nanos("server.frozen_files", "time in which one of its threads waited for a frozen file system; likewise"),
    count(
        "client.stops",
        "times that the load stood still as a whole, without waiting for a CPU; where a server's process is known",
    ),
    nanos("client.stopped", "time in which it stood still"),
    nanos(
        "server.throttled",
        "time in which a spent quota kept its control groups from CPUs, over all groups above it",
    ),
    bytes("server.memory.resident", "of the server's process").lane(Lane::Always).level(),
    bytes("server.memory.swapped", "of the server's process, in the swap").level(),
    bytes("server.disk", "what the files in its data directory take; at the ends of phases only").level(),
    count("server.faults.minor", "page faults without a read"),
    count("server.faults.major", "page faults that read from a device"),
    bytes("server.io.read_bytes", "by the server's process, from devices").lane(Lane::Always),
    bytes("server.io.write_bytes", "the same, to devices").lane(Lane::Always),
    count(
        "foreground.statements",
        "statements of all users, by performance_schema; at the ends of phases only, as all of `foreground`",
    ),
    nanos("foreground.statement_time", "time within them"),
    count("foreground.file_calls", "calls on files by users' threads"),
    nanos("foreground.file_time", "time within these calls"),
    nanos("foreground.redo_time", "of it on the redo log, where the version times it"),
    nanos("foreground.binlog_time", "of it on the binary log"),
    nanos("foreground.temporary_time", "of it on temporary tables"),
    nanos("foreground.data_time", "of it on all other files"),
    nanos("foreground.cpu", "users' threads on a CPU"),
    nanos("foreground.runqueue.wait", "users' threads ready and waiting for a CPU"),
    count(
        "index_lock.acquisitions",
        "how often locks of index trees were taken, contended or not; with `engine_counters`",
    ),
    nanos("index_lock.time", "time that taking them took"),
    nanos("host.cpu.user", "over all CPUs, nice in it").lane(Lane::Cpus(Who::Host)),
    nanos("host.cpu.system", "over all CPUs").lane(Lane::Cpus(Who::Host)),
    nanos("host.cpu.idle", "over all CPUs"),
    nanos("host.cpu.iowait", "over all CPUs"),
    nanos("host.cpu.irq", "over all CPUs, soft interrupts in it").lane(Lane::Cpus(Who::Host)),
    nanos("host.cpu.steal", "over all CPUs"),
    nanos("host.cpu.total", "sum of the above"),
    count("host.interrupts", "of devices, timers and other CPUs, over all CPUs"),
    nanos("host.clock.monotonic", "the clock by which everything is timed, which who sets the time right may slew"),
    nanos("host.clock.raw", "the clock that nobody sets right, read with it"),
    nanos("host.pressure.cpu_some", "time in which some task was stalled for a CPU"),
    nanos("host.pressure.io_some", "the same for a device"),
    nanos("host.pressure.memory_some", "the same for memory"),
    count("host.swap.in", "pages"),
    count("host.swap.out", "pages"),
    count("host.memory.stalls", "direct reclaims and compactions of memory"),
    count("host.memory.kills", "processes killed for want of memory"),
    bytes("host.net.received_bytes", "over interfaces with hardware behind them"),
    bytes("host.net.sent_bytes", "over interfaces with hardware behind them"),
    count("host.net.segments", "TCP segments sent"),
    count("host.net.segments_again", "TCP segments sent again"),
    row(
        "host.net.link",
        Unit::PerSecond,
        Shape::Gauge,
        "bytes per second and direction that these interfaces state; virtual ones seldom do",
    ),
    count("host.disk.reads", "requests that whole disks carried out"),
    bytes("host.disk.read_bytes", "over whole disks"),
    count("host.disk.writes", "requests that whole disks carried out"),
    bytes("host.disk.write_bytes", "over whole disks"),
    bytes("rocksdb.compaction_debt", "see `db.compaction_debt`").level(),
    count("memcached.cmd_get", "keys asked for, of the daemon or InnoDB's plugin, as all of `memcached`"),
    count("memcached.cmd_set", "keys set"),
    count("memcached.get_hits", "keys asked for and found"),
    count("memcached.get_misses", "keys asked for and not found"),
    count("memcached.evictions", "values that went to make room"),
    count("memcached.conn_yields", "connections that had to let others go first"),
    count("memcached.listen_disabled_num", "times that no further connection was taken"),
    bytes("memcached.bytes_read", "from clients"),
    bytes("memcached.bytes_written", "to clients"),
    count("memcached.curr_connections", "open now").level(),
    count("memcached.threads", "that serve").level(),
    bytes("memcached.bytes", "held").level(),
    count(
        "postgres.xact_commit",
        "transactions, of the database that users are in, as all that follow until `write_ms`, and rows; backends tell them once a second",
    ),
    count("postgres.xact_rollback", "transactions rolled back"),
    count("postgres.blks_read", "blocks that were not in the buffers"),
    count("postgres.blks_hit", "blocks that were"),
    count("postgres.tup_returned", "rows that scans read"),
    count("postgres.tup_fetched", "rows that index scans fetched"),
    count("postgres.tup_inserted", "rows"),
    count("postgres.tup_updated", "rows"),
    count("postgres.tup_deleted", "rows"),
    count("postgres.deadlocks", "deadlocks found"),
    count("postgres.temp_files", "temporary files made"),
    bytes("postgres.temp_bytes", "written to temporary files"),
    count("postgres.read_ms", "milliseconds in which backends waited for blocks; where `track_io_timing` is on"),
    count("postgres.write_ms", "milliseconds in which they wrote blocks"),
    bytes("postgres.wal_bytes", "of the write-ahead log, of the whole server, as all below; a standby writes none"),
    bytes("postgres.checkpoint_age", "of the write-ahead log since the last checkpoint began").level(),
    count("postgres.wal_records", "records of the log"),
    count("postgres.wal_full_pages", "whole pages in it, as after a checkpoint each page is written once"),
    count("postgres.wal_buffers_full", "writes of it because its buffers were full"),
    count("postgres.wal_writes", "writes of it"),
    count("postgres.wal_syncs", "syncs of it"),
    count("postgres.checkpoints_timed", "checkpoints because it was time"),
    count("postgres.checkpoints_requested", "checkpoints because there was much to write, or somebody asked"),
    count("postgres.checkpoint_write_ms", "milliseconds in which checkpoints wrote"),
    count("postgres.checkpoint_sync_ms", "milliseconds in which they synced"),
    count("postgres.pages_by_checkpoints", "pages that checkpoints wrote"),
    count("postgres.pages_by_writer", "pages that the background writer wrote"),
    count("postgres.pages_by_backends", "pages that users' own backends had to write"),
    count("postgres.dead_rows", "row versions that nobody sees any more, of the database, as all of tables").level(),
    count("postgres.live_rows", "row versions that are current").level(),
    count("postgres.hot_updates", "updates that needed no new index entry"),
    count("postgres.vacuums", "tables vacuumed, by whomever"),
    count("postgres.analyzes", "tables analyzed"),
    count("postgres.active", "sessions at work").level(),
    count("postgres.idle_in_transaction", "sessions whose transaction waits for them").level(),
    count("postgres.waiting_lock", "of those at work, waiting for a lock").level(),
    count("postgres.waiting_lwlock", "for a latch").level(),
    count("postgres.waiting_io", "for the disk").level(),
    count("postgres.autovacuum_workers", "at work").level(),
    count("postgres.oldest_snapshot_xids", "transactions that began since the oldest snapshot that is held").level(),
    count(
        "sampler.statements",
        "statements that the sampler had sent when `status` was read, that one included; of a cache, requests for its statistics",
    ),
    nanos("sampler.cpu", "CPU of the threads that sample"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_stands_in_one_row() {
        for (i, one) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|other| other.name != one.name), "{}", one.name);
        }
    }

    #[test]
    fn an_engine_has_what_is_found_in_it_and_what_any_server_has() {
        let found = |engine: &str| of("db").filter(|c| c.sources(engine).is_some()).count();
        assert_eq!((found("innodb"), found("rocksdb"), found("heap")), (32, 21, 19));
        assert_eq!(
            named("db.rows_read").and_then(|c| c.sources("rocksdb")),
            Some(&[&["status.Rocksdb_rows_read"][..]][..])
        );
    }
}
