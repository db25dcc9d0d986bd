//! The check `server_came_to_rest`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::PhaseKind;
use model::record::Record;
use model::record::run::{PhaseRecord, Settled};
use model::units::Nanos;
use model::verdict::Status::{NotApplicable, NotEvaluable, Pass, Warn};

/// Each run behind a rest that ended with so many dirty pages, where ten are rest.
fn rested(dirty: Option<f64>) -> Record {
    all_runs(|run| {
        let gauges = dirty.map(|now| ("db.pages_dirty".to_string(), [900.0, now, 10.0]));
        let settled = Settled {
            took: Nanos::from_secs(3),
            is_over: dirty.is_some_and(|now| now <= 10.0),
            gauges: gauges.into_iter().collect(),
            unaided: None,
        };
        let measured = run.phases[0].clone();
        let rest = PhaseRecord {
            name: "settle".into(),
            kind: PhaseKind::WarmUp,
            groups: Default::default(),
            counters: Default::default(),
            settled: Some(settled),
            ..measured
        };
        run.phases.insert(0, rest);
    })
}

#[test]
fn what_was_still_owed_when_the_time_was_up_is_told() {
    assert_eq!(status(&record(), "server_came_to_rest"), NotApplicable);
    assert_eq!(status(&rested(Some(9.0)), "server_came_to_rest"), Pass);
    let late = verdict(&rested(Some(400.0)), "server_came_to_rest");
    assert_eq!(late.verdict, Warn);
    assert!(
        late.sentence.contains("settle ended after 3 s with debts: pages_dirty 400 of 900, where 10 is rest"),
        "{}",
        late.sentence
    );
    assert_eq!(status(&rested(None), "server_came_to_rest"), NotEvaluable);
    let told = judge(&rested(Some(9.0))).cells[0].metrics["settle_s"].value;
    assert!((told - 3.0).abs() < 1e-9, "{told}");
}
