//! The check `clock_kept_its_rate`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

#[test]
fn a_clock_that_is_slewed_is_no_measure() {
    let gone = |seconds: f64| {
        all_runs(move |r| {
            counter(r, "host.clock.raw", 1e10);
            counter(r, "host.clock.monotonic", seconds * 1e9);
        })
    };
    assert_eq!(status(&gone(10.003), "clock_kept_its_rate"), Pass);
    assert_eq!(status(&gone(10.03), "clock_kept_its_rate"), Warn);
    let slowed = verdict(&gone(9.0), "clock_kept_its_rate");
    assert_eq!(slowed.verdict, Fail);
    assert!(slowed.sentence.contains("10 % too slowly"), "{}", slowed.sentence);
    let unread = all_runs(|r| {
        counter(r, "host.clock.raw", 1e10);
        forget(r, "host.clock.monotonic");
    });
    assert_eq!(status(&unread, "clock_kept_its_rate"), NotEvaluable);
    let before = all_runs(|r| forget(r, "host.clock.raw"));
    assert_eq!(status(&before, "clock_kept_its_rate"), NotApplicable);
}
