//! The check `observer_was_cheap`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{NotEvaluable, Pass, Warn};

#[test]
fn sampling_is_no_part_of_the_number() {
    let with = |name: &'static str, delta: f64| all_runs(move |r| counter(r, name, delta));
    assert_eq!(status(&record(), "observer_was_cheap"), Pass);
    assert_eq!(status(&with("sampler.cpu", 0.02e9), "observer_was_cheap"), Pass, "a reading at its end");
    assert_eq!(status(&with("sampler.cpu", 0.05e9), "observer_was_cheap"), Warn);
    assert_eq!(status(&with("sampler.statements", 200.0), "observer_was_cheap"), Warn);
    let unknown = all_runs(|r| forget(r, "sampler.cpu"));
    assert_eq!(status(&unknown, "observer_was_cheap"), NotEvaluable);
}
