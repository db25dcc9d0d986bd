//! The check `answers_were_expected`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::answer::StatementPlan;
use model::verdict::Status::{Fail, NotEvaluable, Pass};

#[test]
fn one_unexpected_answer_fails() {
    assert_eq!(status(&spoilt(|r| statement(&mut r.runs[5]).unexpected = 1), "answers_were_expected"), Fail);
    assert_eq!(status(&all_runs(|r| tally(r).statements.clear()), "answers_were_expected"), NotEvaluable);
}

#[test]
fn a_statement_that_finds_nothing_any_more_did_other_work() {
    let empty = verdict(&all_runs(|r| statement(r).rows = 0), "answers_were_expected");
    assert_eq!(empty.verdict, Fail);
    assert!(empty.sentence.contains("answers of `point_selects` had a row"), "{}", empty.sentence);
    let never = all_runs(|r| {
        statement(r).rows = 0;
        r.session.plans[0].rows = 0;
    });
    assert_eq!(status(&never, "answers_were_expected"), Pass, "it found none before the run, either");
    let deletes = all_runs(|r| {
        statement(r).rows = 0;
        let delete = StatementPlan {
            statement: "delete".into(),
            sql: "DELETE FROM sbtest1 WHERE id=7".into(),
            rows: 0,
            ..r.session.plans[0].clone()
        };
        r.session.plans.push(delete);
    });
    assert_eq!(status(&deletes, "answers_were_expected"), Pass, "what the load deletes it no longer finds");
}
