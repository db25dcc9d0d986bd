//! The check `way_was_short`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::Nanos;
use model::plan::RunId;
use model::record::Details;
use model::record::series::{Metric, Series, Shape, Unit};
use model::record::tally::Interval;
use model::record::way::Way;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

fn around_of(run: &mut model::record::run::RunRecord) -> &mut Option<Way> {
    &mut run.around.as_mut().unwrap().way
}

#[test]
fn what_comes_to_stand_between_is_named_with_its_time() {
    assert_eq!(status(&record(), "way_was_short"), Pass);
    let delayed = spoilt(|r| *around_of(&mut r.runs[6]) = Some(way(1_090)));
    let told = verdict(&delayed, "way_was_short");
    assert_eq!(told.verdict, Fail);
    assert!(told.sentence.contains("1.09 ms") && told.sentence.contains("40.0 µs"), "{}", told.sentence);
    let at_its_end = spoilt(|r| around_of(&mut r.runs[6]).as_mut().unwrap().after = way(1_090).after);
    assert_eq!(status(&at_its_end, "way_was_short"), Fail);
    let sleepy = spoilt(|r| *around_of(&mut r.runs[6]) = Some(way(120)));
    assert_eq!(status(&sleepy, "way_was_short"), Pass, "CPUs sleep");
}

#[test]
fn a_long_way_within_one_host_is_a_warning_and_between_hosts_the_networks_own() {
    let long = || all_runs(|r| *around_of(r) = Some(way(1_000)));
    assert_eq!(status(&long(), "way_was_short"), Warn);
    let mut elsewhere = long();
    elsewhere.plan.cells.iter_mut().for_each(|c| c.server.on = Some("mysql://elsewhere".into()));
    elsewhere.instances[0].cpus.clear();
    assert_eq!(status(&elsewhere, "way_was_short"), Pass);
    let resolver = all_runs(|r| {
        let way = around_of(r).as_mut().unwrap();
        way.before.as_mut().unwrap().connect = Nanos::from_secs(5);
        way.before.as_mut().unwrap().quarter = Nanos(41_000);
    });
    assert_eq!(status(&resolver, "way_was_short"), Warn, "a slow resolver");
}

#[test]
fn a_way_that_was_not_asked_is_no_short_one() {
    assert_eq!(status(&all_runs(|r| *around_of(r) = None), "way_was_short"), NotApplicable, "a record from before");
    let refused = all_runs(|r| {
        let way = around_of(r).as_mut().unwrap();
        (way.after, way.failed) = (None, Some("error 1040 (08004): Too many connections".into()));
    });
    assert_eq!(status(&refused, "way_was_short"), NotEvaluable);
}

/// In one run the server was idle for so much of a second in the midst of it.
struct IdleFor(f64);

impl Details for IdleFor {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        Vec::new()
    }
    fn series(&self, run: &RunId, metrics: &[&str]) -> Vec<Series> {
        let name = "server.idle";
        let idle = if run.0 == "c001-3" { self.0 } else { 0.02 };
        let readings = [(1_200, 0.0), (1_900, idle * 7e8), (1_950, idle * 7e8)];
        let readings = readings.map(|(at, value)| (Nanos::from_millis(at), value)).to_vec();
        let metric = Metric { name: name.into(), unit: Unit::Nanos, shape: Shape::Counter };
        metrics.contains(&name).then_some(Series { metric, readings }).into_iter().collect()
    }
}

#[test]
fn a_way_that_was_long_for_a_while_is_told_by_a_server_that_had_nothing_to_do() {
    let record = all_runs(|r| {
        let idle = if r.id.0 == "c001-3" { 0.5 } else { 0.02 };
        counter(r, "server.idle", idle * 1e9);
    });
    let told = |record: &model::record::Record, idle: f64| {
        let judgement = judge::judge(record, &IdleFor(idle));
        let all = judgement.cells.iter().flat_map(|c| &c.verdicts).filter(|v| v.check == "way_was_short");
        all.max_by_key(|v| v.verdict).unwrap().clone()
    };
    let slow = told(&record, 0.9);
    let from =
        "(run c001-3): From 1.2 s to 1.9 s of run c001-3 all sessions of the server waited for requests for 90 %";
    assert!(slow.verdict == Warn && slow.sentence.contains(from), "{}", slow.sentence);
    assert_eq!(told(&record, 0.3).verdict, Pass, "it is idle at times");
    let usual = all_runs(|r| counter(r, "server.idle", 0.4e9));
    assert_eq!(told(&usual, 0.9).verdict, Pass, "of few users it is idle for long");
}
