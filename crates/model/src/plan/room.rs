//! What is larger than its room, before anything runs: a plan than the disk, a pool than the memory, and data than the
//! pool, which `regime_was_cached` says of a run only when it is over. It warns and never refuses.

use super::Cell;
use super::footprints;
use crate::host::Host;
use crate::units::{Bytes, Share};
use crate::words::Words;
use std::collections::{BTreeMap, BTreeSet};

/// The share of the pool that data may fill: as `regime_was_cached` asks of the run. The rest is undo, dictionary and
/// free pages.
pub(super) const FULL: Share = Share(0.90);
/// The setting, and the only engine whose pages it caches.
const POOL: &str = "buffer_pool";
const ENGINE: &str = "innodb";

/// The pool of the cell, where the lab sizes it.
pub(super) fn pool_of(cell: &Cell) -> Option<Bytes> {
    if cell.server.on.is_some() || !cell.server.engine.eq_ignore_ascii_case(ENGINE) {
        return None;
    }
    Some(Bytes(cell.server.settings.get(POOL)?.count()?.unsigned_abs()))
}

pub(super) fn is_asked(cell: &Cell) -> bool {
    cell.axes.keys().any(|axis| axis.ends_with(POOL))
}

/// Bytes that lie in the tables before the users come.
pub(super) fn loaded(cell: &Cell, words: &Words) -> u64 {
    // Steps of one family work on the same tables, each in a state of its own.
    let mut families: BTreeMap<&str, u64> = BTreeMap::new();
    for ((family, _), data) in footprints::data_of(cell, words) {
        let most = families.entry(family).or_default();
        *most = data.bytes.max(*most);
    }
    families.into_values().fold(0_u64, u64::saturating_add)
}

pub(super) fn of_pool(cells: &[Cell], words: &Words) -> BTreeSet<String> {
    let told = |cell: &Cell| {
        let pool = pool_of(cell).filter(|_| !is_asked(cell))?;
        let data = loaded(cell, words);
        (data as f64 > FULL.0 * pool.0 as f64).then(|| {
            format!(
                "The data of {} take about {}, {} of a buffer_pool of {pool}: rates will be those of the disk. Enlarge it, take fewer \
                 rows, or make settings.{POOL} an axis.",
                cell.workload,
                Bytes(data),
                Share(data as f64 / pool.0 as f64),
            )
        })
    };
    cells.iter().filter_map(told).collect()
}

/// What of the plan is larger than the host.
pub(super) fn of_host(cells: &[Cell], disk: Bytes, host: &Host) -> Vec<String> {
    let pools: BTreeSet<_> =
        cells.iter().filter_map(|c| c.server.settings.get("buffer_pool")?.count()).map(i64::unsigned_abs).collect();
    let too_large = pools.into_iter().map(Bytes).filter(|b| host.memory.0 > 0 && *b > host.memory);
    let mut warnings: Vec<_> =
        too_large.map(|b| format!("buffer_pool is {b}, but the host has {} of memory.", host.memory)).collect();
    if host.disk_free.0 > 0 && disk > host.disk_free {
        warnings.push(format!("The plan needs about {disk} of disk, but {} is free.", host.disk_free));
    }
    warnings
}
