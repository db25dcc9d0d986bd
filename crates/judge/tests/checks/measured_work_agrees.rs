//! The check `measured_work_agrees`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::load::PhaseKind;
use model::value::Value;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

#[test]
fn rows_per_call_that_no_axis_explains_fail() {
    let record = spoilt(|r| of_cell(r, "c004").for_each(|r| statement(r).rows /= 10));
    let verdict = verdict(&record, "measured_work_agrees");
    assert_eq!((verdict.verdict, verdict.measured.as_str()), (Fail, "×10"));
    assert!(verdict.sentence.contains("and 0.1 in"), "{}", verdict.sentence);
    let bytes = spoilt(|r| of_cell(r, "c002").for_each(|r| statement(r).bytes *= 2));
    assert_eq!(status(&bytes, "measured_work_agrees"), Warn, "more users do not make larger answers");
    let charset = spoilt(|r| {
        of_cell(r, "c003").for_each(|r| statement(r).bytes *= 2);
        of_cell(r, "c004").for_each(|r| statement(r).bytes *= 2);
    });
    assert_eq!(status(&charset, "measured_work_agrees"), Pass, "another charset may");
    assert_eq!(status(&all_runs(|r| statement(r).calls = 30), "measured_work_agrees"), NotEvaluable);
}

#[test]
fn operations_cut_by_the_ends_of_a_phase_are_no_different_work() {
    // Of 8 users in three runs 24 operations may be cut: much of 300, little of 60,000.
    let cut = |calls: u64| {
        spoilt(|r| {
            of_cell(r, "c004").for_each(|r| {
                (statement(r).calls, statement(r).rows, operation(r).done) = (calls, calls, calls * 9 / 10);
                statement(r).bytes = 200 * calls;
            });
        })
    };
    assert_eq!(status(&cut(100), "measured_work_agrees"), Pass);
    assert_eq!(status(&cut(20_000), "measured_work_agrees"), Fail);
}

#[test]
fn how_often_a_statement_is_drawn_differs_by_chance() {
    // One in fifty operations has it, and of one cell 15 % more: chance where there are hundreds of calls, and not where
    // there are thousands.
    let drawn = |calls: u64| {
        let mut record = all_runs(|r| {
            (statement(r).calls, operation(r).done) = (calls, calls * 50);
            (statement(r).rows, statement(r).bytes) = (calls, 200 * calls);
        });
        of_cell(&mut record, "c004").for_each(|r| operation(r).done = calls * 50 * 100 / 115);
        record
    };
    assert_eq!(status(&drawn(150), "measured_work_agrees"), Pass);
    assert_eq!(status(&drawn(20_000), "measured_work_agrees"), Fail);
    let mut other = drawn(150);
    of_cell(&mut other, "c004").for_each(|r| statement(r).rows = statement(r).calls * 2);
    assert_eq!(status(&other, "measured_work_agrees"), Fail, "chance does not return other rows");
}

#[test]
fn how_many_rows_have_a_drawn_name_differs_by_chance() {
    let found = |calls: u64, rows: [u64; 2]| {
        let mut record = all_runs(|r| (statement(r).calls, operation(r).done) = (calls, calls));
        for (cell, rows) in [("c001", rows[0]), ("c002", rows[0]), ("c003", rows[0]), ("c004", rows[1])] {
            of_cell(&mut record, cell).for_each(|r| (statement(r).rows, statement(r).bytes) = (rows, 60 * rows));
        }
        status(&record, "measured_work_agrees")
    };
    assert_eq!(found(190, [543, 580]), Pass, "2.86 and 3.05 of hundreds of calls");
    assert_eq!(found(19_000, [54_300, 58_000]), Fail, "and of thousands");
    assert_eq!(found(190, [570, 530]), Fail, "three each time are not drawn");
}

#[test]
fn an_axis_over_a_work_parameter_explains_its_rows() {
    let mut record = experiment(&[("range_size", &[10.into(), 100.into()])]);
    of_cell(&mut record, "c002").for_each(|r| statement(r).rows *= 10);
    assert_eq!(status(&record, "measured_work_agrees"), NotApplicable, "nothing else is compared here");
}

#[test]
fn no_axis_beside_the_workload_explains_other_rows() {
    let outside: [(&str, [Value; 2]); 4] = [
        ("transport", ["unix".into(), "tls".into()]),
        ("sampling", [true.into(), false.into()]),
        ("settings.query_cache", [0.into(), 1.into()]),
        ("native.join_buffer_size", [262_144.into(), 524_288.into()]),
    ];
    for (axis, values) in &outside {
        let healthy = experiment(&[(axis, values)]);
        assert_eq!(status(&healthy, "measured_work_agrees"), Pass, "{axis}");
        let mut ill = experiment(&[(axis, values)]);
        of_cell(&mut ill, "c002").for_each(|r| statement(r).rows *= 10);
        assert_eq!(status(&ill, "measured_work_agrees"), Fail, "{axis}");
    }
}

#[test]
fn a_cell_that_is_further_on_in_data_that_change_does_no_different_work() {
    // Rows vanish: nine of ten calls find one in the warm-up, then the one cell finds 0.8 and the other 0.6.
    let gone = |warm_up: u64| {
        spoilt(|r| {
            for (cell, left) in [("c001", 800), ("c002", 600), ("c003", 800), ("c004", 600)] {
                of_cell(r, cell).for_each(|r| {
                    statement(r).rows = statement(r).calls * left / 1000;
                    let mut before = r.phases.last().expect("a phase").clone();
                    before.name = "warm up".into();
                    before.kind = PhaseKind::WarmUp;
                    let tally = &mut before.groups.values_mut().next().expect("users").tally;
                    tally.statements.values_mut().for_each(|s| s.rows = s.calls * warm_up / 1000);
                    r.phases.insert(0, before);
                });
            }
        })
    };
    assert_eq!(status(&gone(900), "measured_work_agrees"), Pass);
    let unlike = spoilt(|r| of_cell(r, "c004").for_each(|r| statement(r).rows = statement(r).calls * 6 / 10));
    assert_eq!(status(&unlike, "measured_work_agrees"), Fail, "nothing changed within either");
}
