//! What a run begins with, asked just before its users come: whose data, how they came there, and how the engine
//! stands. What a server does not say, or not to this account, is left out.

use super::control::Control;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::Up;
use model::record::start::Prepared;
use model::{Bytes, StartingState};
use std::collections::BTreeMap;

/// Levels of the engine, as MariaDB and MySQL spell them.
const STATUS: &str = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_history_list_length', 'Innodb_checkpoint_age', \
     'Innodb_buffer_pool_pages_data', 'Innodb_buffer_pool_pages_total')";
/// Rows that RocksDB holds in memory only, without what its empty tables are given.
const MEMTABLES: &str = "SELECT SUM(value) FROM information_schema.ROCKSDB_CFSTATS WHERE stat_type = 'CUR_SIZE_ALL_MEM_TABLES' \
     AND cf_name <> '__system__'";
/// The same where the status lacks them.
const METRICS: &str = "SELECT name, count FROM information_schema.INNODB_METRICS WHERE status = 'enabled' \
     AND name IN ('trx_rseg_history_len', 'log_lsn_checkpoint_age')";

pub(crate) fn state(up: &Up, wanted: &[DatasetNeed]) -> Option<StartingState> {
    let schemas: Vec<_> = up.schemas(wanted).map(|s| format!("'{s}'")).collect();
    if schemas.is_empty() {
        return None;
    }
    let schemas = schemas.join(", ");
    let mut control = Control::connect(&up.endpoint).ok()?;
    let levels: BTreeMap<String, u64> = [STATUS, METRICS].iter().flat_map(|sql| levels(&mut control, sql)).collect();
    let level = |names: &[&str]| names.iter().find_map(|n| levels.get(*n).copied());
    let mut sum = |sql: String| control.value(&sql).ok().flatten()?.split('.').next()?.parse::<u64>().ok();
    let bytes = sum(format!(
        "SELECT SUM(data_length + index_length) FROM information_schema.tables WHERE table_schema IN ({schemas})"
    ));
    // What RocksDB has not flushed yet is in no file of which the tables' sizes would tell; of all tables together.
    let in_memory = sum(MEMTABLES.to_string());
    let leaf_pages = sum(format!(
        "SELECT SUM(stat_value) FROM mysql.innodb_index_stats WHERE stat_name = 'n_leaf_pages' AND database_name IN ({schemas})"
    ));
    control.quit();
    Some(StartingState {
        datasets: wanted.iter().map(|w| (w.name.clone(), w.fingerprint())).collect(),
        prepared: if wanted.iter().any(|w| up.filled.contains(&w.name)) { Prepared::Loaded } else { up.prepared },
        runs_before: up.runs,
        aged: up.aged,
        restored: up.restored.clone(),
        bytes: Bytes(bytes.unwrap_or_default() + in_memory.unwrap_or_default()),
        leaf_pages,
        history: level(&["Innodb_history_list_length", "trx_rseg_history_len"]),
        checkpoint_age: level(&["Innodb_checkpoint_age", "log_lsn_checkpoint_age"]).map(Bytes),
        pool_pages: level(&["Innodb_buffer_pool_pages_data"]).zip(level(&["Innodb_buffer_pool_pages_total"])),
    })
}

fn levels(control: &mut Control, sql: &str) -> Vec<(String, u64)> {
    let rows = control.rows(sql).unwrap_or_default();
    let pair = |row: Vec<Option<String>>| {
        let mut cells = row.into_iter();
        Some((cells.next()??, cells.next()??.parse().ok()?))
    };
    rows.into_iter().filter_map(pair).collect()
}
