//! The check `network_had_room`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::record::ranks::{RankRecord, Traffic};
use model::record::run::RunRecord;
use model::units::{Bytes, Nanos};
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

/// A server elsewhere, over a link of 1 Gbit/s.
fn over_a_link(bytes: f64, again: f64) -> Record {
    spoilt(|r| {
        r.plan.cells.iter_mut().for_each(|c| c.server.on = Some("mysql://elsewhere".into()));
        r.instances[0].cpus.clear();
        let spoil = |r: &mut RunRecord| {
            r.session.transport = "tcp plain".into();
            counter(r, "host.net.received_bytes", bytes);
            counter(r, "host.net.sent_bytes", 1e6);
            counter(r, "host.net.segments", 1e6);
            counter(r, "host.net.segments_again", again);
            counter(r, "host.net.link", 125e6 - 1_000.0);
        };
        r.runs.iter_mut().for_each(spoil);
    })
}

#[test]
fn a_full_link_is_the_networks_rate() {
    assert_eq!(status(&record(), "network_had_room"), NotApplicable, "over a Unix socket");
    assert_eq!(status(&over_a_link(50e6, 0.0), "network_had_room"), Pass);
    assert_eq!(status(&over_a_link(100e6, 0.0), "network_had_room"), Warn);
    assert_eq!(status(&over_a_link(120e6, 0.0), "network_had_room"), Fail);
    assert_eq!(status(&over_a_link(50e6, 2_000.0), "network_had_room"), Warn, "segments sent again");
    let mut silent = over_a_link(50e6, 0.0);
    silent.runs.iter_mut().for_each(|r| forget(r, "host.net.link"));
    assert_eq!(status(&silent, "network_had_room"), NotEvaluable);
}

/// A rank that its own link carried so many bytes to in ten seconds.
fn rank(rank: u32, received: f64) -> RankRecord {
    let traffic = Traffic {
        time: Nanos::from_secs(10),
        received: Bytes((10.0 * received) as u64),
        sent: Bytes(1_000_000),
        link: Some(Bytes(125_000_000)),
        segments: 1_000_000,
        segments_again: 0,
    };
    let is_beside_leader = rank == 0;
    let host = format!("h{rank}");
    RankRecord { rank, host, pid: 100 + rank, is_beside_leader, traffic: Some(traffic), ..RankRecord::default() }
}

/// Three ranks on three machines, whose links have room, but for what is done to the last of them.
fn ranks(leaders: Record, spoil: impl Fn(&mut RankRecord)) -> Record {
    let mut record = leaders;
    for run in &mut record.runs {
        run.ranks = (0..3).map(|number| rank(number, 50e6)).collect();
        spoil(&mut run.ranks[2]);
    }
    record
}

#[test]
fn the_full_link_of_one_rank_strikes_by_its_name() {
    let of = |spoil: fn(&mut RankRecord)| verdict(&ranks(over_a_link(50e6, 0.0), spoil), "network_had_room");
    assert_eq!(of(|_| {}).verdict, Pass);
    for (spoil, expected) in [
        ((|last| *last = rank(2, 100e6)) as fn(&mut RankRecord), Warn),
        (|last| *last = rank(2, 120e6), Fail),
        (|last| last.traffic.as_mut().unwrap().segments_again = 2_000, Warn),
    ] {
        let verdict = of(spoil);
        assert_eq!(verdict.verdict, expected, "{}", verdict.sentence);
        let named = "The network of rank 2 on h2 (process 102) was near its end";
        assert!(verdict.sentence.contains(named), "{}", verdict.sentence);
    }
    // What was sampled of the leader's host is said of it, and judged once for all who are there.
    let full = verdict(&ranks(over_a_link(120e6, 0.0), |last| last.is_beside_leader = true), "network_had_room");
    assert_eq!(full.verdict, Fail);
    assert!(full.sentence.contains("of rank 0 on h0 (process 100)"), "{}", full.sentence);
    let beside = of(|last| (*last, last.is_beside_leader) = (rank(2, 120e6), true));
    assert_eq!(beside.verdict, Pass, "{}", beside.sentence);
}

#[test]
fn a_rank_whose_link_is_not_known_is_not_evaluable_by_its_name() {
    let unstated = |last: &mut RankRecord| last.traffic.as_mut().unwrap().link = None;
    let told = verdict(&ranks(over_a_link(50e6, 0.0), unstated), "network_had_room");
    assert_eq!(told.verdict, NotEvaluable);
    let reason = "of rank 2 on h2 (process 102), the link does not state its speed";
    assert!(told.sentence.contains(reason), "{}", told.sentence);
    let uncounted = verdict(&ranks(over_a_link(50e6, 0.0), |last| last.traffic = None), "network_had_room");
    assert_eq!(uncounted.verdict, NotEvaluable, "as in records from before");
    assert!(uncounted.sentence.contains("bytes were not counted"), "{}", uncounted.sentence);
    // What strikes is told before what is not known.
    let both = verdict(&ranks(over_a_link(120e6, 0.0), unstated), "network_had_room");
    assert_eq!(both.verdict, Fail, "{}", both.sentence);
}

#[test]
fn a_server_beside_the_leader_is_far_from_ranks_elsewhere() {
    let mut record = ranks(over_a_link(50e6, 0.0), |last| *last = rank(2, 120e6));
    record.instances[0].cpus = vec![0];
    assert_eq!(status(&record, "network_had_room"), Fail);
    record.runs.iter_mut().for_each(|run| run.ranks.clear());
    assert_eq!(status(&record, "network_had_room"), NotApplicable, "over loopback");
}
