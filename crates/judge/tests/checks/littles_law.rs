//! The check `littles_law`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::histogram::Histogram;
use model::load::{Arrivals, Distribution, Pause, Process};
use model::rate::Rate;
use model::record::Record;
use model::units::Nanos;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};
use std::collections::BTreeMap;

#[test]
fn think_time_is_part_of_littles_law_and_intended_starts_are_beyond_it() {
    let pausing = |pause: Pause| {
        spoilt(|r| {
            r.plan.cells.iter_mut().for_each(|c| c.load.pause = Some(pause.clone()));
            for run in &mut r.runs {
                // Half of each user's cycle is thinking.
                let users = f64::from(run.phases[0].groups["users"].users);
                let operation = operation(run);
                let cycle = users * 1e9 / operation.done as f64;
                let mut histogram = Histogram::new();
                histogram.record_many(Nanos((cycle / 2.0) as u64), operation.done);
                operation.latency = histogram;
            }
        })
    };
    let thinking = |mean, by_operation| {
        let (mean, distribution, keying) = (Nanos(mean), Distribution::Exponential, BTreeMap::new());
        Pause::Think { mean, distribution, by_operation, keying }
    };
    let think = |mean| thinking(mean, BTreeMap::new());
    let of = |record: &Record, cell: usize| {
        let judgement = judge(record);
        judgement.cells[cell].verdicts.iter().find(|v| v.check == "littles_law").unwrap().verdict
    };
    // One user, 20,000 cycles a second.
    assert_eq!(of(&pausing(think(25_000)), 0), Pass);
    assert_eq!(of(&pausing(think(15_000)), 0), Fail);
    let own = |name: &str| thinking(15_000, BTreeMap::from([(name.to_string(), Nanos(25_000))]));
    let name = record().runs[0].phases[0].groups["users"].tally.operations.keys().next().unwrap().clone();
    assert_eq!(of(&pausing(own(&name)), 0), Pass, "the operation's own");
    assert_eq!(of(&pausing(own("another")), 0), Fail);
    assert_eq!(of(&pausing(Pause::Pace { every: Nanos(50_000) }), 0), NotApplicable);
}

#[test]
fn time_outside_any_operation_breaks_littles_law() {
    let latency = |share: f64| {
        all_runs(move |r| {
            let users = f64::from(r.phases[0].groups["users"].users);
            let operation = operation(r);
            let mut histogram = Histogram::new();
            histogram.record_many(Nanos((share * users * 1e9 / operation.done as f64) as u64), operation.done);
            operation.latency = histogram;
        })
    };
    assert_eq!(status(&latency(1.0), "littles_law"), Pass);
    assert_eq!(status(&latency(0.97), "littles_law"), Warn);
    assert_eq!(status(&latency(0.9), "littles_law"), Fail);
    assert_eq!(
        status(&all_runs(|r| operation(r).latency.record(Nanos(60_000_000))), "littles_law"),
        NotEvaluable,
        "a stall"
    );
    let open = spoilt(|r| {
        r.plan
            .cells
            .iter_mut()
            .for_each(|c| c.load.arrivals = Some(Arrivals { rate: Rate::steady(1.0), process: Process::Poisson }))
    });
    assert_eq!(status(&open, "littles_law"), NotApplicable);
}

#[test]
fn a_phase_in_which_the_server_was_killed_says_nothing_of_users_who_wait_for_it() {
    let killed = spoilt(|r| {
        for run in &mut r.runs {
            run.phases[0].disturb = Some("server_kill".into());
            operation(run).done /= 2;
        }
    });
    assert_eq!(status(&killed, "littles_law"), NotApplicable);
}
