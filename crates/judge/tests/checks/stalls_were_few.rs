//! The check `stalls_were_few`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::plan::RunId;
use model::record::course::{Course, Stall};
use model::record::series::{Metric, Series, Shape, Unit};
use model::record::tally::{Interval, OperationTally, Tally};
use model::record::{Details, Record};
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
fn who_waits_for_a_slice_of_a_shared_cpu_has_not_met_a_stall() {
    let stalled = |millis: u64, of_load: &'static [u32], users: u32| {
        let record = all_runs(move |r| {
            r.load_cpus = of_load.to_vec();
            r.phases.iter_mut().flat_map(|phase| phase.groups.values_mut()).for_each(|group| group.users = users);
            (0..600 / millis).for_each(|_| tally(r).gaps.get_or_insert_default().record(Nanos::from_millis(millis)));
        });
        status(&record, "stalls_were_few")
    };
    assert_eq!((stalled(6, &[2, 3], 2), stalled(6, &[0, 1], 2)), (Warn, Pass));
    assert_eq!(stalled(6, &[2, 3], 8), Pass, "eight sessions take turns on two CPUs");
    assert_eq!((stalled(20, &[0, 1], 2), stalled(20, &[2, 3], 8)), (Warn, Warn));
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

/// One worker stood still for 700 ms from 3.2 s on, while a counter grew as told: by second.
struct Stood {
    counter: &'static str,
    readings: Vec<f64>,
}

impl Details for Stood {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        let stalls = vec![Stall { at: Nanos::from_millis(3_200), length: Nanos::from_millis(700) }];
        let course = Course { tenths: vec![10; 10], stalls };
        let operations = [("point_selects".to_string(), OperationTally { done: 100, ..OperationTally::default() })];
        let tally = Tally { operations: operations.into(), course: Some(course), ..Tally::default() };
        let (from, to) = (Nanos::from_secs(3), Nanos::from_secs(4));
        vec![Interval { from, to, phase: "measure".into(), group: "users".into(), tally }]
    }
    fn series(&self, _: &RunId, metrics: &[&str]) -> Vec<Series> {
        let metric = Metric { name: self.counter.into(), unit: Unit::Count, shape: Shape::Counter };
        let readings = (0u64..).zip(&self.readings).map(|(s, v)| (Nanos::from_millis(500 + 1_000 * s), *v)).collect();
        metrics.contains(&self.counter).then_some(Series { metric, readings }).into_iter().collect()
    }
}

#[test]
fn a_stall_is_told_with_its_moment_and_what_was_slow_then() {
    let stalled = all_runs(|r| tally(r).gaps.get_or_insert_default().record(Nanos::from_millis(700)));
    let told_of = |stalled: &Record, counter, readings: &[f64]| {
        let details = Stood { counter, readings: readings.to_vec() };
        let judgement = judge::judge(stalled, &details);
        let verdict = judgement.verdicts.iter().find(|v| v.check == "stalls_were_few").unwrap().clone();
        assert_eq!(verdict.verdict, Warn);
        verdict.sentence
    };
    let told = |counter, readings: &[f64]| told_of(&stalled, counter, readings);
    let stopped = told("server.stopped", &[0.0, 0.0, 0.0, 0.0, 7e8, 7e8]);
    assert!(stopped.contains("the longest: 700 ms at 3.2 s (the server was stopped for 700 ms"), "{stopped}");
    let frozen = told("server.frozen_files", &[0.0, 0.0, 0.0, 0.0, 7e8, 7e8]);
    assert!(frozen.contains("waited for a frozen file system for 700 ms"), "{frozen}");
    let idle = told("server.idle", &[0.0, 2e7, 4e7, 6e7, 7.6e8, 7.8e8]);
    assert!(idle.contains("or by the load for 680 ms"), "{idle}");
    let locks = told("db.row_lock_time_ms", &[0.0, 10.0, 20.0, 700.0, 1_400.0, 1_410.0]);
    assert!(locks.contains("transactions waited for row locks"), "{locks}");
    let disk = told("host.pressure.io_some", &[0.0, 1e7, 2e7, 4e8, 7e8, 7.1e8]);
    assert!(disk.contains("syncs or reads waited for the disk"), "{disk}");
    let flushed = told("db.pages_written", &[0.0, 10.0, 20.0, 3_000.0, 6_000.0, 6_010.0]);
    assert!(flushed.contains("InnoDB flushed pages"), "{flushed}");
    let always = told("host.pressure.io_some", &[0.0, 5e8, 1e9, 1.5e9, 2e9, 2.5e9]);
    assert!(always.contains("(nothing that was read stood out then"), "{always}");
    let mut two = stalled.clone();
    for run in &mut two.runs {
        run.workers = 2;
        run.phases[0].groups.get_mut("users").unwrap().users = 2;
    }
    let alone = told_of(&two, "host.pressure.io_some", &[0.0, 5e8, 1e9, 1.5e9, 2e9, 2.5e9]);
    assert!(alone.contains("(one thread of the load alone: nothing"), "{alone}");
}
