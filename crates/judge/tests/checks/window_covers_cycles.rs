//! The check `window_covers_cycles`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::plan::RunId;
use model::record::Details;
use model::record::series::{Metric, Series, Shape, Unit};
use model::record::tally::Interval;
use model::units::Nanos;
use model::verdict::Status::{NotEvaluable, Pass, Warn};

/// So many checkpoints in each window.
struct Checkpoints(u64);

impl Details for Checkpoints {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        Vec::new()
    }
    fn series(&self, _: &RunId, metrics: &[&str]) -> Vec<Series> {
        let at = |n: u64| (Nanos(1_000_000_000 + n * 100_000_000), n.min(self.0) as f64);
        let series = |name: &&str| Series {
            metric: Metric { name: (*name).to_string(), unit: Unit::Count, shape: Shape::Counter },
            readings: (0..=10).map(at).collect(),
        };
        metrics.iter().filter(|name| **name == "db.checkpoint_lsn").map(series).collect()
    }
}

#[test]
fn a_window_with_less_than_two_checkpoints_depends_on_where_it_was_cut() {
    let writing = || {
        all_runs(|r| {
            counter(r, "db.redo_written", 1e6);
            counter(r, "db.checkpoint_lsn", 10.0);
        })
    };
    let status_of = |n: u64| {
        let judgement = judge::judge(&writing(), &Checkpoints(n));
        judgement.cells[0].verdicts.iter().find(|v| v.check == "window_covers_cycles").unwrap().verdict
    };
    assert_eq!(status(&record(), "window_covers_cycles"), Pass, "nothing was written");
    assert_eq!((status_of(5), status_of(2), status_of(1)), (Pass, Pass, Warn));
    let unknown = all_runs(|r| counter(r, "db.redo_written", 1e6));
    assert_eq!(status(&unknown, "window_covers_cycles"), NotEvaluable);
}
