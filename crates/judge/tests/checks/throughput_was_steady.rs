//! The check `throughput_was_steady`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::load::PhaseKind;
use model::plan::RunId;
use model::record::series::Series;
use model::record::tally::{Interval, OperationTally, Tally};
use model::record::{Details, Record};
use model::units::Nanos;
use model::verdict::{Status, Verdict};

const SECONDS: u64 = 60;

/// Every run did so many operations in each second.
struct Course(Vec<u64>);

impl Details for Course {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        let interval = |(n, done): (usize, &u64)| {
            let operation = OperationTally { done: *done, ..OperationTally::default() };
            let tally = Tally { operations: [("point_selects".to_string(), operation)].into(), ..Tally::default() };
            let from = Nanos::from_secs(1 + n as u64);
            Interval { from, to: Nanos(from.0 + 1_000_000_000), phase: "measure".into(), group: "users".into(), tally }
        };
        self.0.iter().enumerate().map(interval).collect()
    }
    fn series(&self, _: &RunId, _: &[&str]) -> Vec<Series> {
        Vec::new()
    }
}

fn long() -> Record {
    let mut record = experiment(&[]);
    for run in &mut record.runs {
        run.phases[0].to = Nanos(run.phases[0].from.0 + SECONDS * 1_000_000_000);
        assert_eq!(run.phases[0].kind, PhaseKind::Measure);
    }
    record
}

/// Rates of the seconds, with a ripple that repeats at no short distance.
fn verdict_of(record: &Record, rate: impl Fn(u64) -> f64) -> Verdict {
    let ripple = |n: u64| 1.0 + 0.004 * (((n * 2_654_435_761) >> 7) % 101) as f64 / 50.0 - 0.004;
    let course = Course((0..SECONDS).map(|n| (rate(n) * ripple(n)) as u64).collect());
    let judgement = judge::judge(record, &course);
    judgement.cells[0].verdicts.iter().find(|v| v.check == "throughput_was_steady").unwrap().clone()
}

#[test]
fn a_run_of_one_level_passes_and_one_that_falls_is_no_number() {
    let flat = verdict_of(&long(), |_| 20_000.0);
    assert_eq!(flat.verdict, Status::Pass, "{}", flat.sentence);
    let warming = verdict_of(&long(), |n| if n < 12 { 12_000.0 } else { 20_000.0 });
    assert_eq!(warming.verdict, Status::Warn, "{}", warming.sentence);
    assert!(warming.sentence.contains("had not warmed up"), "{}", warming.sentence);
    let falling = verdict_of(&long(), |n| if n < 20 { 20_000.0 } else { 12_000.0 });
    assert_eq!(falling.verdict, Status::Fail, "{}", falling.sentence);
    assert!(falling.sentence.contains("operations per second after 20 s"), "{}", falling.sentence);
    let rising = verdict_of(&long(), |n| if n < 25 { 12_000.0 } else { 20_000.0 });
    assert_eq!(rising.verdict, Status::Fail, "{}", rising.sentence);
    assert!(rising.sentence.contains("which is no warm-up"), "{}", rising.sentence);
}

#[test]
fn ten_seconds_tell_a_step_and_no_more() {
    let mut short = experiment(&[]);
    for run in &mut short.runs {
        run.phases[0].to = Nanos(run.phases[0].from.0 + 10_000_000_000);
    }
    let of = |rate: fn(u64) -> f64| verdict_of(&short, rate);
    assert_eq!(of(|_| 20_000.0).verdict, Status::Pass);
    let fell = of(|n| if n < 6 { 20_000.0 } else { 12_000.0 });
    assert_eq!(fell.verdict, Status::Fail, "{}", fell.sentence);
    assert!(fell.sentence.contains("operations per second after 6 s"), "{}", fell.sentence);
    assert_eq!(of(|n| if n < 5 { 12_000.0 } else { 20_000.0 }).verdict, Status::Fail, "a rise half way");
    assert_eq!(of(|n| if n < 2 { 12_000.0 } else { 20_000.0 }).verdict, Status::Warn, "a warm-up");
    assert_eq!(of(|n| if n < 5 { 20_000.0 } else { 19_600.0 }).verdict, Status::Pass, "2 % is no state");
}

/// A course of which one run alone makes a step; the others hold still.
struct OfOne(Course, Course, RunId);

impl Details for OfOne {
    fn intervals(&self, run: &RunId) -> Vec<Interval> {
        if *run == self.2 { self.1.intervals(run) } else { self.0.intervals(run) }
    }
    fn series(&self, _: &RunId, _: &[&str]) -> Vec<Series> {
        Vec::new()
    }
}

#[test]
fn a_step_in_one_run_of_three_counts_by_what_it_moves_their_mean() {
    let record = long();
    let to = |rate: f64| {
        let course = |to: f64| Course((0..SECONDS).map(|n| if n < 35 { 20_000 } else { to as u64 } + n % 7).collect());
        let details = OfOne(course(20_000.0), course(rate), record.runs[0].id.clone());
        let judgement = judge::judge(&record, &details);
        judgement.cells[0].verdicts.iter().find(|v| v.check == "throughput_was_steady").unwrap().clone()
    };
    let little = to(18_000.0);
    assert_eq!(little.verdict, Status::Pass, "{}", little.sentence);
    assert!(little.sentence.contains("(run c001-1): The rate"), "{}", little.sentence);
    let others = "The rate of 2 other runs held still, and the mean of all is moved by 1.39 %.";
    assert!(little.sentence.ends_with(others), "{}", little.sentence);
    let much = to(8_000.0);
    assert_eq!(much.verdict, Status::Fail, "{}", much.sentence);
}

/// Ten seconds of two workers who keep their tenths, at so many operations in each of all tenths.
struct Tenths(Vec<u32>);

impl Details for Tenths {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        let interval = |(n, part): (usize, &[u32])| {
            let course = model::record::course::Course { tenths: part.to_vec(), stalls: Vec::new() };
            let operation =
                OperationTally { done: part.iter().map(|n| u64::from(*n)).sum(), ..OperationTally::default() };
            let operations = [("point_selects".to_string(), operation)].into();
            let tally = Tally { operations, course: Some(course), ..Tally::default() };
            let from = Nanos::from_secs(1 + n as u64);
            let to = Nanos(from.0 + part.len() as u64 * 100_000_000);
            Interval { from, to, phase: "measure".into(), group: "users".into(), tally }
        };
        let one: Vec<Interval> = self.0.chunks(10).enumerate().map(interval).collect();
        one.iter().cloned().chain(one.iter().cloned()).collect()
    }
    fn series(&self, _: &RunId, _: &[&str]) -> Vec<Series> {
        Vec::new()
    }
}

#[test]
fn tenths_of_seconds_tell_the_levels_of_a_short_phase_and_what_they_did_to_its_mean() {
    let of = |tenths: usize, rate: fn(usize) -> f64| {
        let mut short = experiment(&[]);
        for run in &mut short.runs {
            run.phases[0].to = Nanos(run.phases[0].from.0 + tenths as u64 * 100_000_000);
        }
        let ripple = |n: usize| 0.95 + 0.1 * (((n * 2_654_435_761) >> 7) % 101) as f64 / 100.0;
        let details = Tenths((0..tenths).map(|n| (rate(n) * ripple(n)) as u32).collect());
        let judgement = judge::judge(&short, &details);
        judgement.cells[0].verdicts.iter().find(|v| v.check == "throughput_was_steady").unwrap().clone()
    };
    let flat = of(100, |_| 1_000.0);
    assert_eq!(flat.verdict, Status::Pass, "{}", flat.sentence);
    let fell = of(100, |n| if n < 60 { 1_000.0 } else { 600.0 });
    assert_eq!(fell.verdict, Status::Fail, "{}", fell.sentence);
    assert!(fell.sentence.contains("fell from") && fell.sentence.contains("after 6 s"), "{}", fell.sentence);
    let rose = of(100, |n| if n < 50 { 600.0 } else { 1_000.0 });
    assert_eq!(rose.verdict, Status::Fail, "{}", rose.sentence);
    let warmed = of(100, |n| if n < 12 { 500.0 } else { 1_000.0 });
    assert_eq!(warmed.verdict, Status::Warn, "{}", warmed.sentence);
    assert!(warmed.sentence.contains("a warm-up"), "{}", warmed.sentence);
    let stuttered = of(100, |n| if n == 40 { 0.0 } else { 1_000.0 });
    assert_eq!(stuttered.verdict, Status::Pass, "a stall is no level: {}", stuttered.sentence);
    let in_five = of(50, |n| if n < 25 { 1_000.0 } else { 700.0 });
    assert_eq!(in_five.verdict, Status::Fail, "five seconds are enough: {}", in_five.sentence);
    assert_eq!(of(20, |_| 1_000.0).verdict, Status::NotApplicable, "two seconds are not");
    let stood = of(50, |n| if (13..35).contains(&n) { 0.0 } else { 1_000.0 });
    assert_eq!(stood.verdict, Status::Fail, "{}", stood.sentence);
    assert!(stood.sentence.contains("0 from 1.3 s") && !stood.sentence.contains("inf"), "{}", stood.sentence);
}

#[test]
fn what_is_too_short_or_disturbed_on_purpose_has_no_state() {
    assert_eq!(status(&record(), "throughput_was_steady"), Status::NotApplicable);
    let mut disturbed = long();
    disturbed.runs.iter_mut().for_each(|r| r.phases[0].disturb = Some("open_snapshot".into()));
    assert_eq!(verdict_of(&disturbed, |_| 20_000.0).verdict, Status::NotApplicable);
}
