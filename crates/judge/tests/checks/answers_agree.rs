//! The check `answers_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::Users;
use model::record::run::RunRecord;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass};

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

#[test]
fn what_other_groups_read_is_compared_where_they_come_first_and_not_behind_writes() {
    let of_another_group = |r: &mut RunRecord| {
        let readers = r.session.clone();
        r.session.plans.clear();
        r.more_sessions.insert("readers".into(), readers);
    };
    let mut record = all_runs(of_another_group);
    assert_eq!(status(&record, "answers_agree"), Pass);
    of_cell(&mut record, "c003").for_each(|r| {
        r.more_sessions.get_mut("readers").unwrap().plans[0].answers[0].answer = "b2".into();
    });
    assert_eq!(status(&record, "answers_agree"), Fail);
    for cell in &mut record.plan.cells {
        let mut behind = cell.phases[0].clone();
        behind.users = Some(Users(77));
        cell.phases.push(behind);
    }
    assert_eq!(status(&record, "answers_agree"), NotApplicable, "they came behind others, who may have written");
}
