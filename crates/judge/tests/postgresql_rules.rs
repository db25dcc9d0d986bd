//! The generic rules on what a PostgreSQL counts and shows, where that is otherwise than in MySQL's family: each speaks
//! on its own evidence, and is silent where that speaks against it.

mod bench;

use bench::levels::*;
use bench::*;
use model::finding::{Finding, Rung};
use model::histogram::Histogram;
use model::plan::RunId;
use model::record::run::RunRecord;
use model::record::series::{Metric, Series, Shape, Unit};
use model::record::tally::{Interval, StatementTally};
use model::record::{Details, Record};
use model::units::{Bytes, Nanos};

/// One cell with eight users on PostgreSQL, spoilt.
fn one(level: Level, variables: &[(&str, &str)], spoil: impl Fn(&mut RunRecord)) -> Record {
    let mut record = experiment(&[("users", &[8.into()])]);
    record.plan.cells[0].server.engine = "heap".into();
    let settings = [("redo", 1_i64 << 30), ("flush_at_commit", 1)];
    record.plan.cells[0].server.settings.extend(settings.map(|(word, value)| (word.to_string(), value.into())));
    for run in &mut record.runs {
        show(run, level);
        spoil(run);
    }
    for (name, value) in variables.iter().chain(&[("temp_buffers", "1024")]) {
        bench::states::say(&mut record, name, Some(value));
    }
    record
}

/// Each session at work as many times a second as waits for a lock.
struct Waiting(f64);

impl Details for Waiting {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        Vec::new()
    }
    fn series(&self, _: &RunId, names: &[&str]) -> Vec<Series> {
        let metric = |name: &&str| Metric { name: (*name).into(), unit: Unit::Count, shape: Shape::Gauge };
        let readings = vec![(Nanos::from_millis(1_200), self.0), (Nanos::from_millis(1_800), self.0)];
        let asked = names.iter().filter(|name| **name == "postgres.waiting_lock");
        asked.map(|name| Series { metric: metric(name), readings: readings.clone() }).collect()
    }
}

fn found_by(record: &Record, details: &dyn Details, name: &str) -> Option<Finding> {
    judge::judge(record, details).findings.into_iter().find(|f| f.name == name)
}

fn found(record: &Record, name: &str) -> Option<Finding> {
    found_by(record, &NoDetails, name)
}

#[test]
fn a_durable_commit_is_one_of_synchronous_commit() {
    let slow = Level { operation: 1_000.0, files: 800.0, ..HEALTHY };
    let of = |promise: &str| {
        one(slow, &[("synchronous_commit", promise)], |run| {
            let done = operation(run).done;
            let mut service = Histogram::new();
            service.record_many(Nanos(800_000), done);
            let commit = StatementTally { calls: done, service, ..StatementTally::default() };
            tally(run).commits = done;
            tally(run).statements.insert("commit".into(), commit);
            per_operation(run, "db.redo_written", 500.0);
            per_operation(run, "db.redo_fsyncs", 0.5);
        })
    };
    let told = found(&of("on"), "durable_commit").expect("it is found");
    assert_eq!(told.rung, Rung::QuantitativelySufficient, "{}", told.sentence);
    assert!(told.next_experiment.is_some_and(|text| text.contains("settings.flush_at_commit = [1, 0]")));
    assert_eq!(found(&of("off"), "durable_commit"), None);
}

#[test]
fn a_checkpoint_that_the_log_asks_for_is_told_and_one_by_the_clock_is_not() {
    let of = |requested: f64| {
        one(HEALTHY, &[], |run| {
            counter(run, "postgres.checkpoints_requested", requested);
            counter(run, "postgres.wal_records", 1_000.0);
            counter(run, "postgres.wal_full_pages", 250.0);
        })
    };
    let told = found(&of(2.0), "checkpoint_stalls").expect("it is found");
    for words in ["a checkpoint began every 0.5 s", "There were 6 of them", "25 % of the log's records"] {
        assert!(told.sentence.contains(words), "{words}: {}", told.sentence);
    }
    let next = told.next_experiment.expect("it is proposed");
    assert!(
        next.contains("settings.redo = [\"1024 MiB\", \"4096 MiB\"]") && next.contains("native.temp_buffers"),
        "{next}"
    );
    assert_eq!(found(&of(0.0), "checkpoint_stalls"), None);
}

#[test]
fn files_of_sorts_are_told_with_their_size_and_more_memory_is_proposed() {
    let of = |files: f64| {
        one(HEALTHY, &[("work_mem", "4096")], |run| {
            per_operation(run, "postgres.temp_files", files);
            per_operation(run, "postgres.temp_bytes", files * 1e6);
        })
    };
    let told = found(&of(1.0), "spill_to_disk").expect("it is found");
    assert!(told.sentence.contains("An operation makes 1 temporary files"), "{}", told.sentence);
    assert!(told.next_experiment.is_some_and(|text| text.contains("work_mem")));
    assert_eq!(found(&of(0.001), "spill_to_disk"), None);
}

#[test]
fn sessions_that_wait_for_rows_are_those_that_were_seen_waiting() {
    let slow = Level { operation: 1_000.0, ..HEALTHY };
    let record = one(slow, &[], |_| {});
    let told = found_by(&record, &Waiting(6.0), "row_locks").expect("it is found");
    assert!(told.sentence.contains("6 waited for a lock on average"), "{}", told.sentence);
    assert!((told.share.expect("it is timed") - 0.75).abs() < 0.05, "{}", told.sentence);
    assert_eq!(found_by(&record, &Waiting(0.2), "row_locks"), None);
}

#[test]
fn buffers_are_counted_in_blocks_and_reads_are_timed_where_that_is_on() {
    let slow = Level { operation: 1_000.0, ..HEALTHY };
    let of = |blocks: &str, millis: f64| {
        let mut record = one(slow, &[("shared_buffers", blocks), ("block_size", "8192")], |run| {
            per_operation(run, "db.page_reads", 1.0);
            per_operation(run, "postgres.read_ms", millis);
        });
        record.datasets[0].tables[0].bytes = Bytes(2 << 30);
        record
    };
    let told = found(&of("131072", 0.9), "reads_from_disk").expect("it is found");
    assert!((told.share.expect("it is timed") - 0.9).abs() < 0.02, "{}", told.sentence);
    assert_eq!(found(&of("131072", 0.0), "reads_from_disk").map(|f| f.share), Some(None));
    assert_eq!(found(&of("524288", 0.9), "reads_from_disk"), None, "4 GiB of buffers hold 2 GiB of data");
}
