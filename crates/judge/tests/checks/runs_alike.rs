//! The check `runs_alike`: healthy, ill, and without its evidence.

use crate::bench::states::change;
use crate::bench::*;
use model::record::Record;
use model::record::run::{Ends, RunRecord};
use model::record::state::Facet;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

const CHECK: &str = "runs_alike";

#[test]
fn a_setting_that_changed_between_repetitions_strikes_the_cell_and_names_both_runs() {
    let record =
        spoilt(|r| change(r, &["c001-3"], false, Facet::Variables, "innodb_flush_log_at_trx_commit", Some("2")));
    let told = verdict(&record, CHECK);
    assert_eq!(told.verdict, Fail);
    assert_eq!(
        told.sentence,
        "`innodb_flush_log_at_trx_commit` was 1 at the start of c001-1 and 2 at that of c001-3; the number is struck."
    );
    let others = judge(&record);
    let of_others = others.cells[1..].iter().flat_map(|c| &c.verdicts).filter(|v| v.check == CHECK);
    assert!(of_others.into_iter().all(|v| v.verdict == Pass), "the others were alike");
    assert_eq!(status(&record, "held_throughout"), Pass, "nothing changed during a run");
}

#[test]
fn an_index_dropped_and_a_plan_that_changed_are_named() {
    let record = spoilt(|r| change(r, &["c002-2"], false, Facet::Tables, "key `k_1` of sbtest1", None));
    let told = verdict(&record, CHECK);
    assert_eq!(told.verdict, Fail);
    assert!(told.sentence.contains("and absent at that of c002-2"), "{}", told.sentence);
    let record = spoilt(|r| {
        let run = of_cell(r, "c001").nth(1).unwrap();
        run.session.plans[0].explain = EXPLAIN.replace("const", "ALL").replace("\"key\": \"PRIMARY\", ", "");
    });
    let told = verdict(&record, CHECK);
    assert_eq!(told.verdict, Fail, "{}", told.sentence);
    assert!(told.sentence.contains("The plan of `point_selects` was"), "{}", told.sentence);
}

#[test]
fn cells_on_one_server_share_its_variables_whatever_their_axes_are() {
    let all = ["c003-1", "c003-2", "c003-3"];
    let record = spoilt(|r| change(r, &all, false, Facet::Variables, "innodb_io_capacity", Some("100")));
    let told = verdict(&record, CHECK);
    assert_eq!(told.verdict, Fail);
    assert!(
        told.sentence.contains("`innodb_io_capacity` was 2000 at the start of c001-1 and 100 at that of c003-1"),
        "{}",
        told.sentence
    );
    let tables = |own: bool| {
        spoilt(|r| {
            change(r, &all, false, Facet::Tables, "key `k_1` of sbtest1", None);
            of_cell(r, "c003").filter(|_| own).for_each(|run| run.dataset = Some("d2".into()));
        })
    };
    assert_eq!(status(&tables(false), CHECK), Fail);
    assert_eq!(status(&tables(true), CHECK), Pass, "cells may have tables of their own");
}

#[test]
fn strangers_warn_and_records_without_it_say_nothing() {
    let record = spoilt(|r| change(r, &["c001-2"], false, Facet::Others, "watcher@localhost", Some("1")));
    assert_eq!(status(&record, CHECK), Warn);
    assert_eq!(status(&spoilt(|r| r.runs[0].states = None), CHECK), NotEvaluable);
    assert_eq!(status(&all_runs(|r| r.states = None), CHECK), NotApplicable);
}

#[test]
fn what_somebody_wrote_between_two_runs_on_the_same_data_is_named() {
    let record = |runs_before: u32| {
        spoilt(|r| {
            for (position, run) in r.runs.iter_mut().enumerate() {
                run.position = position as u32;
                run.start.as_mut().unwrap().runs_before = runs_before * position as u32;
            }
            let last = ["c001-3", "c002-3", "c003-3", "c004-3"];
            change(r, &last, false, Facet::Written, "sbtest1", Some("2026-11-23 19:05:00"));
        })
    };
    let asked = |mut record: Record| {
        for run in &mut record.runs {
            for (name, begin, more) in [("status.Com_update", 0.0, 1.0), ("status.Com_select", 0.0, 9.0)] {
                let begin = begin + if run.id.0.ends_with("-3") { more } else { 0.0 };
                run.whole.counters.insert(name.into(), Ends { begin, end: begin, ..ends(0.0) });
            }
        }
        verdict(&record, CHECK).sentence
    };
    let told = asked(record(1));
    assert!(told.contains("-3 (asked in between: 1 × UPDATE); the number"), "{told}");
    let told = verdict(&record(1), CHECK);
    assert_eq!(told.verdict, Fail);
    let sentence = "The last write to sbtest1 was 2026-11-23 19:00:00 at the end of c004-2 and 2026-11-23 19:05:00";
    assert!(told.sentence.starts_with(sentence), "{}", told.sentence);
    assert_eq!(status(&record(0), CHECK), Pass, "data that were prepared anew");
    let mut gets = record(1);
    let asked = |run: &mut RunRecord| run.session.variables.insert("stale_gets_after_commit".into(), "0".into());
    gets.runs.iter_mut().for_each(|run| drop(asked(run)));
    assert_eq!(status(&gets, CHECK), Pass, "the lab wrote to see how old answers are");
}
