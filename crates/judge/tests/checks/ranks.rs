//! What is judged of each rank by itself: two checks of all ranks, and three of machines that name the one bad rank.

use crate::bench::*;
use model::record::Record;
use model::record::ranks::{RankClock, RankRecord};
use model::record::run::RunRecord;
use model::record::way::{Trips, Way};
use model::units::{Nanos, Share};
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};
use model::verdict::Verdict;

fn way(quarter: Nanos) -> Option<Way> {
    let trips = Trips { requests: 200, quarter, median: quarter, p95: quarter, connect: quarter };
    Some(Way { request: "SELECT 1".into(), before: Some(trips), after: Some(trips), failed: None })
}

fn rank(rank: u32) -> RankRecord {
    let mut record = RankRecord {
        rank,
        host: format!("h{rank}"),
        pid: 100 + rank,
        users: 2,
        workers: 1,
        cpus: vec![0],
        start_skew_ns: 200_000,
        worker_cpu: Nanos::from_millis(300),
        busiest_worker: Nanos::from_millis(300),
        lived: Nanos::from_secs(1),
        stolen: Some(Share(0.0)),
        way: way(Nanos(40_000)),
        ..RankRecord::default()
    };
    record.clock = (rank > 0).then_some(RankClock {
        ahead_before_ns: 5_000_000,
        within_before: Nanos(20_000),
        ahead_after_ns: 5_010_000,
        within_after: Nanos(20_000),
        drift_ns_per_s: 10_000.0,
    });
    record.latency.record_many(Nanos::from_millis(1), 1_000);
    record.timer_error.record_many(Nanos(50_000), 100);
    record
}

/// Three ranks, of which the last is spoilt.
fn ranks(spoil: impl Fn(&mut RankRecord)) -> Record {
    all_runs(|run: &mut RunRecord| {
        run.ranks = (0..3).map(rank).collect();
        spoil(&mut run.ranks[2]);
    })
}

#[track_caller]
fn named(record: &Record, check: &str, words: &str) -> Verdict {
    let verdict = verdict(record, check);
    assert!(verdict.sentence.contains("rank 2 on h2 (process 102)"), "{}", verdict.sentence);
    assert!(verdict.sentence.contains(words), "{}", verdict.sentence);
    verdict
}

#[test]
fn ranks_that_begin_together_by_clocks_that_are_known_are_one_load() {
    let of = "ranks_were_one_load";
    assert_eq!(verdict(&record(), of).verdict, NotApplicable);
    assert_eq!(verdict(&ranks(|_| {}), of).verdict, Pass);
    let late = |ms: i64| ranks(move |rank| rank.start_skew_ns = ms * 1_000_000);
    assert_eq!(named(&late(20), of, "began 20").verdict, Warn);
    assert_eq!(named(&late(-300), of, "began 300").verdict, Fail);
    let clock = |change: fn(&mut RankClock)| ranks(move |rank| rank.clock.iter_mut().for_each(change));
    assert_eq!(named(&clock(|c| c.within_after = Nanos::from_millis(8)), of, "known to within 8").verdict, Warn);
    let set = clock(|c| (c.ahead_after_ns, c.drift_ns_per_s) = (6_000_000, 1e6));
    assert_eq!(named(&set, of, "gained or lost 1 ms in a second").verdict, Warn);
    let unread = all_runs(|run: &mut RunRecord| run.ranks = vec![rank(0)]);
    assert_eq!(verdict(&unread, of).verdict, NotEvaluable);
}

#[test]
fn a_rank_whose_users_wait_longer_is_named_with_its_way() {
    let of = "ranks_agree";
    assert_eq!(verdict(&record(), of).verdict, NotApplicable);
    assert_eq!(verdict(&ranks(|_| {}), of).verdict, Pass);
    let slow = |ms: u64| {
        move |rank: &mut RankRecord| {
            rank.latency.clear();
            rank.latency.record_many(Nanos::from_millis(ms), 1_000);
        }
    };
    let far = ranks(|rank| {
        slow(3)(rank);
        rank.way = way(Nanos::from_millis(2));
    });
    assert_eq!(named(&far, of, "takes 2 ms there and back, and 40.0 µs from elsewhere").verdict, Fail);
    assert_eq!(named(&ranks(slow(2)), of, "it is its host that is slower").verdict, Fail);
    let few = ranks(|rank| rank.latency.clear());
    assert_eq!(verdict(&few, of).verdict, Pass, "the two others are compared");
}

#[test]
fn one_bad_rank_strikes_the_number_by_its_name() {
    let busy = ranks(|rank| rank.busiest_worker = Nanos::from_millis(990));
    assert_eq!(named(&busy, "client_had_headroom", "was a limit of its own").verdict, Fail);
    let stolen = ranks(|rank| rank.stolen = Some(Share(0.2)));
    assert_eq!(named(&stolen, "cpu_was_not_stolen", "took 20").verdict, Fail);
    let late = ranks(|rank| rank.timer_error.record_many(Nanos::from_millis(80), 100));
    assert_eq!(named(&late, "timers_were_fine", "were late by 80").verdict, Warn);
}

#[test]
fn what_the_leader_alone_was_counted_for_is_no_cost_of_all_ranks() {
    let has = |record: &Record| judge(record).cells[0].metrics.keys().any(|name| name.starts_with("client_"));
    assert!(has(&record()) && !has(&ranks(|_| {})));
}
