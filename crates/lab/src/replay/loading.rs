//! A session that brings data into a fresh server: a dump's statements, or those that rows are made by.

use super::dump::Statements;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::session::replaying::Replaying;
use crate::backends::opening::{Opening, connecting};
use crate::executor::block_on;
use crate::trouble::Trouble;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use workload::session::Fault;

/// A statement of a dump that is not answered within it has no server any more: building an index is the longest.
const PATIENCE: Duration = Duration::from_secs(6 * 3600);

/// A session that brings data into a fresh server.
pub(super) struct Loading(Replaying);

impl Loading {
    /// In the schema that the trace begins in: a dump of one schema does not name it.
    pub fn open(endpoint: &SqlEndpoint, schemas: &BTreeSet<String>) -> Result<Self, Trouble> {
        let connect = connecting(&endpoint.address, PATIENCE);
        let opening = Opening { endpoint: endpoint.clone(), connect, setup: Vec::new(), again: None };
        let mut loading = Self(block_on(Replaying::open(&opening)).map_err(Self::fault)?);
        loading.0.waits_at_most(PATIENCE);
        for schema in schemas {
            loading.say(format!("CREATE DATABASE IF NOT EXISTS `{schema}`").as_bytes())?;
        }
        if let Some(schema) = schemas.first() {
            block_on(loading.0.init_db(schema)).map_err(Self::fault)?;
        }
        Ok(loading)
    }

    fn fault(fault: Fault) -> Trouble {
        Trouble::new("the data cannot be loaded").because(fault)
    }

    /// Has a statement carried out; how many rows it changed.
    pub fn say(&mut self, sql: &[u8]) -> Result<u64, Trouble> {
        let answered = block_on(self.0.query(sql)).map_err(Self::fault)?;
        match answered.error {
            Some(error) => Err(Trouble::new(format!("`{}`: {error}", beginning(sql)))),
            None => Ok(u64::from(answered.heard.affected)),
        }
    }

    /// Has the statements of a file carried out; `at` is told how many of its bytes.
    pub fn file(&mut self, file: &Path, stop: &AtomicBool, at: &dyn Fn(u64)) -> Result<(), Trouble> {
        let open = File::open(file).map_err(Trouble::at("opening", file))?;
        let mut read = 0;
        for (number, statement) in Statements::new(BufReader::with_capacity(1 << 20, open)).enumerate() {
            let statement = statement.map_err(Trouble::at("reading", file))?;
            if stop.load(Relaxed) {
                return Err(Trouble::new("asked to stop"));
            }
            let answered = block_on(self.0.query(&statement)).map_err(Self::fault)?;
            if let Some(error) = answered.error {
                let shown = beginning(&statement);
                let what = format!("{}: statement {} (`{shown}`): {error}", file.display(), number + 1);
                return Err(Trouble::new(what).mend("mend the dump, or dump for this version"));
            }
            read += statement.len() as u64;
            at(read);
        }
        Ok(())
    }

    pub fn quit(self) {
        block_on(self.0.quit());
    }
}

/// As much of a statement as is shown of it.
fn beginning(sql: &[u8]) -> String {
    String::from_utf8_lossy(sql).trim().chars().take(80).collect()
}
