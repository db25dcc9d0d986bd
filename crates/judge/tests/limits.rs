//! An experiment may set a limit of a check. It is judged by that, and what it would be by ours is said beside it.

mod bench;

use bench::*;
use model::verdict::Status::{Fail, Pass, Warn};

#[test]
fn a_number_that_an_experiments_own_limit_rescues_warns_and_says_so() {
    let lossy = |limit: Option<f64>| {
        spoilt(|r| {
            r.plan.limits.extend(limit.map(|value| ("failed".to_string(), value)));
            // 3 % of deadlocks that were given up.
            r.runs.iter_mut().for_each(|run| operation(run).failed.extend([(1213, 600)]));
        })
    };
    assert_eq!(status(&lossy(None), "operations_succeeded"), Fail);
    let verdict = verdict(&lossy(Some(0.1)), "operations_succeeded");
    assert_eq!(verdict.verdict, Warn, "never as good as a pass");
    let told =
        "By our own limits this fails; it passes by the limits of the experiment: `failed` is 10 % (ours is 1 %).";
    assert!(verdict.sentence.ends_with(told), "{}", verdict.sentence);
    assert!(!judge(&lossy(Some(0.1))).failed());
    assert_eq!(status(&lossy(Some(0.02)), "operations_succeeded"), Fail, "not rescued by that");
}

#[test]
fn a_stricter_limit_is_told_beside_what_it_judged() {
    let strict = spoilt(|r| {
        r.plan.limits.extend([("spread_warn".to_string(), 0.001)]);
        of_cell(r, "c001").for_each(|r| set_rate(r, QPS * (1.0 + 0.02 * (f64::from(r.repetition) - 2.0))));
    });
    let verdict = verdict(&strict, "repetitions_agree");
    assert_eq!(verdict.verdict, Warn);
    assert!(
        verdict.limit.ends_with("set by the experiment: `spread_warn` is 0.1 % (ours is 20 %)"),
        "{}",
        verdict.limit
    );
    let untouched = spoilt(|r| r.plan.limits.extend([("spread_warn".to_string(), 0.2)]));
    assert_eq!(status(&untouched, "repetitions_agree"), Pass);
}
