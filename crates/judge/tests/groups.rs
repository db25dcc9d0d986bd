//! Readers who wait for their answers beside writers who come at a rate: each group has its own numbers, and a law that
//! one of them breaks is not hidden by the other.

mod bench;

use bench::*;
use model::load::{Arrivals, Group, Process, Work};
use model::rate::Rate;
use model::record::Record;
use model::record::run::GroupRecord;
use model::record::tally::{ArrivalTally, OperationTally, Tally};
use model::units::{Nanos, Users};
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass};
use model::verdict::Verdict;
use std::collections::BTreeMap;

const WRITERS: u32 = 4;
/// The latencies of each group's operations.
const SHARE_OF_WRITERS: u64 = 4;

/// A healthy record in which the users of every cell are readers, and writers came beside them.
fn beside() -> Record {
    let mut record = record();
    for cell in &mut record.plan.cells {
        let work = Work { workload: cell.workload.clone(), parameters: std::mem::take(&mut cell.parameters) };
        let readers =
            Group { name: "readers".into(), work: work.clone(), users: cell.load.users, arrivals: None, pause: None };
        let arrivals = Some(Arrivals { rate: Rate::steady(1_000.0), process: Process::Poisson });
        let writers = Group { name: "writers".into(), work, users: Users(WRITERS), arrivals, pause: None };
        cell.load.users.0 += WRITERS;
        cell.groups = vec![readers, writers];
    }
    for run in &mut record.runs {
        let groups = &mut run.phases[0].groups;
        let readers = groups.remove("users").unwrap();
        let mut tally = readers.tally.clone();
        let done = readers.tally.done() / SHARE_OF_WRITERS;
        for operation in tally.operations.values_mut() {
            operation.done = done;
        }
        for statement in tally.statements.values_mut() {
            statement.calls = 2 * done;
            statement.rows = 2 * done;
            statement.bytes = 400 * done;
        }
        tally.arrivals = Some(ArrivalTally { due: done, begun: done, most_waiting: 1 });
        tally.lag.get_or_insert_default().record_many(Nanos(100), done);
        groups.insert("writers".into(), GroupRecord { users: WRITERS, tally, ..readers.clone() });
        groups.insert("readers".into(), readers);
    }
    record
}

fn spoilt(group: &str, spoil: impl Fn(&mut Tally)) -> Record {
    let mut record = beside();
    record.runs.iter_mut().for_each(|run| spoil(&mut run.phases[0].groups.get_mut(group).unwrap().tally));
    record
}

fn operation(tally: &mut Tally) -> &mut OperationTally {
    tally.operations.get_mut("point_selects").unwrap()
}

fn of(record: &Record, check: &str) -> Verdict {
    let judgement = judge(record);
    judgement.cells[1].verdicts.iter().find(|v| v.check == check).unwrap().clone()
}

#[test]
fn each_group_has_its_own_numbers_and_the_whole_is_their_sum() {
    let judgement = judge(&beside());
    for cell in &judgement.cells {
        let (readers, writers) = (&cell.groups["readers"], &cell.groups["writers"]);
        for metric in ["qps", "ops_per_s"] {
            let (all, parts) = (cell.metrics[metric].value, [readers, writers].map(|g| g.metrics[metric].value));
            assert!((parts[0] + parts[1] - all).abs() < 1e-6 * all, "{metric}: {parts:?} of {all}");
        }
        let rate = |part: &BTreeMap<String, _>| part.contains_key("client_cpu_us_per_statement");
        assert!(rate(&cell.metrics) && !rate(&readers.metrics), "nobody counts CPU by group");
        assert!(writers.operations["point_selects"].contains_key("latency_us_p99"));
        assert_eq!(writers.metrics["qps"].n, cell.metrics["qps"].n);
    }
    assert!(judge(&record()).cells.iter().all(|c| c.groups.is_empty()), "a cell whose users do the same has none");
}

#[test]
fn littles_law_holds_for_each_closed_group_by_itself() {
    assert_eq!(of(&beside(), "littles_law").verdict, Pass);
    let slow = |tally: &mut Tally| {
        let operation = operation(tally);
        let (mean, count) = (operation.latency.mean().unwrap(), operation.latency.count());
        operation.latency.clear();
        operation.latency.record_many(Nanos(mean.0 * 2 / 3), count);
    };
    let broken = of(&spoilt("readers", slow), "littles_law");
    assert_eq!(broken.verdict, Fail);
    assert!(broken.sentence.contains("Rate × latency"), "{}", broken.sentence);
    assert_eq!(of(&spoilt("writers", slow), "littles_law").verdict, Pass, "they do not wait for their answers");
    let mut open = beside();
    for group in open.plan.cells.iter_mut().flat_map(|c| &mut c.groups) {
        group.arrivals = Some(Arrivals { rate: Rate::steady(1.0), process: Process::Poisson });
    }
    assert_eq!(of(&open, "littles_law").verdict, NotApplicable);
}

#[test]
fn an_overload_of_one_group_is_told_with_its_name() {
    assert_eq!(of(&beside(), "latency_was_honest").verdict, Pass);
    let overload = of(&spoilt("writers", |t| t.arrivals.as_mut().unwrap().due *= 2), "latency_was_honest");
    assert_eq!(overload.verdict, Fail);
    assert!(overload.sentence.contains("writers: Offered load exceeds capacity"), "{}", overload.sentence);
}

#[test]
fn an_operation_that_one_group_never_did_is_not_hidden_by_the_other() {
    assert_eq!(of(&beside(), "operations_succeeded").verdict, Pass);
    let failing = |tally: &mut Tally| {
        let operation = operation(tally);
        *operation = OperationTally { failed: [(1213, 5)].into(), ..OperationTally::default() };
    };
    let verdict = of(&spoilt("writers", failing), "operations_succeeded");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.contains("Not one `writers: point_selects`"), "{}", verdict.sentence);
}

#[test]
fn the_work_of_each_group_is_compared_with_that_of_the_same_group() {
    // The cells differ in users; a statement of a writer is half an operation, one of a reader a whole one.
    let mut record = beside();
    assert_eq!(status(&record, "measured_work_agrees"), Pass);
    assert_eq!(status(&record, "parameters_agree"), Pass);
    for run in of_cell(&mut record, "c002") {
        let writers = run.phases[0].groups.get_mut("writers").unwrap();
        writers.tally.statements.values_mut().for_each(|s| s.rows *= 10);
    }
    assert_eq!(status(&record, "measured_work_agrees"), Fail);
    record.plan.cells[1].groups[1].work.parameters.insert("range_size".into(), 10.into());
    let verdict = verdict(&record, "parameters_agree");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.contains("`groups.writers.range_size` is 10 in"), "{}", verdict.sentence);
}

#[test]
fn a_group_that_is_short_of_its_rate_is_an_sla_failure_of_its_phase() {
    assert_eq!(of(&beside(), "rate_was_reached").verdict, Pass);
    assert_eq!(of(&record(), "rate_was_reached").verdict, NotApplicable, "nobody is beside them");
    let due = |factor: u64| move |t: &mut Tally| t.arrivals.as_mut().unwrap().due = t.done() * factor / 1_000;
    assert_eq!(of(&spoilt("writers", due(1_009)), "rate_was_reached").verdict, Pass, "within a hundredth");
    let short = of(&spoilt("writers", due(2_000)), "rate_was_reached");
    assert_eq!(short.verdict, Fail);
    assert!(
        short.sentence.contains("SLA failure: `writers` did ") && short.sentence.contains("50 % short"),
        "{}",
        short.sentence
    );
    assert_eq!(of(&spoilt("writers", |t| t.arrivals = None), "rate_was_reached").verdict, NotEvaluable);
    let failing = of(
        &spoilt("writers", |t| {
            due(2_000)(t);
            let done = t.done();
            operation(t).failed.insert(1205, done);
        }),
        "rate_was_reached",
    );
    assert!(failing.sentence.contains("of its operations failed"), "{}", failing.sentence);
}

/// The same groups, in the one phase and not in the whole run.
#[test]
fn groups_of_a_phase_are_judged_as_those_of_a_run() {
    let mut record = spoilt("writers", |t| t.arrivals.as_mut().unwrap().due *= 2);
    for cell in &mut record.plan.cells {
        cell.phases[0].groups = std::mem::take(&mut cell.groups);
    }
    assert_eq!(of(&record, "rate_was_reached").verdict, Fail);
    assert_eq!(of(&record, "littles_law").verdict, Pass);
    assert!(judge(&record).cells.iter().all(|c| c.groups.len() == 2), "each has its numbers");
}
