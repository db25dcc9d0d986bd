//! A server of MySQL's family on its way to rest between two steps of a run, in the way of those who publish the insert
//! benchmark: statistics are made anew, and InnoDB is told to write its dirty pages down to a low mark, however idle,
//! or RocksDB to write out its memtables and to merge. What was set is put back. A server that the lab did not start
//! keeps its settings: it gets its statistics, and is waited for.

use super::control::Control;
use crate::backends::contract::Settling;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{Serving, Up};
use std::time::Duration;
use workload::session::Fault;

/// Statistics of a large table and a merge of all levels take long; whether they took too long is told by the phase.
const PATIENCE: Duration = Duration::from_secs(4 * 3600);

/// What InnoDB is told, in this order, because the low mark may not lie above the other one; a version that lacks a
/// word refuses it, and goes without.
const INNODB: &[(&str, &str)] = &[
    ("innodb_max_dirty_pages_pct_lwm", "1"),
    ("innodb_max_dirty_pages_pct", "1"),
    ("innodb_idle_flush_pct", "100"),
    // Purge then shortens the history list after each batch and not after a hundred of them.
    ("innodb_purge_rseg_truncate_frequency", "1"),
];
const ROCKSDB: &[&str] =
    &["SET GLOBAL rocksdb_force_flush_memtable_now = ON", "SET GLOBAL rocksdb_compact_cf = 'default'"];

pub(super) struct ToRest {
    control: Control,
    /// Variables as they were.
    were: Vec<(&'static str, String)>,
}

impl ToRest {
    pub fn of(up: &Up, needs: &[DatasetNeed], engine: &str) -> Result<Self, String> {
        let control = Control::connect_with(&up.endpoint, PATIENCE).map_err(|e| e.to_string())?;
        let mut rest = Self { control, were: Vec::new() };
        let is_ours = matches!(up.server, Serving::Ours(_));
        rest.begin(up, needs, engine, is_ours).map_err(|e| e.to_string())?;
        Ok(rest)
    }

    fn begin(&mut self, up: &Up, needs: &[DatasetNeed], engine: &str, is_ours: bool) -> Result<(), Fault> {
        for need in needs {
            let Some(Ok(schema)) = up.datasets.get(&need.name) else { continue };
            for table in need.dataset.tables() {
                self.said(&format!("ANALYZE NO_WRITE_TO_BINLOG TABLE {schema}.{}", table.name))?;
            }
        }
        match engine.eq_ignore_ascii_case("rocksdb") {
            _ if !is_ours => Ok(()),
            true => ROCKSDB.iter().try_for_each(|sql| self.said(sql)),
            false => INNODB.iter().try_for_each(|(variable, value)| self.set(variable, value)),
        }
    }

    /// What a server refuses it has no use for.
    fn said(&mut self, sql: &str) -> Result<(), Fault> {
        match self.control.rows(sql) {
            Ok(_) | Err(Fault::Server { .. }) => Ok(()),
            Err(other) => Err(other),
        }
    }

    fn set(&mut self, variable: &'static str, value: &str) -> Result<(), Fault> {
        match self.control.value(&format!("SELECT @@GLOBAL.{variable}")) {
            Ok(Some(was)) => self.were.push((variable, was)),
            Ok(None) | Err(Fault::Server { .. }) => return Ok(()),
            Err(other) => return Err(other),
        }
        self.said(&format!("SET GLOBAL {variable} = {value}"))
    }
}

impl Settling for ToRest {
    fn over(mut self: Box<Self>) -> Result<(), String> {
        // The upper mark first: the lower may not pass it.
        for (variable, was) in std::mem::take(&mut self.were).into_iter().rev() {
            self.control.execute(&format!("SET GLOBAL {variable} = {was}")).map_err(|e| format!("{variable}: {e}"))?;
        }
        self.control.quit();
        Ok(())
    }
}
