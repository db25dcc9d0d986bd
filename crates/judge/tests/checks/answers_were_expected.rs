//! The check `answers_were_expected`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotEvaluable};

#[test]
fn one_unexpected_answer_fails() {
    assert_eq!(status(&spoilt(|r| statement(&mut r.runs[5]).unexpected = 1), "answers_were_expected"), Fail);
    assert_eq!(status(&all_runs(|r| tally(r).statements.clear()), "answers_were_expected"), NotEvaluable);
}
