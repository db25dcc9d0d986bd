//! What a plan will take. Phases by time are exact; the rest rests on the rates named here, which were chosen low so
//! that an estimate errs on the side of patience.

use super::footprints::data_of;
use super::{Cell, Cost, PlannedRun, Server, growth, order};
use crate::load::Until;
use crate::units::{Bytes, Nanos};
use crate::value::Value;
use crate::words::Words;
use std::collections::{BTreeMap, BTreeSet};

/// Connecting, preparing, reading counters and writing the record, per run.
pub const RUN_OVERHEAD: Nanos = Nanos::from_millis(50);
/// Starting and stopping one private server.
pub const SERVER_START: Nanos = Nanos::from_secs(2);
/// Rows per second of the parallel loader on two cores, its index included.
pub const LOAD_ROWS_PER_SECOND: u64 = 100_000;
/// A fresh data directory without its redo log: system tables, undo, doublewrite, temporary tablespace.
pub const DATA_DIRECTORY: Bytes = Bytes(128 * Bytes::MIB);
/// Operations per second assumed for phases that end by count.
pub const OPERATIONS_PER_SECOND: u64 = 5_000;

pub(super) fn of(cells: &[Cell], runs: &[PlannedRun], words: &Words) -> Cost {
    let lengths: BTreeMap<_, _> = cells.iter().map(|c| (&c.id, length(c))).collect();
    let measuring: f64 = runs.iter().map(|r| lengths[&r.cell] + RUN_OVERHEAD.seconds()).sum();
    let (bytes, rows) = datasets(cells, words);
    // A run that is over leaves no data behind, so that the largest one counts.
    let growth = cells.iter().map(|cell| growth::of_run(cell, words)).max().unwrap_or(0);
    let bytes = bytes.saturating_add(instances(cells)).saturating_add(growth);
    let starting = order::server_changes(cells, runs) as f64 * SERVER_START.seconds();
    let seconds = measuring + starting + rows as f64 / LOAD_ROWS_PER_SECOND as f64;
    Cost { time: Nanos((seconds * 1e9) as u64), disk: Bytes(bytes), rows }
}

/// Seconds; drains and rests may take less.
fn length(cell: &Cell) -> f64 {
    let phase = |until: Until| match until {
        Until::Time(time) | Until::Rest(time) => time.seconds(),
        Until::Count(count) => count as f64 / OPERATIONS_PER_SECOND as f64,
    };
    cell.phases.iter().map(|p| phase(p.until)).sum::<f64>() + cell.load.drain.map_or(0.0, Nanos::seconds)
}

/// Bytes of the instances that the lab starts, before any dataset is in them.
fn instances(cells: &[Cell]) -> u64 {
    let servers: BTreeSet<_> = cells.iter().map(|c| &c.server).filter(|s| s.on.is_none()).collect();
    let redo = |s: &Server| s.settings.get("redo").and_then(Value::count).map_or(0, i64::unsigned_abs);
    let one = |s: &Server| DATA_DIRECTORY.0.saturating_add(redo(s)).saturating_mul(s.topology.nodes().into());
    servers.into_iter().fold(0, |sum, server| sum.saturating_add(one(server)))
}

/// Bytes and rows over the distinct datasets of each server.
fn datasets(cells: &[Cell], words: &Words) -> (u64, u64) {
    let mut seen = BTreeSet::new();
    let (mut bytes, mut rows) = (0_u64, 0_u64);
    for (cell, (dataset, footprint)) in cells.iter().flat_map(|c| data_of(c, words).into_iter().map(move |d| (c, d))) {
        if seen.insert((&cell.server, dataset)) {
            bytes = bytes.saturating_add(footprint.bytes.saturating_mul(cell.server.topology.nodes().into()));
            rows = rows.saturating_add(footprint.rows);
        }
    }
    (bytes, rows)
}
