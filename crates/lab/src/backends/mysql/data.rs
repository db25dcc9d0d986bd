//! Datasets in servers of MySQL's family: how their schemas are made, filled and read back, and what lies in their
//! files.

use super::control::Control;
use super::loader::{self, by_itself, check_spots, inspect};
use super::rest::settle;
use crate::backends::contract::{Files, Filling};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{LoadFault, Loaded};
use crate::backends::needs::DatasetNeed;
use crate::backends::schemas::{self, Inside, Schemas};
use crate::backends::up::Up;
use crate::trouble::Unready;
use model::{DatasetRecord, TableAnswer};
use std::sync::atomic::AtomicBool;
use workload::dataset::{Dataset, Rows, Table};
use workload::session::Fault;

/// Data directories of InnoDB, RocksDB and their like.
pub struct DataDirectory;

impl Files for DataDirectory {
    fn load(
        &self,
        filling: &mut Filling<'_, '_>,
        need: &DatasetNeed,
    ) -> Result<Result<DatasetRecord, String>, Unready> {
        schemas::load(self, filling, need, &need.schema(), false)
    }

    fn settle(&self, up: &Up, engine: &str) -> Result<(), Fault> {
        let mut control = Control::connect(&up.endpoint)?;
        settle(&mut control, engine)?;
        control.quit();
        Ok(())
    }

    fn compare(&self, up: &Up, schema: &str, need: &DatasetNeed) -> Result<(u64, u64), String> {
        schemas::compare(self, up, schema, need)
    }

    fn nodes_agree(&self, up: &Up, record: &DatasetRecord) -> Result<(), Unready> {
        for (number, node) in (2..).zip(&up.nodes) {
            let of = |what: String| Unready::Fail(format!("node {number} of the cluster: {what}"));
            let count = |control: &mut Control, table: &str| -> Result<Option<String>, Fault> {
                // A read then waits for what was committed anywhere before it.
                control.execute("SET SESSION wsrep_sync_wait = 1")?;
                control.value(&format!("SELECT COUNT(*) FROM {table}"))
            };
            let mut control = Control::connect(&node.endpoint.within(&record.schema)).map_err(|e| of(e.to_string()))?;
            for table in &record.tables {
                let rows = count(&mut control, &table.name).map_err(|e| of(e.to_string()))?;
                if rows != Some(table.rows.to_string()) {
                    let found = rows.unwrap_or_default();
                    return Err(of(format!("{} has {found} rows, and the first node {}", table.name, table.rows)));
                }
            }
            control.quit();
        }
        Ok(())
    }
}

impl Schemas for DataDirectory {
    fn word(&self) -> &'static str {
        "schema"
    }

    fn home<'a>(&self, up: &'a Up) -> &'a SqlEndpoint {
        &up.endpoint
    }

    fn inside(&self, home: &SqlEndpoint, schema: &str) -> Result<Option<Box<dyn Inside>>, Fault> {
        let mut control = Control::connect(home)?;
        let schemata = format!("SELECT schema_name FROM information_schema.schemata WHERE schema_name = '{schema}'");
        if control.rows(&schemata)?.is_empty() {
            return Ok(None);
        }
        control.execute(&format!("USE {schema}"))?;
        Ok(Some(Box::new(control)))
    }

    fn make(&self, home: &SqlEndpoint, schema: &str) -> Result<(), String> {
        let made = self.say(home, &format!("DROP DATABASE IF EXISTS {schema}"));
        let made = made.and_then(|()| self.say(home, &format!("CREATE DATABASE {schema}")));
        made.map_err(|e| format!("no schema for the data: {e}"))
    }

    fn is_begun(&self, inside: &SqlEndpoint, need: &DatasetNeed) -> bool {
        loader::is_begun(inside, &need.fingerprint()).unwrap_or(false)
    }

    fn put(
        &self,
        inside: &SqlEndpoint,
        need: &DatasetNeed,
        sessions: usize,
        stop: &AtomicBool,
        at: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Loaded, LoadFault> {
        loader::load(inside, need.dataset.as_ref(), &need.fingerprint(), sessions, stop, at)
    }

    fn say(&self, inside: &SqlEndpoint, sql: &str) -> Result<(), Fault> {
        let mut control = Control::connect(inside)?;
        control.execute(sql)?;
        control.quit();
        Ok(())
    }
}

impl Inside for Control {
    fn names(&mut self) -> Result<Vec<String>, Fault> {
        Ok(self.rows("SHOW TABLES")?.into_iter().flatten().flatten().collect())
    }

    fn value(&mut self, sql: &str) -> Result<Option<String>, Fault> {
        Self::value(self, sql)
    }

    fn tables(&mut self, dataset: &dyn Dataset) -> Result<Vec<Table>, Fault> {
        if matches!(dataset.rows(), Rows::ByItself(_)) { by_itself::lying(self) } else { Ok(dataset.tables()) }
    }

    fn inspect(&mut self, tables: &[Table]) -> Result<Vec<TableAnswer>, LoadFault> {
        inspect(self, tables, Vec::new())
    }

    fn check_spots(&mut self, dataset: &dyn Dataset, tables: &[Table]) -> Result<(u64, u64), LoadFault> {
        check_spots(self, dataset, tables)
    }

    fn quit(self: Box<Self>) {
        Self::quit(*self);
    }
}
