//! What loading has in common in every protocol: sessions side by side, the first fault of which ends all, and the
//! proof afterwards: rows counted, and rows read back against the generator.

use super::endpoint::SqlEndpoint;
use model::record::answer::TableAnswer;
use model::seed::split_mix;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use workload::dataset::{ByTable, Dataset, Table};
use workload::session::Fault;

/// Sessions that load side by side: two per CPU keep a server busy while one waits for the log.
const SESSIONS_PER_CPU: usize = 2;

/// Raised when a loader builds other bytes from the same dataset, as by another order of rows and indexes: what was
/// kept of an older loader is loaded again.
pub const LOADER: u32 = 1;

/// Rows read back and compared with the generator, over the whole dataset. A hundred rows find a generator and a
/// server that disagree about a type, a charset or an order with certainty, and one bad row in fifty with 87 %.
pub(crate) const SPOTS: u64 = 100;

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

/// How many sessions load, or ask, side by side on so many CPUs.
pub fn sessions(cpus: usize) -> usize {
    SESSIONS_PER_CPU * cpus.max(1)
}

/// Several sessions side by side; the first fault of one of them ends all.
pub(crate) fn side_by_side(
    sessions: usize,
    session: impl Fn(&AtomicBool) -> Result<(), LoadFault> + Sync,
) -> Result<(), LoadFault> {
    let (fault, over) = (Mutex::new(None), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..sessions {
            scope.spawn(|| {
                if let Err(e) = session(&over) {
                    over.store(true, Relaxed);
                    fault.lock().expect("no panic while held").get_or_insert(e);
                }
            });
        }
    });
    fault.into_inner().expect("no panic while held").map_or(Ok(()), Err)
}

pub(crate) fn world(fault: Fault) -> LoadFault {
    LoadFault::World(fault.to_string())
}

/// One session's share: rows `from..to` of a table.
pub(crate) struct Piece {
    pub table: usize,
    pub from: u64,
    pub to: u64,
}

/// Tables cut into pieces, so that each session has some.
pub(crate) fn pieces(tables: &[Table], sessions: usize) -> Vec<Piece> {
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

/// A session that fills tables.
pub(crate) trait Filler: Sized {
    fn open(endpoint: &SqlEndpoint) -> Result<Self, Fault>;
    /// Sends a piece of the table of this name, a few megabytes at a time; `at` is told rows that went in.
    fn put(
        &mut self,
        rows: &dyn ByTable,
        piece: &Piece,
        into: (&str, &str),
        stop: &AtomicBool,
        at: &mut dyn FnMut(u64),
    ) -> Result<(), LoadFault>;
    /// What follows the rows of a table: keys, indexes, statistics.
    fn finish(&mut self, table: &Table) -> Result<(), LoadFault>;
    fn close(self);
}

/// Each table in as many ranges of rows as there are sessions. Whoever brings the last range of a table finishes it,
/// while others still load. Nothing of it survives an interruption: the next lab begins again.
pub(crate) fn by_table<S: Filler>(
    endpoint: &SqlEndpoint,
    dataset: &dyn Dataset,
    rows: &dyn ByTable,
    tables: &[Table],
    sessions: usize,
    stop: &AtomicBool,
    at: &(dyn Fn(u64, u64) + Sync),
) -> Result<(), LoadFault> {
    let pieces = pieces(tables, sessions);
    let total = tables.iter().map(|t| t.rows).sum();
    let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let left: Vec<AtomicUsize> =
        (0..tables.len()).map(|t| AtomicUsize::new(pieces.iter().filter(|p| p.table == t).count())).collect();
    side_by_side(sessions.min(pieces.len()), |over| {
        let mut session = S::open(endpoint).map_err(world)?;
        while let Some(piece) = pieces.get(next.fetch_add(1, Relaxed)).filter(|_| !over.load(Relaxed)) {
            let table = &tables[piece.table];
            let into = (table.name.as_str(), dataset.columns(piece.table));
            session.put(rows, piece, into, stop, &mut |rows| at(done.fetch_add(rows, Relaxed) + rows, total))?;
            if left[piece.table].fetch_sub(1, Relaxed) == 1 {
                session.finish(table)?;
            }
        }
        session.close();
        Ok(())
    })
}

/// Finishes tables that are filled, side by side.
pub(crate) fn finish_all<S: Filler>(
    endpoint: &SqlEndpoint,
    tables: &[Table],
    sessions: usize,
    stop: &AtomicBool,
) -> Result<(), LoadFault> {
    let next = AtomicUsize::new(0);
    side_by_side(sessions.min(tables.len()), |over| {
        let mut session = S::open(endpoint).map_err(world)?;
        while let Some(table) = tables.get(next.fetch_add(1, Relaxed)) {
            if over.load(Relaxed) || stop.load(Relaxed) {
                return Err(LoadFault::Stopped);
            }
            session.finish(table)?;
        }
        session.close();
        Ok(())
    })
}

/// Reads rows back, spread over the dataset by a fixed sequence, first and last of each table among them: how many were
/// compared, and how many were others.
pub(crate) fn check_spots(
    mut ask: impl FnMut(&str) -> Result<Vec<Vec<Option<String>>>, Fault>,
    dataset: &dyn Dataset,
    tables: &[Table],
) -> Result<(u64, u64), LoadFault> {
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
            let found = ask(&spot.sql).map_err(world)?;
            checked += 1;
            wrong += u64::from(found.len() != 1 || found[0] != spot.expected);
        }
    }
    Ok((checked, wrong))
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
