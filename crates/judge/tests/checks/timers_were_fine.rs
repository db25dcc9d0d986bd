//! The check `timers_were_fine`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::record::run::RunRecord;
use model::units::Nanos;
use model::verdict::Status::{NotEvaluable, Pass, Warn};

#[test]
fn times_are_blurred_by_a_slow_clock_a_coarse_one_and_late_timers() {
    let verdict_of = |record: &Record| verdict(record, "timers_were_fine");
    let sentence = |record: Record| {
        let verdict = verdict_of(&record);
        assert_eq!(verdict.verdict, Warn, "{}", verdict.sentence);
        verdict.sentence
    };
    assert_eq!(verdict_of(&record()).verdict, Pass);
    assert!(sentence(spoilt(|r| r.host.clock_source = Some("hpet".into()))).contains("hpet enters the kernel"));
    assert!(sentence(spoilt(|r| r.host.clock_step = Some(Nanos::from_millis(4)))).contains("20 steps"));
    assert!(sentence(spoilt(|r| r.host.clock_cost = Some(Nanos::from_millis(1)))).contains("costs"));
    let late = |r: &mut RunRecord| {
        r.whole.timer_error.get_or_insert_default().record_many(Nanos::from_millis(80), 2);
    };
    assert!(sentence(all_runs(late)).contains("timers were late"));
    assert_eq!(verdict_of(&spoilt(|r| r.host.clock_cost = None)).verdict, NotEvaluable);
    assert_eq!(verdict_of(&spoilt(|r| r.host.clock_source = None)).verdict, NotEvaluable);
    assert_eq!(verdict_of(&all_runs(|r| r.whole.timer_error = None)).verdict, NotEvaluable);
}
