//! The check `flushing_was_settled`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::plan::RunId;
use model::record::run::{Ends, RunRecord};
use model::record::series::{Metric, Series, Shape, Unit};
use model::record::tally::Interval;
use model::record::{Details, Record};
use model::units::Nanos;
use model::verdict::Status::{self, Fail, NotApplicable, NotEvaluable, Pass, Warn};
use model::verdict::Verdict;

/// The redo log's age rises evenly through the window, in a log of 1000, after what it was in the warm-up.
struct Rising(f64, f64, Vec<f64>);

impl Details for Rising {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        Vec::new()
    }
    fn series(&self, _: &RunId, metrics: &[&str]) -> Vec<Series> {
        let at = |n: u64| (Nanos(1_000_000_000 + n * 100_000_000), self.0 + (self.1 - self.0) * n as f64 / 10.0);
        let before = self.2.iter().zip(0..).map(|(age, n)| (Nanos(n * 100_000_000), *age));
        let series = |name: &&str| Series {
            metric: Metric { name: (*name).to_string(), unit: Unit::Bytes, shape: Shape::Gauge },
            readings: before.clone().chain((0..=10).map(at)).collect(),
        };
        metrics.iter().filter(|name| **name == "db.checkpoint_age").map(series).collect()
    }
}

fn writing(from: f64, to: f64) -> Record {
    let level = |begin: f64, end: f64| Ends { begin, end, ..ends(0.0) };
    all_runs(move |r: &mut RunRecord| {
        counter(r, "db.redo_written", 1e6);
        let counters = &mut r.phases[0].counters;
        counters.insert("db.checkpoint_age".into(), level(from, to));
        counters.insert("db.checkpoint_max_age".into(), level(1_000.0, 1_000.0));
    })
}

fn status_of(from: f64, to: f64) -> Status {
    status_after(&[], from, to)
}

fn status_after(before: &[f64], from: f64, to: f64) -> Status {
    verdict_after(before, from, to).verdict
}

fn verdict_after(before: &[f64], from: f64, to: f64) -> Verdict {
    let judgement = judge::judge(&writing(from, to), &Rising(from, to, before.to_vec()));
    judgement.cells[0].verdicts.iter().find(|v| v.check == "flushing_was_settled").unwrap().clone()
}

#[test]
fn a_log_that_still_fills_is_a_honeymoon() {
    assert_eq!(status(&record(), "flushing_was_settled"), NotApplicable, "nothing was written");
    assert_eq!(status_of(700.0, 720.0), Pass);
    assert_eq!(status_of(100.0, 200.0), Warn);
    assert_eq!(status_of(100.0, 400.0), Fail, "forced within two more windows");
    assert_eq!(status_of(600.0, 200.0), Pass, "it falls");
    assert_eq!(status(&all_runs(|r| counter(r, "db.redo_written", 1e6)), "flushing_was_settled"), NotEvaluable);
}

#[test]
fn a_log_that_has_filled_once_fills_and_empties_in_turns() {
    let edge = verdict_after(&[300.0, 800.0, 100.0], 100.0, 400.0);
    assert!(edge.verdict == Pass && edge.sentence.starts_with("The log fills and is flushed in turns: "), "{edge:?}");
    assert_eq!(status_after(&[300.0, 500.0, 100.0], 100.0, 400.0), Fail, "it was never full");
    assert_eq!(status_after(&[300.0, 800.0, 500.0], 100.0, 400.0), Pass, "it was flushed as the window began");
    assert_eq!(status_after(&[300.0, 600.0, 680.0], 680.0, 745.0), Fail, "it still fills");
}
