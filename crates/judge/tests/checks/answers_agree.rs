//! The check `answers_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotEvaluable, Pass};

#[test]
fn another_answer_to_the_same_question_fails() {
    let answer = |text: &str| {
        let text = text.to_string();
        spoilt(|r| of_cell(r, "c003").for_each(|r| r.session.plans[0].answers[0].answer = text.clone()))
    };
    assert_eq!(status(&record(), "answers_agree"), Pass);
    let other = verdict(&answer("b2"), "answers_agree");
    assert_eq!(other.verdict, Fail);
    assert!(other.sentence.contains("`point_selects` was answered in 2 ways"), "{}", other.sentence);
    let written_into = spoilt(|r| {
        of_cell(r, "c003").for_each(|r| {
            r.session.plans[0].answers[0].answer = "b2".into();
            r.start.as_mut().unwrap().aged = true;
        })
    });
    assert_eq!(status(&written_into, "answers_agree"), Pass, "of rows that were written into nothing is known");
    assert_eq!(status(&all_runs(|r| r.session.plans[0].answers.clear()), "answers_agree"), NotEvaluable);
}
