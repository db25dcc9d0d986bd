//! Laws of the data, and errors that a client swallowed: what a benchmark whose every order was rolled back looks like.

mod bench;

use bench::*;
use model::record::audit::{Answer, Audit, Law, Rule, Severity, Term};
use model::record::run::RunRecord;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

fn law(code: &str, severity: Severity, rule: Rule) -> Law {
    let claim = format!("{code} holds");
    Law { code: code.into(), claim, broken: "The column `x` comes to mind.".into(), severity, rule }
}

/// Orders that were counted and orders that lie there, and how many of a hundred thousand were rolled back.
fn audited(run: &mut RunRecord, counted: i64, there: Option<i64>, rolled_back: i64, uncertain: u64) {
    let (left, right) = (vec![Term::fact("orders")], vec![Term::growth("rows")]);
    let equal = law("V1", Severity::Fail, Rule::Equal { left, right, apart: 1 });
    let (part, whole) = (vec![Term::fact("rolled_back")], vec![Term::fact("tried")]);
    let share = law("V6", Severity::Warn, Rule::Share { part, whole, low: 0.009, high: 0.011, enough: 100 });
    run.audits = vec![Audit {
        facts: [("orders", counted), ("rolled_back", rolled_back), ("tried", 100_000)]
            .map(|(k, v)| (k.into(), v))
            .into(),
        uncertain,
        answers: vec![Answer {
            name: "rows".into(),
            before: Some(3_000),
            after: there.map(|n| 3_000 + n),
            ..Answer::default()
        }],
        laws: vec![equal, share],
        ..Audit::default()
    }];
}

fn record_with(spoil: impl Fn(&mut RunRecord)) -> model::record::Record {
    let mut record = record();
    record.runs.iter_mut().for_each(spoil);
    record
}

#[test]
fn sums_agree_to_the_last_order_save_those_whose_end_nobody_saw() {
    let status = |counted, there, uncertain| {
        verdict(&record_with(|run| audited(run, counted, Some(there), 1_000, uncertain)), "data_obeyed_its_laws")
            .verdict
    };
    assert_eq!(
        (status(500, 500, 0), status(500, 499, 0), status(500, 501, 1), status(500, 502, 1)),
        (Pass, Fail, Pass, Fail)
    );
    let lost = verdict(&record_with(|run| audited(run, 500, Some(0), 1_000, 0)), "data_obeyed_its_laws");
    assert!(
        lost.sentence.contains(
            "V1 holds\" is broken: orders is 500, and growth of rows, which should be as much, is 0. The column `x`"
        ),
        "{}",
        lost.sentence
    );
}

#[test]
fn what_may_be_missing_on_the_left_may_not_be_too_much_there() {
    let status = |counted: i64, there: i64| {
        let record = record_with(|run| {
            audited(run, counted, Some(there), 1_000, 0);
            let (left, right) = (vec![Term::growth("rows")], vec![Term::fact("orders")]);
            run.audits[0].laws[0].rule = Rule::Nearly { left, right, apart: 1, short: 0.001 };
        });
        verdict(&record, "data_obeyed_its_laws").verdict
    };
    assert_eq!((status(80_000, 79_999), status(80_000, 79_900), status(80_000, 80_001)), (Pass, Fail, Fail));
}

#[test]
fn a_share_may_stray_as_far_as_chance_takes_it() {
    let status = |rolled_back| {
        verdict(&record_with(|run| audited(run, 5, Some(5), rolled_back, 0)), "data_obeyed_its_laws").verdict
    };
    // 0.9 % of 100,000 has a standard deviation of 30.
    assert_eq!((status(1_000), status(880), status(700), status(100_000)), (Pass, Pass, Warn, Warn));
}

#[test]
fn a_law_with_too_few_cases_is_told_as_undecided_and_not_as_held() {
    let few = |run: &mut RunRecord| {
        audited(run, 5, Some(5), 0, 0);
        run.audits[0].facts.insert("tried".into(), 99);
    };
    let seen = verdict(&record_with(few), "data_obeyed_its_laws");
    assert_eq!(seen.verdict, Pass);
    assert!(
        seen.sentence.ends_with("All 1 laws of the data held. Too few transactions tell whether V6 holds."),
        "{}",
        seen.sentence
    );
}

#[test]
fn what_a_workload_discloses_is_said_once_beside_the_numbers() {
    let told = "`x` does other work than its name says.";
    let disclosing = record_with(|run| {
        audited(run, 5, Some(5), 1_000, 0);
        run.audits[0].disclosures = vec![told.into()];
    });
    assert_eq!(judge(&disclosing).not_measured.iter().filter(|s| *s == told).count(), 1);
}

#[test]
fn a_question_without_an_answer_never_reads_as_held() {
    assert_eq!(
        verdict(&record_with(|run| audited(run, 5, None, 1_000, 0)), "data_obeyed_its_laws").verdict,
        NotEvaluable
    );
    assert_eq!(verdict(&record_with(|run| audited(run, 5, None, 0, 0)), "data_obeyed_its_laws").verdict, Warn);
}

#[test]
fn an_error_that_no_operation_tells_of_was_swallowed_and_the_servers_words_say_why() {
    let refuse = |run: &mut RunRecord| {
        let statement = statement(run);
        statement.failed.insert(1364, 5_000);
        statement.messages.insert(1364, "Field 'ol_delivery_d' doesn't have a default value".into());
    };
    let swallowed = verdict(&record_with(refuse), "errors_were_told");
    assert_eq!(swallowed.verdict, Fail);
    assert!(swallowed.sentence.contains("ol_delivery_d"), "{}", swallowed.sentence);
    let told = record_with(|run| {
        refuse(run);
        operation(run).failed.insert(1364, 5_000);
    });
    assert_eq!(verdict(&told, "errors_were_told").verdict, Pass);
    let counted = record_with(|run| {
        refuse(run);
        tally(run).facts.insert("ignored errors".into(), 1_000_000);
    });
    assert_eq!(verdict(&counted, "errors_were_told").verdict, Pass);
}
