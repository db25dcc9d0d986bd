//! The check `observer_moved_nothing`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::value::Value;
use model::verdict::Status::{NotApplicable, NotEvaluable, Pass, Warn};

fn with_and_without() -> Record {
    experiment(&[("sampling", &[Value::Flag(true), Value::Flag(false)]), ("users", &[1.into(), 8.into()])])
}

#[test]
fn what_cells_lose_to_readings_once_a_second_is_told_as_the_bias_of_the_instrument() {
    assert_eq!(status(&record(), "observer_moved_nothing"), NotApplicable, "nobody measured without");
    assert_eq!(status(&with_and_without(), "observer_moved_nothing"), Pass);
    let mut dear = with_and_without();
    // The second pair of users, without.
    of_cell(&mut dear, "c004").for_each(|r| set_rate(r, QPS * 1.1 * (1.0 + 1e-4 * f64::from(r.repetition))));
    let told = verdict(&dear, "observer_moved_nothing");
    assert_eq!(told.verdict, Warn);
    let sentence = "Reading the counters may change the rate: 1 of 2 pairs of cells are not known to be the same, as c004 with sampling off";
    assert!(told.sentence.starts_with(sentence), "{}", told.sentence);
    let mut once = with_and_without();
    once.runs.retain(|r| r.repetition == 1);
    assert_eq!(status(&once, "observer_moved_nothing"), NotEvaluable, "no interval");
}
