//! Brings a dataset into a server: tables, rows in parallel, indexes, statistics, and then the proof: rows counted and
//! rows read back against the generator. Rows go in as LOAD DATA LOCAL statements of a few megabytes that commit
//! themselves, made in memory; where the server forbids that, as INSERTs. Measured on MariaDB 10.11, CPU of the server per
//! 250,000 rows: LOAD DATA 1.1 s, INSERT 2.0 s, its bulk load of an empty table within one transaction 4.5 s.

use crate::sessions::address::Door;
use crate::sessions::control::Control;
use model::record::answer::TableAnswer;
use model::seed::split_mix;
use model::units::Bytes;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use workload::dataset::{Dataset, Table};
use workload::session::Fault;

/// Raised when the loader builds other bytes from the same dataset, as by another order of rows and indexes: what was kept
/// of an older loader is loaded again.
pub const LOADER: u32 = 1;

/// Text of one INSERT: large enough that round trips vanish, well under the smallest packet limit of a server (4 MiB).
const INSERT_BYTES: u64 = 1 << 20;
/// Lines of one LOAD DATA, which has no such limit: each statement waits once for the log, so there should be few.
const LINES_BYTES: u64 = 8 << 20;
/// "The used command is not allowed", in the numbers of MySQL and MariaDB over time: no local files here.
const NO_FILES: &[u16] = &[1148, 1290, 3948, 3950, 4166];
/// Deadlock and lock wait time-out between sessions that load the same table.
const RETRYABLE: &[u16] = &[1205, 1213];

/// Rows read back and compared with the generator, over the whole dataset. A hundred rows find a generator and a
/// server that disagree about a type, a charset or an order with certainty, and one bad row in fifty with 87 %.
const SPOTS: u64 = 100;

/// What the loader found afterwards.
pub struct Loaded {
    pub tables: Vec<TableAnswer>,
    pub rows: u64,
    pub rows_checked: u64,
    pub rows_wrong: u64,
}

/// Why nothing usable was loaded.
#[derive(Debug)]
pub enum LoadFault {
    /// The server cannot hold this dataset: a charset, collation or engine that it lacks, in its own words.
    Unsupported(String),
    World(String),
    Stopped,
}

impl std::fmt::Display for LoadFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unsupported(reason) | Self::World(reason) => f.write_str(reason),
            Self::Stopped => f.write_str("asked to stop"),
        }
    }
}

/// Server errors that mean "this build cannot", not "this went wrong": unknown character set, collation, engine,
/// collation that does not fit the charset.
const UNSUPPORTED: &[u16] = &[1115, 1253, 1273, 1286];

/// Creates and fills the tables in `door`'s schema.
///
/// `at` is told rows loaded, out of how many.
pub fn load(
    door: &Door,
    dataset: &dyn Dataset,
    sessions: usize,
    stop: &AtomicBool,
    at: &(dyn Fn(u64, u64) + Sync),
) -> Result<Loaded, LoadFault> {
    let tables = dataset.tables();
    let mut control = Control::connect(door).map_err(world)?;
    let mut warnings = Vec::new();
    for table in &tables {
        control.execute(&table.create).map_err(create_fault)?;
        let rows = control.rows("SHOW WARNINGS").map_err(world)?;
        warnings.push(rows.into_iter().map(|r| r.into_iter().flatten().collect::<Vec<_>>().join(" ")).collect());
    }
    fill(door, dataset, &tables, sessions, stop, at)?;
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

/// One session's share: rows `from..to` of a table.
struct Piece {
    table: usize,
    from: u64,
    to: u64,
}

fn pieces(tables: &[Table], sessions: usize) -> Vec<Piece> {
    let split = if tables.len() >= sessions { 1 } else { sessions.div_ceil(tables.len().max(1)) as u64 };
    let mut pieces = Vec::new();
    for (table, t) in tables.iter().enumerate() {
        let parts = split.min(t.rows.max(1));
        for part in 0..parts {
            pieces.push(Piece { table, from: t.rows * part / parts, to: t.rows * (part + 1) / parts });
        }
    }
    pieces
}

fn fill(
    door: &Door,
    dataset: &dyn Dataset,
    tables: &[Table],
    sessions: usize,
    stop: &AtomicBool,
    at: &(dyn Fn(u64, u64) + Sync),
) -> Result<(), LoadFault> {
    let pieces = pieces(tables, sessions);
    let total = tables.iter().map(|t| t.rows).sum();
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let left: Vec<AtomicU64> =
        (0..tables.len()).map(|t| AtomicU64::new(pieces.iter().filter(|p| p.table == t).count() as u64)).collect();
    let fault = Mutex::new(None);
    let work = || -> Result<(), LoadFault> {
        let mut control = Control::connect(door).map_err(world)?;
        while let Some(piece) = pieces.get(next.fetch_add(1, Relaxed) as usize) {
            put(&mut control, dataset, piece, &tables[piece.table].name, stop, &mut |rows| {
                at(done.fetch_add(rows, Relaxed) + rows, total)
            })?;
            if left[piece.table].fetch_sub(1, Relaxed) == 1 {
                finish(&mut control, &tables[piece.table])?;
            }
        }
        control.quit();
        Ok(())
    };
    std::thread::scope(|scope| {
        for _ in 0..sessions.min(pieces.len()) {
            scope.spawn(|| {
                if let Err(e) = work() {
                    next.store(pieces.len() as u64, Relaxed);
                    fault.lock().expect("no panic while held").get_or_insert(e);
                }
            });
        }
    });
    fault.into_inner().expect("no panic while held").map_or(Ok(()), Err)
}

/// Sends a piece, a few megabytes at a time.
fn put(
    control: &mut Control,
    dataset: &dyn Dataset,
    piece: &Piece,
    name: &str,
    stop: &AtomicBool,
    at: &mut dyn FnMut(u64),
) -> Result<(), LoadFault> {
    let rows_in = |bytes: u64| (bytes / dataset.row_text_bytes(piece.table).max(1) as u64).max(1);
    let mut files_allowed = true;
    let mut from = piece.from;
    while from < piece.to {
        if stop.load(Relaxed) {
            return Err(LoadFault::Stopped);
        }
        let bytes = if files_allowed { LINES_BYTES } else { INSERT_BYTES };
        let to = (from + rows_in(bytes)).min(piece.to);
        let outcome = if files_allowed {
            load_lines(control, dataset, piece.table, name, from, to)
        } else {
            insert(control, dataset, piece.table, from, to)
        };
        match outcome {
            Ok(done) if done == to - from => {
                at(done);
                from = to;
            }
            Ok(done) => {
                let what = format!("{name}: of the rows {from} to {to} only {done} went in; is the table empty?");
                return Err(LoadFault::World(what));
            }
            Err(Fault::Server { code, .. }) if NO_FILES.contains(&code) => files_allowed = false,
            // The statement was rolled back whole; the other sessions of this table go on.
            Err(Fault::Server { code, .. }) if RETRYABLE.contains(&code) => {}
            Err(fault) => return Err(world(fault)),
        }
    }
    Ok(())
}

fn load_lines(
    control: &mut Control,
    dataset: &dyn Dataset,
    table: usize,
    name: &str,
    from: u64,
    to: u64,
) -> Result<u64, Fault> {
    let mut text = Vec::with_capacity(LINES_BYTES as usize * 5 / 4);
    dataset.lines(table, from, to, &mut text);
    // Rows are generated as ASCII, which every charset of a table stores as it is.
    let columns = dataset.columns(table);
    let sql = format!("LOAD DATA LOCAL INFILE 'generated' INTO TABLE {name} CHARACTER SET binary ({columns})");
    Ok(control.load(&sql, text)?.affected)
}

fn insert(control: &mut Control, dataset: &dyn Dataset, table: usize, from: u64, to: u64) -> Result<u64, Fault> {
    let mut sql = Vec::with_capacity(INSERT_BYTES as usize * 5 / 4);
    dataset.insert(table, from, to, &mut sql);
    let text = std::str::from_utf8(&sql).expect("generated statements are ASCII");
    Ok(control.execute(text)?.affected)
}

/// Indexes, then statistics, so that no background recalculation changes a plan in the middle of a run.
fn finish(control: &mut Control, table: &Table) -> Result<(), LoadFault> {
    for sql in &table.after {
        control.execute(sql).map_err(world)?;
    }
    control.rows(&format!("ANALYZE TABLE {}", table.name)).map_err(world)?;
    Ok(())
}

/// Reads rows back, spread over the dataset by a fixed sequence, first and last of each table among them.
pub fn check_spots(control: &mut Control, dataset: &dyn Dataset, tables: &[Table]) -> Result<(u64, u64), LoadFault> {
    let (mut checked, mut wrong) = (0, 0);
    for (index, table) in tables.iter().enumerate().filter(|(_, t)| t.rows > 0) {
        let count = (SPOTS / tables.len() as u64).clamp(2, table.rows.max(2));
        for n in 0..count {
            let row = match n {
                0 => 0,
                1 => table.rows - 1,
                _ => split_mix(n ^ (index as u64) << 32) % table.rows,
            };
            let spot = dataset.spot(index, row);
            let found = control.rows(&spot.sql).map_err(world)?;
            checked += 1;
            wrong += u64::from(found.len() != 1 || found[0] != spot.expected);
        }
    }
    Ok((checked, wrong))
}

pub(crate) fn world(fault: Fault) -> LoadFault {
    LoadFault::World(fault.to_string())
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
        | Fault::Stopped => world(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_every_row_once() {
        let table = |rows| Table { name: String::new(), create: String::new(), rows, after: Vec::new() };
        for (tables, sessions) in [(vec![table(10); 8], 4), (vec![table(1001)], 4), (vec![table(0), table(3)], 8)] {
            for (index, t) in tables.iter().enumerate() {
                let mut at = 0;
                for piece in pieces(&tables, sessions).iter().filter(|p| p.table == index) {
                    assert_eq!(piece.from, at);
                    at = piece.to;
                }
                assert_eq!(at, t.rows);
            }
        }
    }
}
