//! The check `repetitions_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn repetitions_that_spread_are_noise() {
    let spread = |by: f64| {
        spoilt(|r| of_cell(r, "c001").for_each(|r| set_rate(r, QPS * (1.0 + by * (f64::from(r.repetition) - 2.0)))))
    };
    assert_eq!(status(&spread(0.04), "repetitions_agree"), Pass);
    assert_eq!(status(&spread(0.08), "repetitions_agree"), Warn);
    assert_eq!(status(&spread(0.20), "repetitions_agree"), Warn, "not beyond doubt");
    assert_eq!(status(&spread(0.30), "repetitions_agree"), Fail);
    assert_eq!(status(&spoilt(|r| r.runs.retain(|r| r.repetition < 3)), "repetitions_agree"), NotEvaluable);
}
