//! Loads unit by unit, each as one transaction over several tables. Keys and indexes come when all units are in. An
//! interrupted load is begun again: what it left goes with its database.

use super::PATIENCE;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{LoadFault, side_by_side, world};
use crate::backends::postgres::session::control::Control;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use workload::dataset::{ByUnit, Dataset, Table};

pub(super) fn fill(
    endpoint: &SqlEndpoint,
    dataset: &dyn Dataset,
    rows: &dyn ByUnit,
    tables: &[Table],
    sessions: usize,
    stop: &AtomicBool,
    at: &(dyn Fn(u64, u64) + Sync),
) -> Result<(), LoadFault> {
    let total: u64 = (0..rows.units()).map(|unit| rows.rows_of(unit)).sum();
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let told = |rows: u64| at(done.fetch_add(rows, Relaxed) + rows, total);
    side_by_side(sessions, |over| {
        let mut control = Control::connect(endpoint, PATIENCE).map_err(world)?;
        loop {
            let unit = next.fetch_add(1, Relaxed);
            if unit >= rows.units() || over.load(Relaxed) {
                break;
            }
            put(&mut control, dataset, rows, tables, unit, stop, &told).map_err(|fault| match fault {
                LoadFault::World(why) => LoadFault::World(format!("{}: {why}", rows.name(unit))),
                LoadFault::Unsupported(_) | LoadFault::Stopped => fault,
            })?;
        }
        control.quit();
        Ok(())
    })
}

/// Whole or not at all.
fn put(
    control: &mut Control,
    dataset: &dyn Dataset,
    rows: &dyn ByUnit,
    tables: &[Table],
    unit: u64,
    stop: &AtomicBool,
    told: &dyn Fn(u64),
) -> Result<(), LoadFault> {
    control.execute("BEGIN").map_err(world)?;
    for piece in 0..rows.pieces(unit) {
        if stop.load(Relaxed) {
            return Err(LoadFault::Stopped);
        }
        let mut text = Vec::new();
        let made = rows.piece(unit, piece, &mut text);
        let copy = format!("COPY {} ({}) FROM STDIN", tables[made.table].name, dataset.columns(made.table));
        let copied = control.copy(&copy, text).map_err(world)?.affected;
        if copied != made.rows {
            return Err(LoadFault::World(format!("{copy}: of {} rows only {copied} went in", made.rows)));
        }
        told(copied);
    }
    control.execute("COMMIT").map(drop).map_err(world)
}
