//! Findings `page_splits` and `non_hot_updates` on records of TPC-C: what an order costs of the index lock with NULL and
//! with a DEFAULT, and of PostgreSQL's pages without room and with it, how sure that makes the cause, and that a benchmark
//! whose orders are refused explains nothing.

mod bench;

use bench::*;
use model::finding::{Finding, Rung};
use model::plan::served::HEAP;
use model::record::Record;
use model::record::audit::{Audit, Law, Rule, Severity, Term};
use model::record::run::RunRecord;
use model::value::Value;
use model::verdict::Status;

const DELIVERED: i64 = 1_000;

/// The study with these columns; `count` fills a run in, given its column and the orders that it counts by.
fn study(columns: &[&str], count: impl Fn(&mut RunRecord, &str, f64)) -> Record {
    let values: Vec<Value> = columns.iter().map(|name| (*name).into()).collect();
    let workload = ["tpcc.compat".into()];
    let mut record = experiment(&[("workload", &workload), ("date_columns", &values)]);
    for cell in &mut record.plan.cells {
        cell.parameters.insert("date_columns".into(), cell.axes["date_columns"].clone());
    }
    let cells = record.plan.cells.clone();
    for run in &mut record.runs {
        let column = cells.iter().find(|c| c.id == run.cell).and_then(|cell| cell.axes["date_columns"].text()).unwrap();
        count(run, column, DELIVERED as f64 * (1.0 + 0.001 * f64::from(run.repetition)));
        tally(run).facts.insert("delivered_orders".into(), DELIVERED);
    }
    record
}

/// Acquisitions and reorganisations per delivered order, by column.
fn with(columns: &[(&str, f64, f64)]) -> Record {
    let names: Vec<&str> = columns.iter().map(|(name, _, _)| *name).collect();
    study(&names, |run, column, orders| {
        let (_, locks, reorganised) = columns.iter().find(|(name, _, _)| *name == column).unwrap();
        counter(run, "index_lock.acquisitions", locks * orders);
        counter(run, "innodb.index_page_reorg_attempts", reorganised * orders);
        counter(run, "db.page_splits", 0.05 * orders);
    })
}

/// Updates of a delivered order that leave their page, by column, on PostgreSQL.
fn in_postgresql(columns: &[(&str, f64)]) -> Record {
    const UPDATES: f64 = 40.0;
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut record = study(&names, |run, column, orders| {
        let (_, leaving) = columns.iter().find(|(name, _)| *name == column).unwrap();
        counter(run, "postgres.tup_updated", UPDATES * orders);
        counter(run, "postgres.hot_updates", (UPDATES - leaving) * orders);
        counter(run, "postgres.wal_bytes", 9e3 * orders);
    });
    record.plan.cells.iter_mut().for_each(|cell| cell.server.engine = HEAP.into());
    record
}

fn finding(record: &Record) -> Option<Finding> {
    let of_orders = |f: &Finding| ["page_splits", "non_hot_updates"].contains(&f.name.as_str());
    judge(record).findings.into_iter().find(of_orders)
}

const STUDY: [(&str, f64, f64); 3] = [("null", 100.0, 2.0), ("default", 80.0, 0.2), ("default+carrier", 79.9, 0.2)];

#[test]
fn a_default_that_takes_the_reorganisations_away_and_a_placebo_that_does_nothing_confirm_the_cause() {
    let found = finding(&with(&STUDY)).unwrap();
    assert_eq!(found.rung, Rung::ConfirmedByIntervention, "{}", found.sentence);
    assert!(found.sentence.contains("100 index-lock acquisitions"), "{}", found.sentence);
    assert!(found.share.unwrap() > 0.95, "{found:?}");
}

#[test]
fn without_the_placebo_it_is_only_sufficient_and_with_a_placebo_that_helps_not_confirmed() {
    let found = finding(&with(&STUDY[..2])).unwrap();
    assert_eq!(found.rung, Rung::QuantitativelySufficient, "{}", found.sentence);
    let [null, default, _] = STUDY;
    let found = finding(&with(&[null, default, ("default+carrier", 40.0, 0.2)])).unwrap();
    assert_eq!(found.rung, Rung::QuantitativelySufficient, "{}", found.sentence);
}

#[test]
fn in_postgresql_room_keeps_versions_in_their_page_and_a_default_is_the_placebo() {
    let found = finding(&in_postgresql(&[("null", 22.0), ("default", 22.1), ("null+room", 11.2)])).unwrap();
    assert_eq!(
        (found.name.as_str(), found.rung),
        ("non_hot_updates", Rung::ConfirmedByIntervention),
        "{}",
        found.sentence
    );
    assert!(found.share.unwrap() > 0.95, "{found:?}");
    let without = finding(&in_postgresql(&[("null", 22.0), ("null+room", 11.2)])).unwrap();
    assert_eq!(without.rung, Rung::QuantitativelySufficient, "{}", without.sentence);
    let both = finding(&in_postgresql(&[("null", 22.0), ("default", 12.0), ("null+room", 11.2)])).unwrap();
    assert_eq!(both.rung, Rung::QuantitativelySufficient, "{}", both.sentence);
    assert!(finding(&in_postgresql(&[("null", 12.0), ("default", 12.0), ("null+room", 11.2)])).is_none());
}

#[test]
fn a_neighbour_who_takes_the_cpus_changes_no_count_of_an_order() {
    let mut record = with(&STUDY);
    record.runs.iter_mut().for_each(|run| counter(run, "host.cpu.idle", 0.0));
    assert!(judge(&record).cells.iter().all(|cell| cell.status == Status::Fail), "their rates are struck");
    let found = finding(&record).unwrap();
    assert_eq!(found.rung, Rung::ConfirmedByIntervention);
    let answer = &judge(&record).claims[0];
    assert!(
        answer.is_answer && answer.sentence.starts_with("With NULL in `ol_delivery_d` a delivered order"),
        "{answer:?}"
    );
    assert!(
        found.sentence.starts_with(&answer.sentence) && !answer.sentence.contains("gets its date"),
        "the symptom alone"
    );
    let unsure = judge(&study(&["null", "default"], |_, _, _| ())).claims;
    assert!(unsure.iter().all(|claim| !claim.sentence.contains("With NULL")), "{unsure:?}");
}

#[test]
fn mysql_counts_a_change_of_shape_once_and_mariadb_twice() {
    let share = |version: &str, extra: f64| {
        let mut record = with(&[("null", 80.0 + extra, 2.0), ("default", 80.0, 0.2)]);
        record.instances.iter_mut().for_each(|instance| instance.version_text = version.into());
        finding(&record).unwrap().share.unwrap()
    };
    assert!(share("10.11.19-MariaDB", 20.0) > 0.99 && share("8.0.33", 15.0) > 0.99);
    assert!(share("8.0.33", 20.0) < 0.8, "what its instrument does not count twice is another cause's");
}

#[test]
fn where_an_order_costs_the_same_either_way_there_is_no_finding() {
    let mut record = with(&[("null", 81.0, 0.2), ("default", 80.0, 0.2)]);
    assert!(finding(&record).is_none());
    // Nor where throughput is lower for another reason.
    for run in of_cell(&mut record, "c001") {
        let counters = run.phases[0].counters.clone();
        set_rate(run, 0.7 * QPS);
        run.phases[0].counters.extend(counters.into_iter().filter(|(name, _)| name.starts_with("index_lock.")));
        tally(run).facts.insert("delivered_orders".into(), DELIVERED);
    }
    assert!(finding(&record).is_none());
}

#[test]
fn orders_that_are_not_in_the_data_explain_nothing() {
    let mut record = with(&STUDY);
    for run in &mut record.runs {
        let (left, right) = (vec![Term::fact("new_orders")], vec![]);
        let rule = Rule::Equal { left, right, apart: 0 };
        let law = Law { code: "V1".into(), claim: "x".into(), broken: "y".into(), severity: Severity::Fail, rule };
        run.audits = vec![Audit { facts: [("new_orders".to_string(), 7)].into(), laws: vec![law], ..Audit::default() }];
    }
    assert!(finding(&record).is_none());
}
