//! What a server still owes when its users have gone: old row versions, pages to write, runs to compact. A rate that is
//! measured while the debt grows is partly borrowed, and how long paying takes says how much of it. The gauges are read
//! until each has come back to where it was before the load, or the experiment's patience is over; who did not ask for
//! it does not wait.

use super::sampling::{Readings, Sampling};
use crate::os::clock;
use model::Nanos;
use model::record::run::Drain;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Gauges of debt; those that a server does not have are not waited for.
const OWED: &[&str] = &["db.history_list_length", "db.pages_dirty", "db.compaction_debt"];
/// Paid when no more than this share of what the load added is left: a server's own work keeps a little of each.
const LEFT: f64 = 0.01;
/// How often they are read.
const LOOK: Duration = Duration::from_millis(200);

/// `quiet` was read before the load.
pub(crate) fn wait(sampling: &Sampling, quiet: &Readings, most: Nanos, stop: &AtomicBool) -> Drain {
    let begun = clock::now();
    let first = sampling.mark().wait();
    let mut now = first.clone();
    loop {
        let took = Nanos(clock::now().0.saturating_sub(begun.0));
        let owed = owed(quiet, &first, &now);
        let is_over = owed.values().all(is_paid);
        if is_over || took >= most || stop.load(Relaxed) {
            return Drain { took, is_over, owed };
        }
        std::thread::sleep(LOOK);
        now = sampling.mark().wait();
    }
}

fn owed(quiet: &Readings, first: &Readings, now: &Readings) -> BTreeMap<String, [f64; 3]> {
    let of = |name: &&str| {
        let at = |readings: &Readings| readings.get(*name).map(|(value, _)| *value);
        Some(((*name).to_string(), [at(quiet)?, at(first)?, at(now)?]))
    };
    OWED.iter().filter_map(of).collect()
}

fn is_paid([before, first, now]: &[f64; 3]) -> bool {
    *now <= before + LEFT * (first - before).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::is_paid;

    #[test]
    fn a_debt_is_paid_when_it_is_back_or_nearly_so() {
        assert!(is_paid(&[10.0, 10.0, 10.0]) && is_paid(&[10.0, 5.0, 3.0]), "nothing was added");
        assert!(is_paid(&[0.0, 1000.0, 10.0]) && !is_paid(&[0.0, 1000.0, 11.0]));
        assert!(!is_paid(&[10.0, 12.0, 11.0]));
    }
}
