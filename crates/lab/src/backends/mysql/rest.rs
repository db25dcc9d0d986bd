//! How a server is brought to rest before its data are kept, and woken on a copy of them. At rest nothing is left to
//! do: old row versions are purged, changes merged, memtables flushed, and the pages that were in memory are listed;
//! awake the same pages are in memory again, so that the first run after a restore does not pay for them.

use crate::backends::mysql::control::Control;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use workload::session::Fault;

/// Reading a list of pages in order takes as long as reading a pool's worth from the disk.
const WARM_PATIENCE: Duration = Duration::from_secs(600);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The slowest of the clean ends: full purge and change buffer merge; and the whole pool's list of pages. A server that
/// lacks a word refuses it, and has nothing of that kind to bring to rest.
const INNODB: &[&str] = &[
    "SET GLOBAL innodb_fast_shutdown = 0",
    "SET GLOBAL innodb_buffer_pool_dump_pct = 100",
    "SET GLOBAL innodb_buffer_pool_dump_at_shutdown = ON",
    // The load's own events are no part of the data. MySQL changed the words in 8.2.
    "RESET MASTER",
    "RESET BINARY LOGS AND GTIDS",
];
const ROCKSDB: &[&str] =
    &["SET GLOBAL rocksdb_force_flush_memtable_now = ON", "SET GLOBAL rocksdb_compact_cf = 'default'"];

/// Brings a server to rest; it is to be ended next.
pub fn settle(control: &mut Control, engine: &str) -> Result<(), Fault> {
    let more = if engine == "rocksdb" { ROCKSDB } else { &[] };
    for sql in INNODB.iter().chain(more) {
        match control.execute(sql) {
            Ok(_) | Err(Fault::Server { .. }) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(())
}

/// Waits until the pages of the list are in memory, where the server has such a list. Best effort: how full the pool is
/// when the users come is in the record.
pub fn warm(control: &mut Control, stop: &AtomicBool) {
    let begun = Instant::now();
    let mut asked = false;
    while begun.elapsed() < WARM_PATIENCE && !stop.load(Relaxed) {
        let status = control.rows("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_load_status'");
        let Some(text) = status.ok().and_then(|rows| rows.into_iter().next()?.pop()?) else { return };
        let begun_by_itself = text.contains("oad") && !text.contains("not started");
        if text.contains("completed") || text.contains("annot") || text.contains("abort") {
            return;
        }
        if !begun_by_itself && !std::mem::replace(&mut asked, true) {
            // The servers before 2016 do it only when asked.
            let _ = control.execute("SET GLOBAL innodb_buffer_pool_load_now = ON");
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}
