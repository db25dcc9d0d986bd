//! Runs with several phases that measure: each phase has its own numbers, is held against the one that it follows from,
//! and is compared between cells by itself; a check that one of them fails is not hidden by the others.

mod bench;

use bench::*;
use model::estimate::Outcome::{Equivalent, Worse};
use model::load::{Disturb, Phase, Work};
use model::plan::RunId;
use model::record::disturbance::{Asked, DisturbanceRecord};
use model::record::run::{PhaseRecord, RunRecord};
use model::record::series::Series;
use model::record::tally::{Interval, StatementTally, Tally};
use model::record::{Details, Record};
use model::units::Nanos;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass};

/// Before, during and after a disturbance: name, who disturbs, share of the rate.
const SCHEDULE: [(&str, Option<&str>, f64); 3] =
    [("before", None, 1.0), ("open", Some("open_snapshot"), 0.25), ("after", None, 1.0)];

fn disturbed(name: Option<&str>) -> Option<Disturb> {
    name.map(|name| Disturb { name: name.into(), parameters: Default::default() })
}

/// A healthy record whose cells go through the schedule.
fn schedule(phases: &[(&str, Option<&str>, f64)]) -> Record {
    let mut record = record();
    for cell in &mut record.plan.cells {
        let one = cell.phases[0].clone();
        let phase = |(name, disturb, _): &(&str, Option<&str>, f64)| Phase {
            name: (*name).into(),
            disturb: disturbed(*disturb),
            ..one.clone()
        };
        cell.phases = phases.iter().map(phase).collect();
    }
    for run in &mut record.runs {
        let rate = QPS * (1.0 + 0.005 * (f64::from(run.repetition) - 2.0));
        let phase = |(name, disturb, share): &(&str, Option<&str>, f64)| -> PhaseRecord {
            let mut alone: RunRecord = run.clone();
            set_rate(&mut alone, rate * share);
            PhaseRecord { name: (*name).into(), disturb: disturb.map(str::to_string), ..alone.phases.remove(0) }
        };
        run.phases = phases.iter().map(phase).collect();
        for (k, phase) in run.phases.iter_mut().enumerate() {
            let shift = Nanos::from_secs(k as u64).0;
            (phase.from, phase.to) = (Nanos(phase.from.0 + shift), Nanos(phase.to.0 + shift));
        }
    }
    record
}

#[test]
fn each_phase_is_held_against_the_one_that_was_left_alone() {
    let judgement = judge(&schedule(&SCHEDULE));
    let cell = &judgement.cells[1];
    let told: Vec<_> =
        cell.phases.iter().map(|p| (p.name.as_str(), p.disturb.as_deref(), p.against.is_some())).collect();
    assert_eq!(told, [("before", None, false), ("open", Some("open_snapshot"), true), ("after", None, true)]);
    let [open, after] = [1, 2].map(|k| cell.phases[k].against.as_ref().unwrap());
    assert_eq!((open.phase.as_str(), open.outcome, after.outcome), ("before", Worse, Equivalent));
    let ratio = &open.ratios["qps"];
    assert!((ratio.value - 0.25).abs() < 1e-3 && ratio.low.is_some(), "{ratio:?}");
    assert!((open.ratios["operations.point_selects.latency_us_mean"].value - 4.0).abs() < 0.05);
    assert!(judgement.claims.iter().any(|c| c.sentence.contains("`open` (open_snapshot) has 0.25 times the QPS")));
}

#[test]
fn cells_are_compared_phase_by_phase_and_never_by_a_sum_over_what_was_done_to_them() {
    let mut record = schedule(&SCHEDULE);
    // The second charset loses more in the disturbed phase, and nothing in the others.
    for run in record.runs.iter_mut().filter(|r| ["c003", "c004"].contains(&r.cell.0.as_str())) {
        let mut alone = run.clone();
        alone.phases = vec![run.phases[1].clone()];
        set_rate(&mut alone, QPS * 0.1 * (1.0 + 0.005 * f64::from(run.repetition)));
        run.phases[1] = alone.phases.remove(0);
    }
    let judgement = judge(&record);
    let of_charset: Vec<_> =
        rates(&judgement).into_iter().filter(|c| c.axis == "charset" && c.base == "c001").collect();
    let told: Vec<_> = of_charset.iter().map(|c| (c.phase.as_deref().unwrap(), c.outcome)).collect();
    assert_eq!(told, [("before", Equivalent), ("open", Worse), ("after", Equivalent)]);
    assert!(of_charset[1].sentence.contains("in phase `open`"), "{}", of_charset[1].sentence);
}

#[test]
fn a_check_that_one_phase_fails_strikes_that_phase_and_is_not_hidden_by_the_others() {
    let mut record = schedule(&SCHEDULE);
    for run in of_cell(&mut record, "c002") {
        let tally = &mut run.phases[1].groups.get_mut("users").unwrap().tally;
        tally.statements.get_mut("point_selects").unwrap().unexpected = 3;
    }
    let verdict = verdict(&record, "answers_were_expected");
    assert_eq!((verdict.verdict, &verdict.phases[..]), (Fail, &["open".to_string()][..]));
    assert!(verdict.sentence.contains("Phase `open`"), "{}", verdict.sentence);
    let judgement = judge(&record);
    let struck = judgement.cells[1].phases.iter().map(|phase| !phase.struck.is_empty());
    assert_eq!(struck.collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(judgement.health.numbers - judgement.health.stand, 1, "{}", judgement.health.sentence);
}

#[test]
fn a_check_that_cannot_be_asked_in_one_test_leaves_the_others_checked() {
    let mut record = schedule(&[("reads", None, 1.0), ("writes", None, 1.0)]);
    for cell in &mut record.plan.cells {
        let work = Work { workload: cell.workload.clone(), parameters: cell.parameters.clone() };
        cell.phases.iter_mut().for_each(|phase| phase.work = Some(work.clone()));
    }
    let unchecked = |record: &Record| judge(record).health.unchecked;
    let (cells, before) = (record.plan.cells.len() as u32, unchecked(&record));
    for run in &mut record.runs {
        run.phases[1].counters.remove("client.cpu.user");
    }
    assert_eq!(verdict(&record, "client_had_headroom").open_in, ["writes"]);
    assert_eq!((before, unchecked(&record)), (0, cells));
}

#[test]
fn iterations_are_held_against_their_like_in_the_first() {
    let judgement = judge(&schedule(&[
        ("read.1", None, 1.0),
        ("write.1", None, 0.5),
        ("read.2", None, 0.9),
        ("write.2", None, 0.4),
    ]));
    let phases = &judgement.cells[0].phases;
    let told: Vec<_> = phases.iter().map(|p| (p.step.as_str(), p.iteration)).collect();
    assert_eq!(told, [("read", Some(1)), ("write", Some(1)), ("read", Some(2)), ("write", Some(2))]);
    let against: Vec<_> = phases.iter().map(|p| p.against.as_ref().map(|a| a.phase.as_str())).collect();
    assert_eq!(against, [None, Some("read.1"), Some("read.1"), Some("read.2")]);
}

/// Seconds in which the rate falls for four seconds of `open`, and is back after three of `after`.
struct Falling;

impl Details for Falling {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        let share = |second: u64| match second {
            0..10 => 1.0,
            10..14 => 1.0 - 0.2 * (second - 9) as f64,
            14..20 => 0.2,
            20..23 => 0.5,
            _ => 1.0,
        };
        let interval = |second: u64| {
            let calls = (QPS * share(second)) as u64;
            let statement = StatementTally { calls, ..StatementTally::default() };
            let tally = Tally { statements: [("point_selects".into(), statement)].into(), ..Tally::default() };
            let at = |second: u64| Nanos::from_secs(second);
            Interval { from: at(second), to: at(second + 1), phase: String::new(), group: "users".into(), tally }
        };
        (0..30).map(interval).collect()
    }
    fn series(&self, _: &RunId, _: &[&str]) -> Vec<Series> {
        Vec::new()
    }
}

#[test]
fn the_seconds_say_how_fast_a_rate_fell_and_when_it_was_back() {
    let mut record = schedule(&SCHEDULE);
    for (k, phase) in record.runs.iter_mut().flat_map(|run| (0..).zip(&mut run.phases)) {
        (phase.from, phase.to) = (Nanos::from_secs(10 * k), Nanos::from_secs(10 * (k + 1)));
    }
    let judgement = judge::judge(&record, &Falling);
    let phases = &judgement.cells[0].phases;
    assert_eq!(phases[1].part.metrics["decline_half_life_s"].value.round(), 2.0);
    assert_eq!(phases[2].part.metrics["recovery_s"].value.round(), 4.0);
    assert!(!phases[0].part.metrics.contains_key("recovery_s"));
}

#[test]
fn what_did_not_fall_has_no_half_life_and_nothing_to_come_back_from() {
    let placebo = [("before", None, 1.0), ("open", Some("idle_connection"), 1.0), ("after", None, 1.0)];
    let judgement = judge::judge(&schedule(&placebo), &Falling);
    for phase in &judgement.cells[0].phases {
        assert!(!phase.part.metrics.keys().any(|name| name.ends_with("_s") && name.contains("recovery")), "{phase:?}");
        assert!(!phase.part.metrics.contains_key("decline_half_life_s"), "{phase:?}");
    }
}

fn deed(failed: Option<&str>, from: u64, to: u64) -> DisturbanceRecord {
    DisturbanceRecord {
        what: "open_snapshot".into(),
        began: Nanos::from_millis(from),
        ended: Nanos::from_millis(to),
        sentence: "A snapshot was open to the end.".into(),
        facts: Default::default(),
        failed: failed.map(str::to_string),
        asked: Some(Asked { questions: 40, rollbacks: 1, ..Asked::default() }),
    }
}

fn with(deed: Option<DisturbanceRecord>) -> Record {
    let mut record = schedule(&SCHEDULE);
    for run in &mut record.runs {
        run.phases[1].disturbance.clone_from(&deed);
        for (name, more) in [("status.Questions", 40.0), ("status.Com_rollback", 1.0)] {
            let ends = run.whole.counters.entry(name.into()).or_insert_with(|| ends(0.0));
            ends.end += more;
        }
    }
    record
}

#[test]
fn a_disturbance_counts_only_when_it_was_seen_to_act_through_its_phase() {
    assert_eq!(status(&with(Some(deed(None, 2_000, 3_000))), "disturbances_acted"), Pass);
    let lost = verdict(
        &with(Some(deed(Some("snapshot not held: the canary became visible after 3 s"), 2_000, 3_000))),
        "disturbances_acted",
    );
    assert_eq!(lost.verdict, Fail);
    assert!(lost.sentence.contains("the canary became visible after 3 s"), "{}", lost.sentence);
    assert_eq!(
        status(&with(Some(deed(None, 2_000, 1_000))), "disturbances_acted"),
        Fail,
        "it ended before its phase did"
    );
    assert_eq!(status(&with(None), "disturbances_acted"), NotEvaluable);
    assert_eq!(status(&schedule(&[("before", None, 1.0), ("after", None, 1.0)]), "disturbances_acted"), NotApplicable);
}

#[test]
fn what_a_disturbance_asked_is_told_apart_from_what_users_ask() {
    assert_eq!(status(&with(Some(deed(None, 2_000, 3_000))), "counts_agree"), Pass);
    let uncounted = DisturbanceRecord { asked: None, ..deed(None, 2_000, 3_000) };
    assert_eq!(status(&with(Some(uncounted)), "counts_agree"), NotEvaluable);
}
