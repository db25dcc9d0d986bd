//! What a run begins with, asked just before its users come: whose data, how they came there, and how the engine
//! stands. What a server does not say, or not to this account, is left out.

use crate::backends::mysql::control::Control;
use crate::backends::mysql::found::unmark;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{Serving, Up};
use crate::campaign::Lab;
use model::plan::served::serves;
use model::protocol::Protocol;
use model::record::start::{Prepared, StartingState};
use model::units::Bytes;
use std::collections::BTreeMap;
use workload::session::Fault;

/// Levels of the engine, as MariaDB and MySQL spell them.
const STATUS: &str = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_history_list_length', 'Innodb_checkpoint_age', \
     'Innodb_buffer_pool_pages_data', 'Innodb_buffer_pool_pages_total')";
/// The same where the status lacks them.
const METRICS: &str = "SELECT name, count FROM information_schema.INNODB_METRICS WHERE status = 'enabled' \
     AND name IN ('trx_rseg_history_len', 'log_lsn_checkpoint_age')";

pub(crate) fn state(up: &Up, wanted: &[DatasetNeed]) -> Option<StartingState> {
    let schemas: Vec<_> =
        wanted.iter().filter_map(|w| up.datasets.get(&w.name)?.as_ref().ok()).map(|s| format!("'{s}'")).collect();
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
        bytes: Bytes(bytes.unwrap_or_default()),
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

impl Lab<'_> {
    /// From here on the data are used. Before somebody writes into a schema that outlives the lab, it stops being
    /// called a dataset: what a run leaves, or a killed one, is none.
    pub(crate) fn begin_use(&mut self, wanted: &[DatasetNeed], writes: bool) -> Result<(), Fault> {
        let up = self.up.as_mut().expect("an instance is up before its users come");
        up.runs += 1;
        up.aged |= writes;
        let schemas = wanted.iter().filter_map(|w| up.datasets.get(&w.name)?.as_ref().ok());
        match &up.server {
            // A store of documents is filled anew for whoever writes.
            Serving::Found(_) if !serves(&up.build.installed.kind, Protocol::MySql) => Ok(()),
            Serving::Found(_) if writes => {
                schemas.into_iter().try_for_each(|schema| unmark(&up.endpoint.within(schema)))
            }
            Serving::Found(_) | Serving::Ours(_) => Ok(()),
        }
    }
}
