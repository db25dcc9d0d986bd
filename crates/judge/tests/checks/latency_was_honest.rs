//! The check `latency_was_honest`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::load::{Arrivals, Process};
use model::rate::Rate;
use model::record::Record;
use model::record::tally::ArrivalTally;
use model::units::Nanos;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

/// At the rate that the record shows: so many were due, so many begun, and the load was so late.
fn open(due: f64, begun: f64, lag: Nanos) -> Record {
    spoilt(|r| {
        for cell in &mut r.plan.cells {
            cell.load.arrivals = Some(Arrivals { rate: Rate::steady(QPS), process: Process::Poisson });
        }
        for run in &mut r.runs {
            let done = operation(run).done as f64;
            let count = |share: f64| (share * done).round() as u64;
            tally(run).arrivals = Some(ArrivalTally { due: count(due), begun: count(begun), most_waiting: 0 });
            tally(run).lag.get_or_insert_default().record_many(lag, count(begun));
        }
    })
}

#[test]
fn an_open_load_is_honest_while_the_server_keeps_up_and_the_load_its_appointments() {
    let quick = Nanos(1_000);
    let verdict_of = |record: &Record| verdict(record, "latency_was_honest");
    assert_eq!(verdict_of(&open(1.0, 1.0, quick)).verdict, Pass);
    assert_eq!(verdict_of(&open(1.0, 1.1, quick)).verdict, Pass, "it works off what a warm-up left");
    assert_eq!(verdict_of(&open(1.02, 1.0, quick)).verdict, Warn);
    let overload = verdict_of(&open(2.0, 1.0, quick));
    assert_eq!(overload.verdict, Fail);
    assert!(overload.sentence.contains("Offered load exceeds capacity"), "{}", overload.sentence);
    let late = verdict_of(&open(1.0, 1.0, Nanos(10_000)));
    assert_eq!(late.verdict, Warn, "{}", late.sentence);
    assert!(late.sentence.contains("too late"), "{}", late.sentence);
    let mut silent = open(1.0, 1.0, quick);
    silent.runs.iter_mut().for_each(|r| tally(r).arrivals = None);
    assert_eq!(verdict_of(&silent).verdict, NotEvaluable);
}

#[test]
fn users_who_wait_for_their_answers_keep_no_appointments() {
    assert_eq!(status(&record(), "latency_was_honest"), NotApplicable);
}
