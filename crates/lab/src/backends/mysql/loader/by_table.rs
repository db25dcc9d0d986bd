//! Sends rows of a table a few megabytes at a time, in statements that commit themselves.

use super::{INSERT_BYTES, LINES_BYTES, NO_FILES, RETRYABLE, finish, load_lines};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{Filler, LoadFault, Piece, world};
use crate::backends::mysql::control::Control;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use workload::dataset::{ByTable, Table};
use workload::session::Fault;

impl Filler for Control {
    fn open(endpoint: &SqlEndpoint) -> Result<Self, Fault> {
        Self::for_load(endpoint)
    }

    fn put(
        &mut self,
        rows: &dyn ByTable,
        piece: &Piece,
        (name, columns): (&str, &str),
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
                load_lines(self, name, columns, text)
            } else {
                insert(self, rows, piece.table, from, to)
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

    fn finish(&mut self, table: &Table) -> Result<(), LoadFault> {
        finish(self, table, false)
    }

    fn close(self) {
        self.quit();
    }
}

fn insert(control: &mut Control, rows: &dyn ByTable, table: usize, from: u64, to: u64) -> Result<u64, Fault> {
    let mut sql = Vec::with_capacity(INSERT_BYTES as usize * 5 / 4);
    rows.insert(table, from, to, &mut sql);
    let text = std::str::from_utf8(&sql).expect("generated statements are ASCII");
    Ok(control.execute(text)?.affected)
}
