//! A snapshot left open, on records that show it, that show something else, and whose placebo fails as well.

mod bench;

use bench::*;
use model::finding::{Finding, Rung};
use model::load::{Disturb, Phase};
use model::record::Record;
use model::record::run::PhaseRecord;
use model::value::Value;

const CAUSE: &str = "open_snapshot_keeps_old_versions";

/// What one phase shows: statements per second, and per operation logical reads, rows asked of the handler, µs of server CPU;
/// and how much longer the history got for each.
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
