//! The check `client_was_not_in_the_way`: healthy, ill, and where nothing was measured.

use crate::bench::*;
use model::load::{Io, Threads, Waiting};
use model::record::Record;
use model::record::canary::{CanaryPoint, Choice, Reach, SHAM};
use model::verdict::Status::{Fail, NotApplicable, Pass};

/// Runs by this way, on a machine whose blocking threads reach so many times what its ring does with the sham.
fn waiting(io: Io, threads_gain: f64) -> Record {
    let mut record = all_runs(move |r| r.io = io.word().into());
    let reach = |io, factor: f64| Reach {
        server: SHAM.into(),
        io,
        threads: Threads::One,
        points: [1, 64]
            .map(|users| CanaryPoint { users, qps: factor * 12_000.0, client_cpu_us: 1.0, latency_us_p50: 1.0 })
            .into(),
        unix_ms: 0,
    };
    let canary = record.canary.as_mut().unwrap();
    canary.choice = Some(Choice::always(Waiting { io: Io::IoUring, threads: Threads::One }, SHAM));
    canary.reaches = vec![reach(Io::Blocking, threads_gain), reach(Io::IoUring, 1.0)];
    record
}

#[test]
fn a_way_that_makes_statements_much_longer_than_another_would_is_named() {
    let told = verdict(&waiting(Io::IoUring, 2.0), "client_was_not_in_the_way");
    assert_eq!(told.verdict, Fail, "{}", told.sentence);
    assert!(told.sentence.contains("io_uring") && told.sentence.contains("a blocking thread"), "{}", told.sentence);
    assert_eq!(status(&waiting(Io::Blocking, 2.0), "client_was_not_in_the_way"), Pass, "the best way was taken");
    assert_eq!(status(&waiting(Io::IoUring, 1.02), "client_was_not_in_the_way"), Pass, "no other gains much");
}

#[test]
fn where_statements_take_long_the_way_to_them_does_not_matter() {
    let mut slow = waiting(Io::IoUring, 2.0);
    for reach in &mut slow.canary.as_mut().unwrap().reaches {
        reach.points.iter_mut().for_each(|point| point.qps *= 100.0);
    }
    assert_eq!(status(&slow, "client_was_not_in_the_way"), Pass);
}

#[test]
fn without_a_measurement_of_other_ways_the_check_does_not_apply() {
    assert_eq!(status(&all_runs(|_| ()), "client_was_not_in_the_way"), NotApplicable);
    let mut many = waiting(Io::IoUring, 2.0);
    many.canary.as_mut().unwrap().reaches.iter_mut().for_each(|reach| reach.points.truncate(1));
    let phases = many.runs.iter_mut().flat_map(|run| &mut run.phases);
    phases.flat_map(|phase| phase.groups.values_mut()).for_each(|group| group.users = 8);
    assert_eq!(status(&many, "client_was_not_in_the_way"), NotApplicable, "beyond the levels that were measured");
}

#[test]
fn ways_that_were_measured_on_other_cpus_say_nothing() {
    let mut apart = waiting(Io::IoUring, 2.0);
    let first = apart.plan.runs[0].cell.clone();
    let others = apart.plan.cells.iter_mut().filter(|cell| cell.id != first);
    others.for_each(|cell| cell.server.load_cpus = Some("1".into()));
    let judged = judge(&apart);
    for cell in &judged.cells {
        let told = cell.verdicts.iter().find(|v| v.check == "client_was_not_in_the_way").unwrap();
        assert_eq!(told.verdict, if cell.id == first { Fail } else { NotApplicable }, "{}", told.sentence);
    }
}
