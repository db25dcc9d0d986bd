//! The check `answers_were_fresh`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::protocol::Protocol;
use model::record::Record;
use model::verdict::Status::{NotApplicable, NotEvaluable, Pass, Warn};

const CHECK: &str = "answers_were_fresh";

/// Runs past SQL whose lab read the old value so often after a commit, at this isolation.
fn read(old: &'static str, level: &'static str) -> Record {
    spoilt(move |r| {
        r.plan.cells.iter_mut().for_each(|c| c.protocols = [Protocol::Memcached].into());
        let told = [("stale_gets_after_commit", old), ("stale_ms_after_commit", "2.310"), ("door_isolation", level)];
        for run in &mut r.runs {
            run.session.variables.extend(told.map(|(name, value)| (name.to_string(), value.to_string())));
        }
    })
}

#[test]
fn an_old_answer_warns_and_says_how_old() {
    assert_eq!(status(&read("0", "read committed"), CHECK), Pass);
    let stale = verdict(&read("127", "repeatable read"), CHECK);
    assert_eq!(stale.verdict, Warn);
    assert!(stale.sentence.contains("for another 127 gets and 2.31 ms (repeatable read)"), "{}", stale.sentence);
    let many = verdict(&read("more than 2000", "repeatable read"), CHECK);
    assert_eq!((many.verdict, many.measured.as_str()), (Warn, "more than 2000 gets"));
}

#[test]
fn what_may_never_be_committed_is_told_though_it_is_never_old() {
    let dirty = verdict(&read("0", "read uncommitted"), CHECK);
    assert_eq!(dirty.verdict, Pass);
    assert!(dirty.sentence.contains("may never be"), "{}", dirty.sentence);
}

#[test]
fn who_speaks_sql_is_not_asked_and_who_was_not_asked_is_not_judged() {
    assert_eq!(status(&spoilt(|_| {}), CHECK), NotApplicable);
    let unasked = spoilt(|r| r.plan.cells.iter_mut().for_each(|c| c.protocols = [Protocol::Memcached].into()));
    assert_eq!(status(&unasked, CHECK), NotEvaluable);
}
