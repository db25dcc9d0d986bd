//! Each cause on a record that shows it, on one where something else does the same, and on one that cannot say. How
//! sure a finding is must follow from what was measured, and taking a cause away in vain must bring it down.

mod bench;

use bench::*;
use model::finding::{Finding, Rung};
use model::host::Version;
use model::plan::Cell;
use model::record::Record;
use model::value::Value;

const ENGINE: &str = "native.internal_tmp_mem_storage_engine";

/// Microseconds that one query takes, times three repetitions that differ a little.
fn take(record: &mut Record, time: impl Fn(&Cell) -> f64, tables: impl Fn(&Cell) -> f64) {
    let cells = record.plan.cells.clone();
    for run in &mut record.runs {
        let cell = cells.iter().find(|c| c.id == run.cell).unwrap();
        let qps = 1e6 / time(cell) * (1.0 + 0.001 * f64::from(run.repetition));
        set_rate(run, qps);
        counter(run, "db.tmp_tables", tables(cell) * qps);
        counter(run, "db.tmp_disk_tables", 0.0);
    }
}

fn axes(engines: &[Value]) -> Record {
    let workloads = ["oltp.ordered_ranges".into(), "oltp.distinct_ranges".into()];
    let mut axes: Vec<(&str, &[Value])> = vec![("workload", &workloads)];
    let (ranges, users) = ([10.into(), 100.into()], [1.into(), 8.into()]);
    axes.extend([("range_size", &ranges[..]), ("users", &users[..])]);
    if !engines.is_empty() {
        axes.push((ENGINE, engines));
    }
    experiment(&axes)
}

fn rows(cell: &Cell) -> f64 {
    cell.parameters["range_size"].number().unwrap()
}

fn is_distinct(cell: &Cell) -> bool {
    cell.workload == "oltp.distinct_ranges"
}

/// A table costs each query with DISTINCT so much, and each of its rows.
fn with_tables(per_query: f64, per_row: f64) -> Record {
    let mut record = axes(&[]);
    let table = |c: &Cell| if is_distinct(c) { per_query + per_row * rows(c) } else { 0.0 };
    take(&mut record, |c| 40.0 + 0.2 * rows(c) + table(c), |c| if is_distinct(c) { 1.0 } else { 0.0 });
    record
}

/// The table costs 20 µs in MEMORY and so much in TempTable.
fn with_engines(temp_table: f64, elsewhere: f64) -> Record {
    let mut record = axes(&["MEMORY".into(), "TempTable".into()]);
    let time = |c: &Cell| {
        let memory = c.axes[ENGINE].text() == Some("MEMORY");
        let table = if memory { 20.0 } else { temp_table };
        let rest = if memory { 0.0 } else { elsewhere };
        40.0 + 0.2 * rows(c) + rest + if is_distinct(c) { table } else { 0.0 }
    };
    take(&mut record, time, |c| if is_distinct(c) { 1.0 } else { 0.0 });
    record
}

fn finding(record: &Record) -> Option<Finding> {
    let mut findings = judge(record).findings;
    findings.retain(|f| f.name == "temporary_table_per_query");
    assert!(findings.len() < 2, "{findings:?}");
    findings.into_iter().next()
}

#[test]
fn a_cost_per_query_that_covers_the_loss_is_sufficient() {
    let found = finding(&with_tables(20.0, 0.0)).unwrap();
    assert_eq!((found.name.as_str(), found.rung), ("temporary_table_per_query", Rung::QuantitativelySufficient));
    assert!(found.share.unwrap() > 0.98, "{found:?}");
    assert!(found.sentence.contains("Each query makes 1.00 temporary tables"), "{}", found.sentence);
    assert!(found.sentence.contains("The server's 2 CPUs cannot show a serial section"), "{}", found.sentence);
}

#[test]
fn a_cost_per_row_is_only_consistent_with_it() {
    let found = finding(&with_tables(2.0, 2.0)).unwrap();
    assert_eq!(found.rung, Rung::ConsistentWith);
    assert!(found.share.unwrap() < 0.2, "{found:?}");
}

#[test]
fn without_its_tables_or_its_loss_there_is_no_finding() {
    assert_eq!(finding(&with_tables(0.0, 0.0)), None, "no loss");
    let mut record = with_tables(20.0, 0.0);
    record.runs.iter_mut().for_each(|r| counter(r, "db.tmp_tables", 0.0));
    assert_eq!(finding(&record), None, "no tables");
    let mut record = with_tables(20.0, 0.0);
    record.runs.iter_mut().for_each(|r| counter(r, "db.tmp_disk_tables", 1e6));
    assert_eq!(finding(&record), None, "tables on disk are another cause");
}

#[test]
fn what_was_not_counted_is_unexplained() {
    let mut record = with_tables(20.0, 0.0);
    for run in &mut record.runs {
        run.phases[0].counters.remove("db.tmp_tables");
    }
    let found = finding(&record).unwrap();
    assert_eq!(found.rung, Rung::Unexplained);
    assert!(found.sentence.contains("were not counted"), "{}", found.sentence);
}

#[test]
fn one_range_size_has_no_slope_and_two_repetitions_no_interval() {
    let mut record = with_tables(20.0, 0.0);
    let long: Vec<_> = record.plan.cells.iter().filter(|c| rows(c) > 10.0).map(|c| c.id.clone()).collect();
    record.runs.retain(|r| !long.contains(&r.cell));
    assert_eq!(finding(&record).unwrap().rung, Rung::ConsistentWith);
    record.runs.retain(|r| r.repetition < 3);
    assert_eq!(finding(&record), None);
}

#[test]
fn the_rung_follows_what_the_other_engine_brings() {
    let confirmed = finding(&with_engines(2.0, 0.0)).unwrap();
    assert_eq!(confirmed.rung, Rung::ConfirmedByIntervention, "{}", confirmed.sentence);
    assert_eq!(confirmed.next_experiment, None, "it has been made");
    let refuted = finding(&with_engines(20.0, 0.0)).unwrap();
    assert_eq!(refuted.rung, Rung::Unexplained, "{}", refuted.sentence);
    assert!(refuted.sentence.contains("it is not this engine"), "{}", refuted.sentence);
    let not_alone = finding(&with_engines(2.0, -10.0)).unwrap();
    assert_eq!(not_alone.rung, Rung::QuantitativelySufficient, "{}", not_alone.sentence);
}

#[test]
fn many_cpus_show_the_ceiling_of_a_serial_section() {
    // The table is one at a time, and everything else has CPUs enough.
    let mut record = with_tables(20.0, 0.0);
    record.instances[0].cpus = (0..16).collect();
    let time = |c: &Cell| if is_distinct(c) { 20.0 } else { 1.0 + 0.1 * rows(c) };
    take(&mut record, time, |c| if is_distinct(c) { 1.0 } else { 0.0 });
    let found = finding(&record).unwrap();
    assert!(found.sentence.contains("µs of each are serial"), "{}", found.sentence);
}

#[test]
fn a_struck_number_explains_nothing() {
    let mut record = with_tables(20.0, 0.0);
    for run in &mut record.runs {
        tally(run).operations.get_mut("point_selects").unwrap().failed.insert(1048, 10_000);
    }
    assert_eq!(finding(&record), None);
}

#[test]
fn the_next_experiment_is_proposed_where_the_server_has_both_engines() {
    let mut record = with_tables(20.0, 0.0);
    assert_eq!(finding(&record).unwrap().next_experiment, None, "MariaDB has no such switch");
    record.instances[0].kind = "mysql".into();
    record.instances[0].version = Version(8, 0, 33);
    record.plan.cells.iter_mut().for_each(|c| c.server.build = "mysql-8.0.33".into());
    let next = finding(&record).unwrap().next_experiment.unwrap();
    insta::assert_snapshot!(next);
}

#[test]
fn every_cause_explains_itself() {
    for cause in judge::findings::ALL {
        let page = judge::explain(cause.id).unwrap();
        assert!(cause.source.contains(&format!("id: \"{}\"", cause.id)), "{} prints another's page", cause.id);
        assert!(["Symptom", "Necessary", "Quantity", "Intervention"].iter().all(|part| page.contains(part)), "{page}");
    }
    insta::assert_snapshot!(judge::explain("temporary_table_per_query").unwrap());
}

#[test]
fn checks_and_findings_have_names_of_their_own() {
    let checks = judge::checks::ALL.iter().map(|c| c.id);
    let all: Vec<_> = checks.chain(judge::findings::ALL.iter().map(|c| c.id)).collect();
    for (at, id) in all.iter().enumerate() {
        let twin = all[..at].iter().find(|other| other.eq_ignore_ascii_case(id));
        assert_eq!(twin, None, "`assay explain` could mean either of two");
    }
}
