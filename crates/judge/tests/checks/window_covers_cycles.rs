//! The check `window_covers_cycles`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::plan::RunId;
use model::record::Details;
use model::record::run::{Drain, Writes};
use model::record::series::{Metric, Series, Shape, Unit};
use model::record::tally::Interval;
use model::units::Nanos;
use model::verdict::Status::{NotApplicable, NotEvaluable, Pass, Warn};

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
        assert!(
            judgement.cells.iter().all(|c| c.verdicts.iter().all(|v| v.check != "window_covers_cycles")),
            "told once"
        );
        judgement.verdicts.iter().find(|v| v.check == "window_covers_cycles").unwrap().verdict
    };
    assert_eq!(status(&record(), "window_covers_cycles"), NotApplicable, "nothing was written");
    assert_eq!((status_of(5), status_of(2), status_of(1)), (Pass, Pass, Warn));
    let drained = |seconds: u64, is_over: bool| {
        let record = all_runs(|r| {
            let owed = [("db.pages_dirty".to_string(), [0.0, 900.0, if is_over { 0.0 } else { 40.0 }])].into();
            r.whole.drain = Some(Drain { took: Nanos::from_secs(seconds), is_over, owed });
        });
        let rate = judge(&record).cells[0].metrics["debt_adjusted_ops_per_s"].value;
        (verdict(&record, "window_covers_cycles"), rate)
    };
    let (none, rate) = drained(0, true);
    assert!(none.verdict == Pass && none.sentence.ends_with("was paid 0 s after the load."), "{}", none.sentence);
    // As long as the measurement itself.
    let (long, adjusted) = drained(1, true);
    assert!(long.verdict == Warn && (rate / adjusted - 2.0).abs() < 0.01, "{rate} {adjusted}");
    assert!(long.sentence.contains("was paid 1 s after the load, 100 % of the measured time."), "{}", long.sentence);
    let (late, _) = drained(1, false);
    assert!(late.sentence.contains("was not paid 1 s after the load (pages_dirty)."), "{}", late.sentence);
    let only_read = all_runs(|r| {
        counter(r, "db.redo_written", 12_000.0);
        counter(r, "db.checkpoint_lsn", 10.0);
        r.whole.writes = Some(Writes { statements: 0, rows: Some(0) });
    });
    assert_eq!(
        status(&only_read, "window_covers_cycles"),
        NotApplicable,
        "what a server writes for itself fills no log"
    );
    let unknown = all_runs(|r| counter(r, "db.redo_written", 1e6));
    assert_eq!(status(&unknown, "window_covers_cycles"), NotEvaluable);
}
