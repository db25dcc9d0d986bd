//! The check `plans_were_stable`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn a_plan_that_changes_during_the_run_fails_and_one_that_depends_on_values_warns() {
    let other = EXPLAIN.replace("const", "ALL").replace("PRIMARY", "k_1");
    let again = EXPLAIN.replace("\"rows\": 1", "\"rows\": 900");
    let afterwards = |text: &str| {
        let text = text.to_string();
        all_runs(move |r| r.session.plans_after = Some([("point_selects".to_string(), text.clone())].into()))
    };
    assert_eq!(status(&record(), "plans_were_stable"), Pass);
    assert_eq!(status(&afterwards(&again), "plans_were_stable"), Pass, "another estimate is the same plan");
    let changed = verdict(&afterwards(&other), "plans_were_stable");
    assert_eq!(changed.verdict, Fail);
    let told = "`point_selects` changed during the run, from `sbtest1 const PRIMARY` to `sbtest1 ALL k_1`";
    assert!(changed.sentence.contains(told), "{}", changed.sentence);
    let values = all_runs(|r| r.session.plans[0].other_explains = vec![other.clone()]);
    assert_eq!(status(&values, "plans_were_stable"), Warn);
    let walk = |access: &str, parts: &str| {
        let of =
            format!(r#""access_type": "{access}", "key": "id1_type", "key_length": "25", "used_key_parts": [{parts}]"#);
        format!(r#"{{"query_block": {{"table": {{"table_name": "links", {of}}}}}}}"#)
    };
    let bounded = all_runs(|r| {
        r.session.plans[0].explain = walk("range", r#""id1", "time""#);
        let now = walk("ref", r#""id1""#);
        r.session.plans_after = Some([("point_selects".to_string(), now)].into());
    });
    let bounded = verdict(&bounded, "plans_were_stable");
    assert_eq!(bounded.verdict, Warn);
    assert!(bounded.sentence.contains("bounded by another part of its key"), "{}", bounded.sentence);
    let gone = r#"{"query_block": {"table": {"message": "Impossible WHERE noticed after reading const tables"}}}"#;
    assert_eq!(status(&afterwards(gone), "plans_were_stable"), Pass, "the row was deleted, and not the plan");
    assert_eq!(status(&all_runs(|r| r.session.plans_after = None), "plans_were_stable"), NotEvaluable);
    assert_eq!(status(&all_runs(|r| r.session.plans.clear()), "plans_were_stable"), NotEvaluable);
}
