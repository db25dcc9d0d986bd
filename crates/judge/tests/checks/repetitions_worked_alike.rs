//! The check `repetitions_worked_alike`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::record::run::Ends;
use model::units::Nanos;
use model::verdict::Status::{NotApplicable, NotEvaluable, Pass, Warn};

/// A counter of the server that grew by so much in each run of the first cell, from what it had before.
fn grew(record: &mut Record, name: &str, by: [f64; 3], restart: bool) {
    let mut at = 100.0;
    for (run, by) in of_cell(record, "c001").zip(by) {
        let begin = if restart { 100.0 } else { at };
        at = begin + by;
        run.whole
            .counters
            .insert(name.into(), Ends { begin, end: at, begin_at: Nanos(0), end_at: Nanos(1_000_000_000) });
    }
}

#[test]
fn a_counter_that_grew_in_one_run_as_in_no_other_is_named() {
    let with = |name: &'static str, by: [f64; 3], restart: bool| {
        let mut record = record();

        grew(&mut record, name, by, restart);
        let judgement = judge(&record);
        judgement.cells[0].verdicts.iter().find(|v| v.check == "repetitions_worked_alike").unwrap().clone()
    };
    let healthy = with("status.Opened_tables", [4.0, 0.0, 1.0], false);
    assert_eq!(healthy.verdict, Pass, "{}", healthy.sentence);
    let flushed = with("status.Opened_tables", [4.0, 167.0, 1.0], false);
    assert_eq!(flushed.verdict, Warn, "{}", flushed.sentence);
    let told = "`Opened_tables` grew by 167 (1 to 4 in the others)";
    assert!(flushed.sentence.contains(told) && flushed.sentence.contains("(run c001-2)"), "{}", flushed.sentence);
    assert_eq!(with("status.Handler_read_next", [900.0, 2000.0, 1000.0], false).verdict, Pass, "not three times");
    assert_eq!(
        with("status.Open_tables", [4.0, 167.0, 1.0], true).verdict,
        Pass,
        "a level, which went down between runs"
    );
    let sampled = with("host.interrupts", [31e3, 210e3, 40e3], false);
    let told = "`host.interrupts` grew by 210000 (31000 to 40000 in the others)";
    assert!(sampled.verdict == Warn && sampled.sentence.contains(told), "{}", sampled.sentence);
    assert_eq!(with("host.interrupts", [31e3, 70e3, 40e3], false).verdict, Pass, "not three times");
    assert_eq!(with("status.Innodb_pages_written", [4.0, 900.0, 1.0], false).verdict, Pass, "in the background");
}

#[test]
fn two_runs_or_no_counters_tell_nothing() {
    let unread = all_runs(|r| r.whole.counters.retain(|name, _| !name.starts_with("status.")));
    assert_eq!(status(&unread, "repetitions_worked_alike"), NotEvaluable);
    let mut two = record();
    two.plan.runs.retain(|run| run.repetition < 2);
    two.runs.retain(|run| run.repetition < 2);
    assert!(
        judge(&two).cells[0]
            .verdicts
            .iter()
            .any(|v| v.check == "repetitions_worked_alike" && v.verdict == NotApplicable)
    );
}
