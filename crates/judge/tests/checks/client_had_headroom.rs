//! The check `client_had_headroom`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, Pass, Warn};

#[test]
fn a_client_near_its_end_is_called_so() {
    let busy = |cpus: f64| all_runs(move |r| counter(r, "client.cpu.user", cpus * 1e9));
    assert_eq!(status(&busy(1.3), "client_had_headroom"), Warn);
    let verdict = verdict(&busy(1.65), "client_had_headroom");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.starts_with("Run c001-1: CLIENT-BOUND"), "{}", verdict.sentence);
    let judgement = judge(&busy(1.65));
    assert_eq!(judgement.cells[0].bound.as_ref().unwrap().label, "client-bound");
    let ceiling = spoilt(|r| r.canary.as_mut().unwrap().points.iter_mut().for_each(|p| p.qps = 22_000.0));
    assert_eq!(status(&ceiling, "client_had_headroom"), Fail, "the rate is the canary's");
    let slow = spoilt(|r| r.canary.as_mut().unwrap().points.iter_mut().for_each(|p| p.qps = 10_000.0));
    assert_eq!(status(&slow, "client_had_headroom"), Warn, "a canary below the run was disturbed");
    let waiting = |share: f64| all_runs(move |r| counter(r, "client.runqueue.wait", share * 1e9));
    assert_eq!(status(&waiting(0.04), "client_had_headroom"), Pass);
    assert_eq!(status(&waiting(0.5), "client_had_headroom"), Fail, "all users of a worker wait with it");
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
