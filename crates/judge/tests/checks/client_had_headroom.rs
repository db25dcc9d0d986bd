//! The check `client_had_headroom`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::record::answer::Place;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

/// A canary of that rate, for which the load used so many CPUs.
fn canary(record: &mut Record, qps: f64, cpus: f64) {
    let points = &mut record.canary.as_mut().unwrap().points;
    points.iter_mut().for_each(|point| (point.qps, point.client_cpu_us) = (qps, cpus / qps * 1e6));
}

#[test]
fn a_client_near_its_end_is_called_so() {
    let busy = |cpus: f64| all_runs(move |r| counter(r, "client.cpu.user", cpus * 1e9));
    assert_eq!(status(&busy(1.3), "client_had_headroom"), Warn);
    let verdict = verdict(&busy(1.65), "client_had_headroom");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.contains("(run c001-1): The client was the limit: "), "{}", verdict.sentence);
    let judgement = judge(&busy(1.65));
    assert_eq!(judgement.cells[0].bound.as_ref().unwrap().label, "client-bound");
    assert_eq!(status(&spoilt(|r| canary(r, 22_000.0, 1.8)), "client_had_headroom"), Fail, "the rate is the canary's");
    assert_eq!(status(&spoilt(|r| canary(r, 22_000.0, 0.6)), "client_had_headroom"), Pass, "which waited for answers");
    assert_eq!(
        status(&spoilt(|r| canary(r, 10_000.0, 0.6)), "client_had_headroom"),
        Pass,
        "and is beaten by who does not"
    );
    let full = |server: f64| {
        let mut record = all_runs(move |r| counter(r, "server.cpu.user", server * 1e9));
        canary(&mut record, 22_000.0, 1.8);
        status(&record, "client_had_headroom")
    };
    assert_eq!((full(1.4), full(1.55)), (Fail, Pass), "a server whose CPUs are full is what limits");
    let slow = spoilt(|r| canary(r, 10_000.0, 1.8));
    assert_eq!(status(&slow, "client_had_headroom"), Warn, "a canary below the run was disturbed");
    let waiting = |share: f64, idle: f64, server: f64| {
        let record = all_runs(move |r| {
            counter(r, "client.runqueue.wait", share * 1e9);
            counter(r, "host.cpu.idle", idle * 1e9);
            counter(r, "server.cpu.user", server * 1e9);
        });
        status(&record, "client_had_headroom")
    };
    assert_eq!(waiting(0.04, 0.6, 1.4), Pass);
    assert_eq!(waiting(0.5, 0.6, 1.4), Fail, "all users of a worker wait with it");
    assert_eq!(waiting(0.5, 1.5, 1.4), Pass, "for a CPU that sleeps");
    assert_eq!(waiting(0.5, 0.6, 1.55), Pass, "and would wait for a server whose CPUs are full");
}

#[test]
fn on_shared_cpus_a_busy_client_warns_and_only_the_canary_fails_it() {
    let shared = |client: f64| {
        all_runs(move |r| {
            r.load_cpus = vec![0, 1];
            counter(r, "client.cpu.user", client * 1e9);
            counter(r, "client.runqueue.wait", 5e9);
        })
    };
    assert_eq!(status(&shared(0.3), "client_had_headroom"), Pass);
    assert_eq!(status(&shared(1.9), "client_had_headroom"), Warn);
    let judgement = judge(&shared(0.1));
    assert!(judgement.not_measured.iter().any(|s| s.contains("share CPUs")), "{:?}", judgement.not_measured);
    assert!(judgement.cells[1].bound.as_ref().unwrap().sentence.contains("they share these CPUs"));
}

/// A server that was there before the lab, on the CPUs of a load that spends much of its latency waiting for one of
/// them.
fn found(spoil: impl Fn(&mut Record)) -> Record {
    let mut record = all_runs(|r| {
        r.load_cpus = vec![0, 1];
        counter(r, "client.cpu.user", 0.3e9);
        counter(r, "client.runqueue.wait", 5e9);
        counter(r, "host.cpu.idle", 0.5e9);
    });
    let dsn = "mysql://root@localhost/?socket=/s";
    record.plan.cells.iter_mut().for_each(|cell| cell.server.on = Some(dsn.into()));
    for instance in &mut record.instances {
        (instance.wanted.on, instance.place) = (Some(dsn.into()), Some(Place::ThisHost));
    }
    spoil(&mut record);
    record
}

#[test]
fn a_server_that_was_found_on_this_host_shares_its_cpus_as_one_of_ours_does() {
    let told = verdict(&found(|_| ()), "client_had_headroom");
    assert_eq!(told.verdict, Pass, "{}", told.sentence);
    assert!(told.sentence.contains("Client and server share 2 CPUs"), "{}", told.sentence);
    assert!(judge(&found(|_| ())).not_measured.iter().any(|s| s.contains("share CPUs")));
    let elsewhere = found(|r| r.instances[0].place = Some(Place::Elsewhere));
    assert_eq!(status(&elsewhere, "client_had_headroom"), Fail, "the same load on CPUs of its own");
}

#[test]
fn a_record_that_does_not_say_where_its_server_was_knows_it_by_the_cpus_that_could_be_read() {
    let before = found(|r| r.instances[0].place = None);
    assert_eq!(status(&before, "client_had_headroom"), Pass);
    let unseen = |r: &mut Record| {
        r.instances[0].place = None;
        r.instances[0].cpus.clear();
    };
    assert_eq!(status(&found(unseen), "client_had_headroom"), Fail, "on CPUs of its own, as far as anybody knows");
}

#[test]
fn behind_loopback_a_server_whose_process_is_not_known_leaves_the_canary_to_decide() {
    let unknown = |r: &mut Record| {
        r.instances[0].cpus.clear();
        let counters = ["server.cpu.user", "server.cpu.system"];
        r.runs.iter_mut().for_each(|run| counters.iter().for_each(|name| forget(run, name)));
    };
    let told = verdict(&found(unknown), "client_had_headroom");
    assert_eq!(told.verdict, Pass, "{}", told.sentence);
    assert!(told.sentence.contains("the server's part was not measured"), "{}", told.sentence);
    let near = |r: &mut Record| {
        unknown(r);
        canary(r, 22_000.0, 1.8);
    };
    assert_eq!(status(&found(near), "client_had_headroom"), Fail);
    let alone = |r: &mut Record| {
        unknown(r);
        r.canary = None;
    };
    assert_eq!(status(&found(alone), "client_had_headroom"), NotEvaluable);
}
