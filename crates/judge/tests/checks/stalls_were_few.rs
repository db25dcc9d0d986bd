//! The check `stalls_were_few`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::units::Nanos;
use model::verdict::Status::{NotEvaluable, Pass, Warn};

#[test]
fn stalls_of_a_closed_load_are_told_as_their_share_of_the_time() {
    let stalled = |millis| all_runs(move |r| tally(r).gaps.get_or_insert_default().record(Nanos::from_millis(millis)));
    assert_eq!(status(&stalled(10), "stalls_were_few"), Pass, "half a per cent of two workers' second");
    let verdict = verdict(&stalled(600), "stalls_were_few");
    assert_eq!((verdict.verdict, verdict.measured.as_str()), (Warn, "30 % in stalls"));
    assert!(verdict.sentence.contains("1 stall took 30 % of the time"), "{}", verdict.sentence);
    assert_eq!(status(&all_runs(|r| tally(r).gaps = None), "stalls_were_few"), NotEvaluable);
}

#[test]
fn a_machine_that_stalls_is_told_once_and_strikes_no_cell() {
    let stalled = all_runs(|r| tally(r).gaps.get_or_insert_default().record(Nanos::from_millis(600)));
    let judgement = judge(&stalled);
    assert!(judgement.cells.iter().all(|cell| cell.status == Pass), "no cell is worse for it");
    let told: Vec<_> = judgement.verdicts.iter().filter(|v| v.check == "stalls_were_few").collect();
    assert_eq!(told.len(), 1);
    assert!(
        told[0].sentence.starts_with("In 4 of 4 cells, first: oltp.point_selects, latin1, 1 user (run c001-1): "),
        "{}",
        told[0].sentence
    );
}
