//! Brings a dataset into a server: tables, rows in parallel, indexes, statistics, and then the proof: rows counted and
//! rows read back against the generator. Rows go in as LOAD DATA LOCAL statements of a few megabytes, made in memory;
//! where the server forbids that, as INSERTs. Measured on MariaDB 10.11, CPU of the server per 250,000 rows: LOAD DATA
//! 1.1 s, INSERT 2.0 s, its bulk load of an empty table within one transaction 4.5 s.

pub mod by_itself;
mod by_table;
mod by_unit;

use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{self, LoadFault, Loaded, by_table, finish_all, world};
use crate::backends::mysql::control::Control;
use model::{Bytes, TableAnswer};
use std::sync::atomic::AtomicBool;
use workload::dataset::{Dataset, Rows, Table};
use workload::session::Fault;

/// Text of one INSERT: large enough that round trips vanish, well under the smallest packet limit of a server (4 MiB).
const INSERT_BYTES: u64 = 1 << 20;
/// Lines of one LOAD DATA, which has no such limit: each statement waits once for the log, so there should be few.
const LINES_BYTES: u64 = 8 << 20;
/// "The used command is not allowed", in the numbers of MySQL and MariaDB over time: no local files here.
const NO_FILES: &[u16] = &[1148, 1290, 3948, 3950, 4166];
/// Deadlock and lock wait time-out between sessions that load the same table.
const RETRYABLE: &[u16] = &[1205, 1213];
/// How often a statement that met one is said; sessions of one load are through after a few, so somebody else has the
/// table.
const MOST_TRIES: u32 = 100;
/// How servers begin to tell the first of them where it is no error.
const LATE: &str = "Lock wait timeout exceeded";

/// Server errors that mean "this build cannot", not "this went wrong": syntax that it does not know, unknown character
/// set, collation, engine, collation that does not fit the charset, and what cannot be versioned or partitioned by
/// time.
const UNSUPPORTED: &[u16] = &[1064, 1115, 1253, 1273, 1286, 4110, 4138];

/// Creates and fills the tables in `endpoint`'s schema.
///
/// `at` is told rows loaded, out of how many. `identity` names the data: a load of the same that was interrupted is
/// gone on with, where the dataset loads by unit.
pub fn load(
    endpoint: &SqlEndpoint,
    dataset: &dyn Dataset,
    identity: &str,
    sessions: usize,
    stop: &AtomicBool,
    at: &(dyn Fn(u64, u64) + Sync),
) -> Result<Loaded, LoadFault> {
    let mut tables = dataset.tables();
    let mut control = Control::connect(endpoint).map_err(world)?;
    let mut warnings = Vec::new();
    let gone_on = is_begun(endpoint, identity).map_err(world)?;
    if !gone_on {
        for table in &tables {
            control.execute(&table.create).map_err(create_fault)?;
            let rows = control.rows("SHOW WARNINGS").map_err(world)?;
            warnings.push(rows.into_iter().map(|r| r.into_iter().flatten().collect::<Vec<_>>().join(" ")).collect());
        }
    }
    match dataset.rows() {
        Rows::None => finish_all::<Control>(endpoint, &tables, sessions, stop)?,
        Rows::ByItself(data) => tables = by_itself::fill(endpoint, data, sessions, stop)?,
        Rows::ByTable(rows) => by_table::<Control>(endpoint, dataset, rows, &tables, sessions, stop, at)?,
        Rows::ByUnit(rows) => {
            let progress = by_unit::Progress::of(identity);
            progress.begin(&mut control)?;
            by_unit::fill(endpoint, dataset, rows, &tables, &progress, gone_on, sessions, stop, at)?;
            progress.end(&mut control)?;
        }
    }
    let answers = inspect(&mut control, &tables, warnings)?;
    let (checked, wrong) = check_spots(&mut control, dataset, &tables)?;
    control.quit();
    Ok(Loaded { rows: answers.iter().map(|t| t.rows).sum(), tables: answers, rows_checked: checked, rows_wrong: wrong })
}

/// Definitions, counts and sizes of tables that are there.
pub fn inspect(
    control: &mut Control,
    tables: &[Table],
    mut warnings: Vec<Vec<String>>,
) -> Result<Vec<TableAnswer>, LoadFault> {
    warnings.resize(tables.len(), Vec::new());
    let one = |control: &mut Control, (table, warnings): (&Table, Vec<String>)| -> Result<TableAnswer, Fault> {
        let name = &table.name;
        let created =
            control.rows(&format!("SHOW CREATE TABLE {name}"))?.into_iter().next().and_then(|mut r| r.pop().flatten());
        let rows = control.value(&format!("SELECT COUNT(*) FROM {name}"))?;
        let size = format!(
            "SELECT CAST(data_length + index_length AS UNSIGNED) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = '{name}'"
        );
        Ok(TableAnswer {
            name: name.clone(),
            submitted: table.create.clone(),
            created: created.unwrap_or_default(),
            warnings,
            rows: number(rows),
            rows_wanted: table.rows,
            bytes: Bytes(number(control.value(&size)?)),
        })
    };
    tables.iter().zip(warnings).map(|t| one(control, t).map_err(world)).collect()
}

fn number(text: Option<String>) -> u64 {
    text.and_then(|t| t.parse().ok()).unwrap_or(0)
}

/// Whether an interrupted load of these data lies in the schema, to be gone on with.
pub fn is_begun(endpoint: &SqlEndpoint, identity: &str) -> Result<bool, Fault> {
    let mut control = Control::connect(endpoint)?;
    let begun = by_unit::Progress::of(identity).is_there(&mut control)?;
    control.quit();
    Ok(begun)
}

/// Loads lines of `columns` into a table, and says how many rows went in.
fn load_lines(control: &mut Control, name: &str, columns: &str, text: Vec<u8>) -> Result<u64, Fault> {
    // Rows are generated as ASCII, which every charset of a table stores as it is.
    let sql = format!("LOAD DATA LOCAL INFILE 'generated' INTO TABLE {name} CHARACTER SET binary ({columns})");
    Ok(control.load(&sql, text)?.affected)
}

/// Indexes, then statistics, so that no background recalculation changes a plan in the middle of a run. A load that is
/// gone on with may have been ended in the middle of them.
fn finish(control: &mut Control, table: &Table, gone_on: bool) -> Result<(), LoadFault> {
    for sql in &table.after {
        let mut tries = 1..MOST_TRIES;
        loop {
            match control.execute(sql) {
                Ok(_) => break,
                // Two sessions that each wait for the other's table.
                Err(Fault::Server { code, .. }) if RETRYABLE.contains(&code) && tries.next().is_some() => {}
                Err(Fault::Server { code, message, .. }) if gone_on && is_there(code, &message) => break,
                Err(fault) => return Err(world(fault)),
            }
        }
    }
    analyse(control, &table.name)
}

/// A lock that it does not get is told in a row and is no error.
fn analyse(control: &mut Control, name: &str) -> Result<(), LoadFault> {
    for _ in 0..MOST_TRIES {
        let said = control.rows(&format!("ANALYZE TABLE {name}")).map_err(world)?;
        let is_late = |cell: &String| cell.contains(LATE);
        if !said.iter().flatten().flatten().any(is_late) {
            return Ok(());
        }
    }
    Err(LoadFault::World(format!("the statistics of {name} could not be made in {MOST_TRIES} tries: {LATE}")))
}

/// An index or a constraint that is in already: a duplicate key name, MySQL's duplicate foreign key, and what MariaDB
/// says of one.
fn is_there(code: u16, message: &str) -> bool {
    matches!(code, 1061 | 1826) || code == 1005 && message.contains("errno: 121")
}

/// Reads rows back, but of a script whose rows nobody knows.
pub fn check_spots(control: &mut Control, dataset: &dyn Dataset, tables: &[Table]) -> Result<(u64, u64), LoadFault> {
    if matches!(dataset.rows(), Rows::ByItself(_)) {
        return Ok((0, 0));
    }
    loading::check_spots(|sql| control.rows(sql), dataset, tables)
}

fn create_fault(fault: Fault) -> LoadFault {
    match fault {
        Fault::Server { code, ref message, .. } if UNSUPPORTED.contains(&code) => {
            LoadFault::Unsupported(message.clone())
        }
        Fault::Server { .. }
        | Fault::Lost(_)
        | Fault::TimedOut
        | Fault::Protocol(_)
        | Fault::Unopened(_)
        | Fault::Stopped
        | Fault::Script(_)
        | Fault::Refused(_) => world(fault),
    }
}
