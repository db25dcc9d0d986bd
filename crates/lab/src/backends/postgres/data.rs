//! Datasets in a PostgreSQL, each a database of its own: how they are made, filled and read back.

use super::loader::{self, PATIENCE, check_spots, inspect};
use super::session::control::Control;
use crate::backends::contract::{Files, Filling};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{LoadFault, Loaded};
use crate::backends::needs::DatasetNeed;
use crate::backends::schemas::{self, Inside, Schemas};
use crate::backends::up::Up;
use crate::trouble::Unready;
use model::{DatasetRecord, TableAnswer};
use std::sync::atomic::AtomicBool;
use workload::dataset::{Dataset, Table};
use workload::session::Fault;

/// The privilege that a role lacks.
const NOT_ALLOWED: &[u8; 5] = b"42501";
/// There is no such database.
const NO_DATABASE: &[u8; 5] = b"3D000";

pub(super) struct DataDirectory;

impl Files for DataDirectory {
    fn load(
        &self,
        filling: &mut Filling<'_, '_>,
        need: &DatasetNeed,
    ) -> Result<Result<DatasetRecord, String>, Unready> {
        schemas::load(self, filling, need, &need.schema(), false)
    }

    /// A clean end follows, which writes a checkpoint: nothing is left to recover.
    fn settle(&self, _: &Up, _: &str) -> Result<(), Fault> {
        Ok(())
    }

    fn compare(&self, up: &Up, schema: &str, need: &DatasetNeed) -> Result<(u64, u64), String> {
        schemas::compare(self, up, schema, need)
    }

    /// There are no clusters of it.
    fn nodes_agree(&self, _: &Up, _: &DatasetRecord) -> Result<(), Unready> {
        Ok(())
    }
}

impl Schemas for DataDirectory {
    fn word(&self) -> &'static str {
        "database"
    }

    fn home<'a>(&self, up: &'a Up) -> &'a SqlEndpoint {
        up.own_as::<SqlEndpoint>().expect("it is a PostgreSQL")
    }

    fn inside(&self, home: &SqlEndpoint, database: &str) -> Result<Option<Box<dyn Inside>>, Fault> {
        match Control::connect(&home.within(database), PATIENCE) {
            Ok(control) => Ok(Some(Box::new(control))),
            Err(Fault::Server { state, .. }) if state == *NO_DATABASE => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn make(&self, home: &SqlEndpoint, database: &str) -> Result<(), String> {
        let made = self
            .say(home, &format!("DROP DATABASE IF EXISTS {database}"))
            .and_then(|()| self.say(home, &format!("CREATE DATABASE {database} TEMPLATE template0 ENCODING 'UTF8'")));
        made.map_err(|fault| match fault {
            Fault::Server { state, .. } if state == *NOT_ALLOWED => {
                let user = &home.user;
                format!("the role {user} may create no database for the data; let it: ALTER ROLE {user} CREATEDB")
            }
            fault => format!("no database for the data: {fault}"),
        })
    }

    fn put(
        &self,
        inside: &SqlEndpoint,
        need: &DatasetNeed,
        sessions: usize,
        stop: &AtomicBool,
        at: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Loaded, LoadFault> {
        loader::load(inside, need.dataset.as_ref(), sessions, stop, at)
    }

    fn say(&self, inside: &SqlEndpoint, sql: &str) -> Result<(), Fault> {
        let mut control = Control::connect(inside, PATIENCE)?;
        control.execute(sql)?;
        control.quit();
        Ok(())
    }

    /// What was written so far is on the disk, so that no run begins with a checkpoint that is due; an account that may
    /// not ask for it begins with it.
    fn keep(&self, inside: &SqlEndpoint) {
        let _ = self.say(inside, "CHECKPOINT");
    }
}

impl Inside for Control {
    fn names(&mut self) -> Result<Vec<String>, Fault> {
        let names = "SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid)";
        Ok(self.rows(names)?.into_iter().flatten().flatten().collect())
    }

    fn value(&mut self, sql: &str) -> Result<Option<String>, Fault> {
        Self::value(self, sql)
    }

    fn tables(&mut self, dataset: &dyn Dataset) -> Result<Vec<Table>, Fault> {
        Ok(dataset.tables())
    }

    fn inspect(&mut self, tables: &[Table]) -> Result<Vec<TableAnswer>, LoadFault> {
        inspect(self, tables)
    }

    fn check_spots(&mut self, dataset: &dyn Dataset, tables: &[Table]) -> Result<(u64, u64), LoadFault> {
        check_spots(self, dataset, tables)
    }

    fn quit(self: Box<Self>) {
        Self::quit(*self);
    }
}
