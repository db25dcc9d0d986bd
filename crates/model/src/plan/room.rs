//! What is larger than its room, before anything runs: a plan than the disk, a pool than the memory, and data than the pool (D4),
//! which make a rate of the disk: a study once believed "never bigger than 40 GB" of data that had 66. What workloads say
//! of their size is held against the pool; what a run adds to its data is not foreseen here, but told from the
//! readings by `regime_was_cached`. A pool that is an axis was meant to be too small somewhere, and is not warned of.

use super::Cell;
use super::cost;
use crate::host::Host;
use crate::units::{Bytes, Share};
use crate::words::Words;
use std::collections::{BTreeMap, BTreeSet};

/// Of the pool, that data may fill: as `regime_was_cached` asks of the run. The rest is undo, dictionary and free pages.
const FULL: Share = Share(0.90);
/// The setting, and the only engine whose pages it caches.
const POOL: &str = "buffer_pool";
const ENGINE: &str = "innodb";

pub(super) fn of_pool(cells: &[Cell], words: &Words) -> BTreeSet<String> {
    let told = |cell: &Cell| {
        let is_asked = cell.axes.keys().any(|axis| axis.ends_with(POOL));
        if is_asked || cell.server.on.is_some() || !cell.server.engine.eq_ignore_ascii_case(ENGINE) {
            return None;
        }
        let pool = cell.server.settings.get(POOL)?.count()?.unsigned_abs();
        // Steps of one family work on the same tables, each in a state of its own.
        let mut families: BTreeMap<&str, u64> = BTreeMap::new();
        for ((family, _), data) in cost::data_of(cell, words) {
            let most = families.entry(family).or_default();
            *most = data.bytes.max(*most);
        }
        let data = families.into_values().fold(0_u64, u64::saturating_add);
        (data as f64 > FULL.0 * pool as f64).then(|| {
            format!(
                "The data of {} take about {}, {} of a buffer_pool of {}: rates will be those of the disk. Enlarge it, take fewer \
                 rows, or make settings.{POOL} an axis.",
                cell.workload,
                Bytes(data),
                Share(data as f64 / pool as f64),
                Bytes(pool)
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
