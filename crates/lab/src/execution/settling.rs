//! A phase in which nobody works and the server comes to rest: the one before may have left old row versions, pages to
//! write and runs to compact, and whoever is measured next would pay for them. The server is told what brings it there,
//! and the phase is over when each gauge of what it owes is down at its mark, or the phase's time is up.

use super::sampling::{Readings, Sampling};
use crate::backends::contract::Settling;
use crate::os::clock;
use model::Nanos;
use model::record::run::Settled;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// How often gauges are read.
const LOOK: Duration = Duration::from_millis(200);
/// The mark of dirty pages, as a share of all: what the server is told to keep below, which it then hovers around.
const DIRTY: f64 = 0.011;
/// Old row versions that are not purged: none, as MariaDB 10.11 reaches within a second.
const HISTORY: f64 = 0.0;
/// Bytes that RocksDB's levels hold beyond their targets, when nothing is left to merge.
const DEBT: f64 = 0.0;
/// Workers that PostgreSQL sent to vacuum or to analyze by itself.
const VACUUMS: f64 = 0.0;

const PAGES: &str = "db.pages_total";
const DIRTY_PAGES: &str = "db.pages_dirty";

/// How a server is begun to be brought to rest.
pub(crate) type Begin<'a> = &'a dyn Fn() -> Result<Box<dyn Settling>, String>;

pub(crate) fn settle(sampling: &Sampling, begin: Begin<'_>, most: Nanos, stop: &AtomicBool) -> Settled {
    let begun = clock::now();
    let first = sampling.mark().wait();
    let (settling, mut unaided) = match begin() {
        Ok(settling) => (Some(settling), None),
        Err(why) => (None, Some(why)),
    };
    let (gauges, is_over) = loop {
        let gauges = gauges(&first, &sampling.mark().wait());
        let is_over = gauges.values().all(|[_, now, mark]| now <= mark);
        if is_over || clock::now().0.saturating_sub(begun.0) >= most.0 || stop.load(Relaxed) {
            break (gauges, is_over);
        }
        std::thread::sleep(LOOK);
    };
    if let Some(Err(why)) = settling.map(|settling| settling.over()) {
        unaided = Some(why);
    }
    Settled { took: Nanos(clock::now().0.saturating_sub(begun.0)), is_over, gauges, unaided }
}

/// Those that this server has, each at the begin, now and at rest.
fn gauges(first: &Readings, now: &Readings) -> BTreeMap<String, [f64; 3]> {
    let at = |readings: &Readings, name: &str| readings.get(name).map(|(value, _)| *value);
    let marks = [
        ("db.history_list_length", Some(HISTORY)),
        (DIRTY_PAGES, at(now, PAGES).map(|pages| (DIRTY * pages).floor())),
        ("db.compaction_debt", Some(DEBT)),
        ("postgres.autovacuum_workers", Some(VACUUMS)),
    ];
    let of = |(name, mark): (&str, Option<f64>)| Some((name.to_string(), [at(first, name)?, at(now, name)?, mark?]));
    marks.into_iter().filter_map(of).collect()
}
