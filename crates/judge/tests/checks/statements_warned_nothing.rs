//! The check `statements_warned_nothing`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{NotApplicable, Pass, Warn};

#[test]
fn a_statement_that_warns_each_time_is_named() {
    let check = "statements_warned_nothing";
    let with = |share: f64| all_runs(move |r| statement(r).warnings = (statement(r).calls as f64 * share) as u64);
    assert_eq!(status(&record(), check), Pass);
    assert_eq!(status(&with(0.001), check), Pass, "a value now and then");
    let told = verdict(&with(2.0), check);
    assert_eq!(told.verdict, Warn);
    assert!(told.sentence.contains("`point_selects`") && told.sentence.contains("2 warnings"), "{}", told.sentence);
    assert_eq!(status(&all_runs(|r| r.whole.warnings = None), check), NotApplicable, "a record from before");
}
