//! The generic rules on records made to show them: each speaks on its own evidence, at the place and the rung that this
//! evidence carries, says nothing on the healthy record, and is silent where its necessary evidence speaks against it.
//! `reads_from_disk` and what the frame does to all of them are in `causes.rs`.

mod bench;

use bench::levels::*;
use bench::*;
use model::finding::{Finding, Rung};
use model::histogram::Histogram;
use model::load::{Arrivals, Process};
use model::plan::RunId;
use model::record::Record;
use model::record::explain::{Explain, Wait};
use model::record::run::{Ends, RunRecord};
use model::record::tally::StatementTally;
use model::units::Nanos;

fn variable(record: &mut Record, name: &str, value: &str) {
    bench::states::say(record, name, Some(value));
}

/// One cell with eight users, spoilt.
fn one(level: Level, spoil: impl Fn(&mut RunRecord)) -> Record {
    let mut record = experiment(&[("users", &[8.into()])]);
    for run in &mut record.runs {
        show(run, level);
        spoil(run);
    }
    record
}

fn builds(slow: impl Fn(&mut RunRecord)) -> Record {
    let mut record = experiment(&[("build", &["mariadb-10.11".into(), "distribution".into()])]);
    for run in &mut record.runs {
        show(run, HEALTHY);
        if run.cell.0 == "c002" {
            slow(run);
        }
    }
    record
}

fn findings(record: &Record) -> Vec<Finding> {
    judge(record).findings
}

/// The only finding of a record.
#[track_caller]
fn alone(record: &Record, name: &str) -> Finding {
    let mut found = findings(record);
    assert_eq!(found.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), [name], "{found:#?}");
    found.remove(0)
}

/// The same, on this rung.
#[track_caller]
fn only(record: &Record, name: &str, rung: Rung) -> Finding {
    let found = alone(record, name);
    assert_eq!(found.rung, rung, "{}", found.sentence);
    found
}

#[track_caller]
fn none(record: &Record, name: &str) {
    assert!(findings(record).iter().all(|f| f.name != name), "{name} has nothing to say here");
}

#[test]
fn a_healthy_server_has_no_finding_at_any_number_of_users() {
    assert_eq!(findings(&one(HEALTHY, |_| {})), []);
    assert_eq!(findings(&curve(HEALTHY)), []);
    assert_eq!(findings(&builds(|_| {})), []);
}

fn committing(run: &mut RunRecord) {
    let done = operation(run).done;
    let mut service = Histogram::new();
    service.record_many(Nanos(800_000), done);
    let commit = StatementTally { calls: done, service, ..StatementTally::default() };
    let tally = tally(run);
    tally.commits = done;
    tally.statements.insert("commit".into(), commit);
    per_operation(run, "db.redo_written", 500.0);
    per_operation(run, "db.redo_fsyncs", 0.5);
}

#[test]
fn a_durable_commit_is_told_by_the_time_of_commit_and_not_where_it_is_not_durable() {
    let slow = Level { operation: 1_000.0, files: 800.0, ..HEALTHY };
    let mut record = one(slow, committing);
    variable(&mut record, "innodb_flush_log_at_trx_commit", "1");
    let found = only(&record, "durable_commit", Rung::QuantitativelySufficient);
    assert!((found.share.unwrap() - 0.8).abs() < 0.02, "{}", found.sentence);
    variable(&mut record, "innodb_flush_log_at_trx_commit", "2");
    none(&record, "durable_commit");
    bench::states::say(&mut record, "innodb_flush_log_at_trx_commit", None);
    assert_eq!(findings(&record)[0].rung, Rung::Unexplained, "what was not read explains nothing");
}

fn level(run: &mut RunRecord, gauge: &str, value: f64) {
    let ends = Ends { begin: value, end: value, ..ends(0.0) };
    run.phases[0].counters.insert(gauge.into(), ends);
}

#[test]
fn a_log_that_is_nearly_full_is_told_and_one_with_room_is_not() {
    let of = |age: f64| {
        one(HEALTHY, move |run| {
            per_operation(run, "db.redo_written", 500.0);
            level(run, "db.checkpoint_age", age);
            level(run, "status.Innodb_checkpoint_max_age", 1e8);
        })
    };
    only(&of(0.76e8), "checkpoint_stalls", Rung::ConsistentWith);
    none(&of(0.74e8), "checkpoint_stalls");
}

#[test]
fn waits_for_free_pages_are_told_from_one_in_a_thousand_operations_on() {
    let of = |each: f64| one(HEALTHY, move |run| per_operation(run, "status.Innodb_buffer_pool_wait_free", each));
    only(&of(0.002), "free_pages", Rung::ConsistentWith);
    none(&of(0.0005), "free_pages");
}

/// The record with an explain run of each cell, in which these events took so much of the last one's latency.
fn explained(mut record: Record, event: &str, share: f64) -> Record {
    let cells = record.plan.cells.len();
    for (at, cell) in record.plan.cells.iter().enumerate() {
        let run = record.runs.iter().rfind(|r| r.cell == cell.id).unwrap().clone();
        let tally = &run.phases[0].groups["users"].tally;
        let spent: f64 = tally.operations.values().map(|o| o.latency.sum().0 as f64).sum();
        let share = if at + 1 == cells { share } else { 0.0 };
        let waits = vec![Wait { event: event.into(), count: 1_000, time: Nanos((spent * share) as u64) }];
        let explain = Some(Explain { waits, ..Explain::default() });
        record.runs.push(RunRecord { id: RunId(format!("{}-explain", cell.id)), explain, ..run });
    }
    record
}

#[test]
fn the_latch_of_the_adaptive_hash_index_is_told_by_an_explain_run_alone_and_never_more_than_consistent() {
    let latch = "wait/synch/sxlock/innodb/btr_search_latch";
    let mut record = explained(one(HEALTHY, |_| {}), latch, 0.3);
    variable(&mut record, "innodb_adaptive_hash_index", "ON");
    let found = only(&record, "adaptive_hash_index", Rung::ConsistentWith);
    assert!((found.share.unwrap() - 0.3).abs() < 0.01, "{}", found.sentence);
    variable(&mut record, "innodb_adaptive_hash_index", "OFF");
    none(&record, "adaptive_hash_index");
    none(&explained(one(HEALTHY, |_| {}), latch, 0.04), "adaptive_hash_index");
}

#[test]
fn waits_for_rows_are_told_by_their_time_and_not_without_a_wait() {
    let slow = Level { operation: 1_000.0, ..HEALTHY };
    let of = |waits: f64| {
        one(slow, move |run| {
            per_operation(run, "db.row_lock_time_ms", 0.85);
            per_operation(run, "db.row_lock_waits", waits);
        })
    };
    let found = only(&of(0.5), "row_locks", Rung::QuantitativelySufficient);
    assert!((found.share.unwrap() - 0.85).abs() < 0.02, "{}", found.sentence);
    none(&of(0.0), "row_locks");
}

#[test]
fn tables_opened_again_and_again_are_told_and_unexplained_where_sessions_are_opened_anew() {
    let of = |each: f64| one(HEALTHY, move |run| per_operation(run, "db.tables_opened", each));
    only(&of(0.02), "table_cache", Rung::ConsistentWith);
    none(&of(0.005), "table_cache");
    let mut anew = of(0.02);
    anew.plan.cells[0].load.reconnect_every = Some(10);
    only(&anew, "table_cache", Rung::Unexplained);
}

#[test]
fn another_plan_is_told_with_its_rows_where_the_rate_fell_and_not_where_it_looks_at_as_many() {
    let of = |rows: i64| {
        builds(move |run| {
            show(run, Level { operation: 200.0, cpu: 160.0, ..HEALTHY });
            let plan = &mut run.session.plans[0];
            plan.explain = EXPLAIN.replace("const", "ALL").replace("\"key\": \"PRIMARY\"", "\"key\": null");
            plan.handlers = [("Handler_read_rnd_next".to_string(), rows)].into();
        })
    };
    // The estimates and the names stand on lines of their own in a server's answer.
    let lines = |mut record: Record| {
        for plan in record.runs.iter_mut().flat_map(|run| &mut run.session.plans) {
            plan.explain = plan.explain.replace(", ", ",\n").replace('{', "{\n");
        }
        record
    };
    let found = only(&lines(of(500)), "plan_change", Rung::ConsistentWith);
    assert!(found.sentence.contains("500 times the rows"), "{}", found.sentence);
    none(&lines(of(1)), "plan_change");
}

#[test]
fn what_spills_to_disk_is_told_by_the_time_in_temporary_files() {
    let slow = Level { operation: 1_000.0, files: 880.0, ..HEALTHY };
    let of = |each: f64| {
        one(slow, move |run| {
            per_operation(run, "db.tmp_disk_tables", each);
            per_operation(run, "foreground.temporary_time", 880e3);
        })
    };
    let found = only(&of(1.0), "spill_to_disk", Rung::QuantitativelySufficient);
    assert!(found.share.unwrap() > 0.8, "{}", found.sentence);
    none(&of(0.005), "spill_to_disk");
}

#[test]
fn the_binary_log_is_told_where_it_is_on() {
    let slow = Level { operation: 1_000.0, files: 880.0, ..HEALTHY };
    let mut record = one(slow, |run| per_operation(run, "foreground.binlog_time", 850e3));
    variable(&mut record, "log_bin", "ON");
    only(&record, "binlog_commit", Rung::QuantitativelySufficient);
    variable(&mut record, "log_bin", "OFF");
    none(&record, "binlog_commit");
}

#[test]
fn sessions_opened_for_every_operation_are_told_by_their_share_of_the_users_time() {
    let of = |share: f64| {
        let mut record = one(Level { operation: HEALTHY.operation / (1.0 - share), ..HEALTHY }, move |run| {
            let (connects, turn) = (operation(run).done, HEALTHY.operation * 1e3 / (1.0 - share));
            let (mut openings, mut operations) = (Histogram::new(), Histogram::new());
            openings.record_many(Nanos((share * turn) as u64), connects);
            operations.record_many(Nanos(((1.0 - share) * turn) as u64), connects);
            operation(run).latency = operations;
            let tally = tally(run);
            (tally.connects, tally.connect_time) = (connects, Some(openings));
        });
        // Of users who wait for their answers the law of Little says it first, and strikes the number.
        let rate = model::rate::Rate::parse("16000").unwrap();
        record.plan.cells[0].load.arrivals = Some(Arrivals { rate, process: Process::Constant });
        record
    };
    let found = only(&of(0.8), "connection_churn", Rung::QuantitativelySufficient);
    assert!(found.sentence.contains("1 openings per operation"), "{}", found.sentence);
    none(&of(0.04), "connection_churn");
}

#[test]
fn writers_that_wait_for_compaction_are_told_by_what_the_engine_timed() {
    let slow = Level { operation: 1_000.0, ..HEALTHY };
    let of = |us: f64| one(slow, move |run| per_operation(run, "status.Rocksdb_stall_micros", us));
    let found = findings(&of(850.0)).into_iter().find(|f| f.name == "compaction_stalls").unwrap();
    // Nothing else times it, so the account leaves it over, and what leaves so much over is not sufficient.
    assert_eq!(found.rung, Rung::ConsistentWith, "{}", found.sentence);
    assert!((found.share.unwrap() - 0.85).abs() < 0.02);
    none(&of(10.0), "compaction_stalls");
}

#[test]
fn a_ratio_is_taken_apart_into_rows_and_what_each_costs() {
    let of = |rows: f64, cpu: f64| {
        let mut record = builds(|run| show(run, Level { operation: 2.0 * HEALTHY.operation, cpu, ..HEALTHY }));
        for run in &mut record.runs {
            let each = if run.cell.0 == "c002" { rows } else { 10.0 };
            per_operation(run, "db.handler_reads", each);
        }
        record
    };
    let found = only(&of(20.0, 120.0), "more_rows", Rung::QuantitativelySufficient);
    assert!(found.sentence.contains("× 2 rows at × 1 CPU per row"), "{}", found.sentence);
    // As many rows at twice the price: another cause.
    none(&of(10.0, 120.0), "more_rows");
}

/// The top of a curve on two CPUs: so much CPU for each operation, so much of the two in use.
fn top(cpu: f64, busy: f64) -> Level {
    let operation = 8.0 * cpu / (2.0 * busy);
    Level { operation, cpu, queue: (operation - 35.0 - cpu).max(0.0), ..HEALTHY }
}

#[test]
fn full_cpus_and_unchanged_operations_are_a_limit_and_no_defect() {
    only(&curve(top(60.0, 0.97)), "cpu_capacity", Rung::QuantitativelySufficient);
    none(&curve(Level { queue: 0.0, ..top(60.0, 0.7) }), "cpu_capacity");
}

#[test]
fn more_cpu_per_operation_without_sleeping_or_the_kernel_is_spinning() {
    let spins = Level { operation: 8.0 * 240.0 / 2.0 / 0.97, cpu: 240.0, ..HEALTHY };
    alone(&curve(spins), "spinning");
    none(&curve(Level { switches: 3.0, ..spins }), "spinning");
    none(&curve(Level { system: 0.5, ..spins }), "spinning");
}

#[test]
fn more_cpu_more_switches_and_the_kernel_are_a_convoy() {
    let convoy = Level { operation: 8.0 * 240.0 / 2.0 / 0.97, cpu: 240.0, system: 0.5, switches: 4.0, ..HEALTHY };
    alone(&curve(convoy), "mutex_convoy");
    none(&curve(Level { system: 0.2, ..convoy }), "mutex_convoy");
}

#[test]
fn sleeping_beside_idle_cpus_is_a_blocking_lock_and_not_where_they_wait_for_files() {
    let asleep = Level { operation: 400.0, switches: 3.0, ..HEALTHY };
    let lock = "wait/synch/mutex/innodb/log_sys_mutex";
    let found = only(&explained(curve(asleep), lock, 0.7), "blocking_lock", Rung::QuantitativelySufficient);
    assert!(found.sentence.contains(lock), "{}", found.sentence);
    only(&curve(asleep), "blocking_lock", Rung::ConsistentWith);
    none(&curve(Level { files: 320.0, ..asleep }), "blocking_lock");
}

#[test]
fn page_faults_with_every_operation_are_the_allocators() {
    let faults = Level { operation: 8.0 * 240.0 / 2.0 / 0.97, cpu: 240.0, system: 0.5, faults: 3.0, ..HEALTHY };
    let mut record = curve(faults);
    for run in record.runs.iter_mut().filter(|r| r.cell.0 == "c001") {
        per_operation(run, "server.faults.minor", 1.0);
    }
    alone(&record, "allocator");
    for run in &mut record.runs {
        per_operation(run, "server.faults.minor", 3.0);
    }
    none(&record, "allocator");
}

#[test]
fn a_flat_rate_behind_a_limit_is_admission_control() {
    let mut record = curve(Level { operation: 800.0, ..HEALTHY });
    for run in record.runs.iter_mut().filter(|r| r.cell.0 == "c002") {
        // Waiting outside is outside the server's statements.
        per_operation(run, "foreground.statement_time", 65e3);
        level(run, "status.Threads_running", 2.0);
    }
    variable(&mut record, "innodb_thread_concurrency", "2");
    only(&record, "admission_control", Rung::QuantitativelySufficient);
    // Those who wait for the limit are counted as running.
    for run in record.runs.iter_mut().filter(|r| r.cell.0 == "c002") {
        level(run, "status.Threads_running", 8.0);
        // … and wait within their statements.
        per_operation(run, "foreground.statement_time", 790e3);
    }
    let found = only(&record, "admission_control", Rung::QuantitativelySufficient);
    assert!(found.sentence.contains("8 threads are in a statement and 2 may work"), "{}", found.sentence);
    variable(&mut record, "innodb_thread_concurrency", "0");
    none(&record, "admission_control");
}

#[test]
fn every_generic_rule_is_spoken_of_here() {
    // Causes with a test file of their own.
    let elsewhere = [
        "cpu_moved",
        "daemon_waits",
        "history_in_the_path",
        "implicit_time_condition",
        "non_hot_updates",
        "open_snapshot_keeps_old_versions",
        "page_splits",
        "read_view_per_get",
        "reads_from_disk",
        "temporary_table_per_query",
        "transaction_per_get",
    ];
    let here = include_str!("rules.rs");
    for cause in judge::findings::ALL {
        let told = here.contains(&format!("\"{}\"", cause.id)) || elsewhere.contains(&cause.id);
        assert!(told, "{} has no test", cause.id);
    }
}
