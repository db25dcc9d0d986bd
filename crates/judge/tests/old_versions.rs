//! A snapshot left open, on records that show it, that show something else, and whose placebo fails as well.

mod bench;

use bench::*;
use model::finding::{Finding, Rung};
use model::load::{Disturb, Phase};
use model::plan::RunId;
use model::record::run::PhaseRecord;
use model::record::series::{Metric, Series, Shape, Unit};
use model::record::tally::Interval;
use model::record::{Details, Record};
use model::units::Nanos;
use model::value::Value;

const CAUSE: &str = "open_snapshot_keeps_old_versions";

/// What one phase shows: statements per second, and per operation logical reads, rows asked of the handler, µs of
/// server CPU; and how much longer the history got for each.
struct Shows {
    qps: f64,
    reads: f64,
    handler: f64,
    cpu_us: f64,
    kept: f64,
}

const CALM: Shows = Shows { qps: 20_000.0, reads: 10.0, handler: 9.0, cpu_us: 80.0, kept: 0.0 };
const WADING: Shows = Shows { qps: 5_000.0, reads: 38.0, handler: 9.1, cpu_us: 320.0, kept: 1.2 };

/// A phase before, the disturbed one and one after, in a cell for each arm.
fn record(arms: &[(&str, [Shows; 3])]) -> Record {
    let names: Vec<Value> = arms.iter().map(|(name, _)| (*name).into()).collect();
    let mut record = experiment(&[("phases.open.disturb", &names)]);
    for (cell, (name, shows)) in record.plan.cells.iter_mut().zip(arms) {
        let one = cell.phases[0].clone();
        let disturb = Some(Disturb { name: (*name).into(), parameters: Default::default() });
        cell.phases = ["before", "open", "after"]
            .map(|n| Phase { name: n.into(), disturb: disturb.clone().filter(|_| n == "open"), ..one.clone() })
            .to_vec();
        let id = cell.id.clone();
        for run in record.runs.iter_mut().filter(|r| r.cell == id) {
            let noise = 0.002 * f64::from(run.repetition);
            let phases = ["before", "open", "after"].iter().zip(shows).enumerate().map(|(k, (phase, s))| {
                let mut alone = run.clone();
                let qps = s.qps * (1.0 + noise * (1.0 + k as f64));
                set_rate(&mut alone, qps);
                tally(&mut alone).commits = qps as u64;
                for (counter_name, delta) in [
                    ("db.page_read_requests", s.reads * qps),
                    ("db.handler_reads", s.handler * qps),
                    ("db.history_list_length", s.kept * qps),
                    ("server.cpu.user", s.cpu_us * 1000.0 * qps),
                    ("server.cpu.system", 0.0),
                ] {
                    counter(&mut alone, counter_name, delta);
                }
                let disturb = (*phase == "open").then(|| (*name).to_string());
                PhaseRecord { name: (*phase).into(), disturb, ..alone.phases.remove(0) }
            });
            let phases: Vec<_> = phases.collect();
            run.phases = phases;
        }
    }
    record
}

/// The same as PostgreSQL counts it.
fn in_postgresql(mut record: Record) -> Record {
    for cell in &mut record.plan.cells {
        cell.server.engine = "heap".into();
    }
    for phase in record.runs.iter_mut().flat_map(|run| &mut run.phases) {
        for (counter, others) in [
            ("db.history_list_length", &["postgres.oldest_snapshot_xids", "postgres.dead_rows"][..]),
            ("db.handler_reads", &["postgres.tup_fetched"]),
        ] {
            let ends = phase.counters.remove(counter).expect("it was counted");
            phase.counters.extend(others.iter().map(|other| (other.to_string(), ends)));
        }
    }
    record
}

fn finding(record: &Record) -> Option<Finding> {
    judge(record).findings.into_iter().find(|f| f.name == CAUSE)
}

#[test]
fn a_loss_that_comes_and_goes_with_the_snapshot_and_not_with_its_placebo_is_confirmed() {
    let placebo = ("begin_read_committed", [CALM, CALM, CALM]);
    let found = finding(&record(&[("open_snapshot", [CALM, WADING, CALM]), placebo])).expect("it is found");
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
    for told in [
        "74.9 % of 20080 statements/s are lost",
        "3.80 times the logical reads",
        "1.01 times the rows",
        "Closed, it gives back",
        "of the loss; its placebo keeps 100 % of its rate",
    ] {
        assert!(found.sentence.contains(told), "{told}: {}", found.sentence);
    }
}

#[test]
fn what_keeps_vacuum_from_dead_rows_is_confirmed_by_the_same_placebo() {
    let placebo = ("begin_read_committed", [CALM, CALM, CALM]);
    let record = in_postgresql(record(&[("open_snapshot", [CALM, WADING, CALM]), placebo]));
    let found = finding(&record).expect("it is found");
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
    for told in
        ["oldest snapshot's age grows by 1.20 transactions per commit", "dead rows more", "1.01 times the live rows"]
    {
        assert!(found.sentence.contains(told), "{told}: {}", found.sentence);
    }
}

#[test]
fn a_guess_of_dead_rows_that_fell_is_not_told() {
    let placebo = ("begin_read_committed", [CALM, CALM, CALM]);
    let mut record = in_postgresql(record(&[("open_snapshot", [CALM, WADING, CALM]), placebo]));
    for phase in record.runs.iter_mut().flat_map(|run| &mut run.phases) {
        let ends = phase.counters.get_mut("postgres.dead_rows").expect("it is counted");
        (ends.begin, ends.end) = (ends.end, ends.begin);
    }
    let sentence = finding(&record).expect("it is found").sentence;
    assert!(sentence.contains("nothing that was changed since. An operation makes"), "{sentence}");
}

#[test]
fn dead_rows_that_no_snapshot_holds_are_another_cause() {
    let mut record = in_postgresql(record(&[("open_snapshot", [CALM, WADING, CALM])]));
    for phase in record.runs.iter_mut().flat_map(|run| &mut run.phases) {
        let ends = phase.counters.get_mut("postgres.oldest_snapshot_xids").expect("it is counted");
        ends.end = ends.begin;
    }
    assert_eq!(finding(&record), None);
}

#[test]
fn without_a_placebo_the_cost_of_its_reads_is_as_sure_as_it_gets() {
    let found = finding(&record(&[("open_snapshot", [CALM, WADING, CALM])])).expect("it is found");
    assert_eq!(found.rung, Rung::QuantitativelySufficient, "{}", found.sentence);
    assert!(found.sentence.contains("no placebo was run"), "{}", found.sentence);
}

#[test]
fn a_loss_that_stays_when_the_snapshot_is_closed_is_not_its_doing() {
    let stays = [CALM, WADING, Shows { kept: 0.0, ..WADING }];
    let placebo = ("begin_read_committed", [CALM, CALM, CALM]);
    let found = finding(&record(&[("open_snapshot", stays), placebo])).expect("the symptom is there");
    assert_eq!(found.rung, Rung::Unexplained, "{}", found.sentence);
}

#[test]
fn more_rows_asked_of_the_handler_are_another_cause() {
    let rows = Shows { handler: 34.0, ..WADING };
    assert_eq!(finding(&record(&[("open_snapshot", [CALM, rows, CALM])])), None);
}

#[test]
fn lists_that_grow_meanwhile_do_not_hide_it() {
    let grown = Shows { handler: 11.0, ..WADING };
    let placebo = ("begin_read_committed", [CALM, CALM, CALM]);
    let found = finding(&record(&[("open_snapshot", [CALM, grown, CALM]), placebo])).expect("it is found");
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
}

#[test]
fn a_snapshot_that_costs_nothing_is_no_finding() {
    let cheap = Shows { kept: 1.2, ..CALM };
    assert_eq!(finding(&record(&[("open_snapshot", [CALM, cheap, CALM])])), None);
}

#[test]
fn what_was_not_counted_leaves_the_loss_unexplained() {
    let mut record = record(&[("open_snapshot", [CALM, WADING, CALM])]);
    for run in &mut record.runs {
        run.phases[1].counters.remove("db.history_list_length");
    }
    assert_eq!(finding(&record).map(|f| f.rung), Some(Rung::Unexplained));
}

/// Three seconds, one of each phase, as `record` counts them.
struct Seconds(Record);

impl Details for Seconds {
    fn intervals(&self, run: &RunId) -> Vec<Interval> {
        let phases = &self.0.runs.iter().find(|r| r.id == *run).expect("a run of ours").phases;
        let interval = |p: &PhaseRecord| Interval {
            from: p.from,
            to: p.to,
            phase: p.name.clone(),
            group: "users".into(),
            tally: p.groups["users"].tally.clone(),
        };
        phases.iter().map(interval).collect()
    }
    fn series(&self, run: &RunId, _: &[&str]) -> Vec<Series> {
        let phases = &self.0.runs.iter().find(|r| r.id == *run).expect("a run of ours").phases;
        let mut readings = vec![(phases[0].from, 0.0)];
        for phase in phases {
            let read = phase.counters["db.page_read_requests"].delta();
            readings.push((phase.to, readings[readings.len() - 1].1 + read));
        }
        let metric = Metric { name: "db.page_read_requests".into(), unit: Unit::Count, shape: Shape::Counter };
        vec![Series { metric, readings }]
    }
}

#[test]
fn what_arithmetic_expects_stands_beside_what_lists_met() {
    let mut record = record(&[("open_snapshot", [CALM, WADING, CALM])]);
    record.plan.cells[0].parameters = [
        ("startid1", Value::Count(1)),
        ("maxid1", Value::Count(1_000_001)),
        ("link_types", Value::Count(2)),
        ("read_shape", Value::Real(0.8)),
        ("read_uncorrelated", Value::Real(99.5)),
        ("write_heat", "as_reads".into()),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .into();
    for (second, phase) in record.runs.iter_mut().flat_map(|run| run.phases.iter_mut().enumerate()) {
        let tally = &mut phase.groups.get_mut("users").expect("users").tally;
        tally.operations = tally.operations.values().map(|o| ("get_links_list".to_string(), o.clone())).collect();
        tally.statements = tally.statements.values().map(|s| ("write_link".to_string(), s.clone())).collect();
        (phase.from, phase.to) = (Nanos::from_secs(second as u64), Nanos::from_secs(second as u64 + 1));
    }
    let judgement = judge::judge(&record, &Seconds(record.clone()));
    let [forecast] = &judgement.forecasts[..] else { panic!("{:?}", judgement.forecasts) };
    let points: Vec<_> = forecast.phases.iter().map(|p| (p.disturb.is_some(), &p.points[..])).collect();
    let [(false, [before]), (true, [open]), (false, [after])] = points[..] else { panic!("{points:?}") };
    assert_eq!((before.at_s, before.expected, before.measured.round()), (0.0, Some(0.0), 0.0));
    // 38 logical reads where there were 10, each statement a list and an update; half of 2.0e-4 for each of 5000
    // updates.
    assert!((open.measured - 28.0).abs() < 0.2, "{open:?}");
    assert!((open.expected.expect("it is foretold") - 0.5).abs() < 0.02, "{open:?}");
    assert_eq!((after.at_s, after.expected), (2.0, None));
    assert_eq!(forecast.per_expected, open.expected.map(|expected| open.measured / expected));
}

#[test]
fn an_arm_is_called_by_what_is_done_in_it_and_by_nothing_that_all_have() {
    let placebo = ("begin_read_committed", [CALM, CALM, CALM]);
    let mut record = record(&[("open_snapshot", [CALM, WADING, CALM]), placebo]);
    record.plan.cells.iter_mut().for_each(|cell| drop(cell.axes.insert("engine".into(), "innodb".into())));
    let claims = judge(&record).claims;
    let told = claims.iter().find(|claim| claim.sentence.contains("times the QPS")).expect("it is the answer");
    assert!(told.sentence.starts_with("open_snapshot: `open` has 0.25 times the QPS of `before` ("), "{told:?}");
}
