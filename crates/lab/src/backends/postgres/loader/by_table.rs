//! Loads table by table: each table in as many ranges of rows as there are sessions, a few megabytes at a time. Whoever
//! brings the last range of a table builds its indexes, while others still load.

use super::{LINES_BYTES, PATIENCE, finish};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{LoadFault, Piece, pieces, side_by_side, world};
use crate::backends::postgres::session::control::Control;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use workload::dataset::{ByTable, Dataset, Table};

pub(super) fn fill(
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
        let mut control = Control::connect(endpoint, PATIENCE).map_err(world)?;
        while let Some(piece) = pieces.get(next.fetch_add(1, Relaxed) as usize).filter(|_| !over.load(Relaxed)) {
            let table = &tables[piece.table];
            let copy = format!("COPY {} ({}) FROM STDIN", table.name, dataset.columns(piece.table));
            put(&mut control, rows, piece, &copy, stop, &mut |rows| at(done.fetch_add(rows, Relaxed) + rows, total))?;
            if left[piece.table].fetch_sub(1, Relaxed) == 1 {
                finish(&mut control, table)?;
            }
        }
        control.quit();
        Ok(())
    })
}

fn put(
    control: &mut Control,
    rows: &dyn ByTable,
    piece: &Piece,
    copy: &str,
    stop: &AtomicBool,
    at: &mut dyn FnMut(u64),
) -> Result<(), LoadFault> {
    let rows_in = (LINES_BYTES / rows.row_text_bytes(piece.table).max(1) as u64).max(1);
    let mut from = piece.from;
    while from < piece.to {
        if stop.load(Relaxed) {
            return Err(LoadFault::Stopped);
        }
        let to = (from + rows_in).min(piece.to);
        let mut text = Vec::with_capacity(LINES_BYTES as usize * 5 / 4);
        rows.lines(piece.table, from, to, &mut text);
        let copied = control.copy(copy, text).map_err(world)?.affected;
        if copied != to - from {
            return Err(LoadFault::World(format!("{copy}: of the rows {from} to {to} only {copied} went in")));
        }
        at(copied);
        from = to;
    }
    Ok(())
}
