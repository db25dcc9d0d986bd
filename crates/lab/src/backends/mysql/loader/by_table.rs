//! Loads table by table: each table in as many ranges of rows as there are sessions, a few megabytes at a time, in
//! statements that commit themselves. Nothing here survives an interruption: the next lab begins again.

use super::{INSERT_BYTES, LINES_BYTES, NO_FILES, RETRYABLE, finish, load_lines};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{LoadFault, Piece, pieces, side_by_side, world};
use crate::backends::mysql::control::Control;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use workload::dataset::{ByTable, Dataset, Table};
use workload::session::Fault;

pub fn fill(
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
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let left: Vec<AtomicU64> =
        (0..tables.len()).map(|t| AtomicU64::new(pieces.iter().filter(|p| p.table == t).count() as u64)).collect();
    side_by_side(sessions.min(pieces.len()), |over| {
        let mut control = Control::for_load(endpoint).map_err(world)?;
        while let Some(piece) = pieces.get(next.fetch_add(1, Relaxed) as usize).filter(|_| !over.load(Relaxed)) {
            let table = &tables[piece.table];
            put(&mut control, rows, piece, &table.name, dataset.columns(piece.table), stop, &mut |rows| {
                at(done.fetch_add(rows, Relaxed) + rows, total)
            })?;
            if left[piece.table].fetch_sub(1, Relaxed) == 1 {
                finish(&mut control, table, false)?;
            }
        }
        control.quit();
        Ok(())
    })
}

/// Sends a piece, a few megabytes at a time.
fn put(
    control: &mut Control,
    rows: &dyn ByTable,
    piece: &Piece,
    name: &str,
    columns: &str,
    stop: &AtomicBool,
    at: &mut dyn FnMut(u64),
) -> Result<(), LoadFault> {
    let rows_in = |bytes: u64| (bytes / rows.row_text_bytes(piece.table).max(1) as u64).max(1);
    let mut files_allowed = true;
    let mut from = piece.from;
    while from < piece.to {
        if stop.load(Relaxed) {
            return Err(LoadFault::Stopped);
        }
        let bytes = if files_allowed { LINES_BYTES } else { INSERT_BYTES };
        let to = (from + rows_in(bytes)).min(piece.to);
        let outcome = if files_allowed {
            let mut text = Vec::with_capacity(LINES_BYTES as usize * 5 / 4);
            rows.lines(piece.table, from, to, &mut text);
            load_lines(control, name, columns, text)
        } else {
            insert(control, rows, piece.table, from, to)
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

fn insert(control: &mut Control, rows: &dyn ByTable, table: usize, from: u64, to: u64) -> Result<u64, Fault> {
    let mut sql = Vec::with_capacity(INSERT_BYTES as usize * 5 / 4);
    rows.insert(table, from, to, &mut sql);
    let text = std::str::from_utf8(&sql).expect("generated statements are ASCII");
    Ok(control.execute(text)?.affected)
}
