//! Sends rows of a table a few megabytes at a time, each a COPY of its own.

use super::{LINES_BYTES, PATIENCE, finish};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{Filler, LoadFault, Piece, world};
use crate::backends::postgres::session::control::Control;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use workload::dataset::{ByTable, Table};
use workload::session::Fault;

impl Filler for Control {
    fn open(endpoint: &SqlEndpoint) -> Result<Self, Fault> {
        Self::connect(endpoint, PATIENCE)
    }

    fn put(
        &mut self,
        rows: &dyn ByTable,
        piece: &Piece,
        (name, columns): (&str, &str),
        stop: &AtomicBool,
        at: &mut dyn FnMut(u64),
    ) -> Result<(), LoadFault> {
        let copy = format!("COPY {name} ({columns}) FROM STDIN");
        let rows_in = (LINES_BYTES / rows.row_text_bytes(piece.table).max(1) as u64).max(1);
        let mut from = piece.from;
        while from < piece.to {
            if stop.load(Relaxed) {
                return Err(LoadFault::Stopped);
            }
            let to = (from + rows_in).min(piece.to);
            let mut text = Vec::with_capacity(LINES_BYTES as usize * 5 / 4);
            rows.lines(piece.table, from, to, &mut text);
            let copied = self.copy(&copy, text).map_err(world)?.affected;
            if copied != to - from {
                return Err(LoadFault::World(format!("{copy}: of the rows {from} to {to} only {copied} went in")));
            }
            at(copied);
            from = to;
        }
        Ok(())
    }

    fn finish(&mut self, table: &Table) -> Result<(), LoadFault> {
        finish(self, table)
    }

    fn close(self) {
        self.quit();
    }
}
