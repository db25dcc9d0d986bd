//! The check `nobody_else_asked`: alone, with somebody who comes and goes, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::record::run::RunRecord;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

const CHECK: &str = "nobody_else_asked";

/// The first run's server counted so many more.
fn with(more: &'static [(&'static str, f64)]) -> Record {
    let add = |run: &mut RunRecord, name: &str, delta: f64| {
        let before = run.whole.counters.get(name).map_or(0.0, |ends| ends.delta());
        run.whole.counters.insert(name.into(), ends(before + delta));
    };
    spoilt(move |r| {
        for run in &mut r.runs {
            let sessions = run.whole.connects as f64;
            add(run, "status.Connections", sessions);
            add(run, "status.Com_set_option", sessions);
            add(run, "status.Com_select", 1e5);
        }
        more.iter().for_each(|(name, delta)| add(&mut r.runs[0], &format!("status.{name}"), *delta));
    })
}

#[test]
fn a_stranger_who_comes_after_the_start_and_leaves_before_the_end_is_named_by_what_was_asked() {
    assert_eq!(status(&with(&[]), CHECK), Pass);
    let put_back = verdict(&with(&[("Questions", 3.0), ("Com_set_option", 2.0), ("Connections", 1.0)]), CHECK);
    assert_eq!(put_back.verdict, Fail);
    assert!(put_back.sentence.contains("3 requests, 2 × SET among them and opened 1 session"), "{}", put_back.sentence);
    let flushed = verdict(&with(&[("Questions", 1.0), ("Com_flush", 1.0)]), CHECK);
    assert_eq!(flushed.verdict, Fail);
    assert!(flushed.sentence.contains("1 request (1 × FLUSH)"), "{}", flushed.sentence);
}

#[test]
fn who_only_reads_or_only_knocks_is_warned_of() {
    let read = verdict(&with(&[("Questions", 1.0), ("Com_select", 1.0)]), CHECK);
    assert_eq!(read.verdict, Warn, "{}", read.sentence);
    let knocked = verdict(&with(&[("Connections", 400.0)]), CHECK);
    assert_eq!(knocked.verdict, Warn);
    assert!(knocked.sentence.contains("opened 400 sessions: what"), "{}", knocked.sentence);
    let silent = verdict(&with(&[("Connections", 400.0), ("Aborted_connects", 399.0)]), CHECK).sentence;
    assert!(silent.contains("opened 400 sessions, 399 of them connections that never logged in: what"), "{silent}");
}

#[test]
fn counters_that_were_set_to_zero_tell_nothing_and_counters_that_were_not_read_neither() {
    let reset = verdict(&with(&[("Questions", -1e9)]), CHECK);
    assert_eq!(reset.verdict, Fail);
    assert!(reset.sentence.contains("FLUSH STATUS"), "{}", reset.sentence);
    let blind = all_runs(|r| {
        r.whole.counters.remove("sampler.statements");
    });
    assert_eq!(status(&blind, CHECK), NotEvaluable);
    let elsewhere = spoilt(|r| r.instances.iter_mut().for_each(|instance| instance.kind = "postgresql".into()));
    assert_eq!(status(&elsewhere, CHECK), NotApplicable);
}
