//! What users of InnoDB's memcached plugin wait for, on records made to show it: a transaction or a read view for each
//! get, or the daemon's own threads; each silent where its evidence speaks against it, and unexplained, with the
//! reason, where it was not asked.

mod bench;

use bench::levels::*;
use bench::*;
use model::finding::{Finding, Rung};
use model::host::Version;
use model::plan::RunId;
use model::protocol::Protocol;
use model::record::Record;
use model::record::explain::{Explain, Wait};
use model::record::run::RunRecord;
use model::units::Nanos;

fn of(record: &Record, name: &str) -> Finding {
    let found = judge(record).findings.into_iter().find(|f| f.name == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

#[track_caller]
fn none(record: &Record, name: &str) {
    assert!(judge(record).findings.iter().all(|f| f.name != name), "{name} has nothing to say here");
}

#[test]
fn a_get_that_is_a_transaction_is_told_by_its_kind_with_what_fewer_of_them_save() {
    let kinds = ["innodb.trx_rw_commits", "innodb.trx_ro_commits", "innodb.trx_nl_ro_commits"];
    let with = |kind: usize, faster: f64| {
        let mut record = experiment(&[("settings.read_batch", &[1.into(), 128.into()])]);
        for cell in &mut record.plan.cells {
            cell.protocols = [Protocol::Memcached].into();
            let batch = cell.axes["settings.read_batch"].clone();
            cell.server.settings.insert("read_batch".into(), batch);
        }
        for (cell, level, each) in
            [("c001", HEALTHY, 1.0), ("c002", Level { operation: HEALTHY.operation * faster, ..HEALTHY }, 1.0 / 128.0)]
        {
            of_cell(&mut record, cell).for_each(|run| {
                show(run, level);
                for (n, name) in kinds.into_iter().enumerate() {
                    per_operation(run, name, if n == kind { each } else { 0.0 });
                }
            });
        }
        record
    };
    let old = of(&with(0, 0.8), "transaction_per_get");
    assert!(old.sentence.contains("that could write") && (old.share.unwrap() - 0.2).abs() < 0.02, "{}", old.sentence);
    let new = of(&with(2, 1.0), "transaction_per_get");
    assert!(new.sentence.contains("that only reads"), "{}", new.sentence);
    assert_eq!([old.rung, new.rung], [Rung::ConsistentWith; 2]);
    let mut by_sql = curve(HEALTHY);
    by_sql.runs.iter_mut().for_each(|run| per_operation(run, kinds[0], 1.0));
    none(&by_sql, "transaction_per_get");
}

/// Users of the plugin, one and eight, and passes of two mutexes of InnoDB per operation in the explain run of eight,
/// with the share of its time that is waited there.
fn plugin(top: Level, passes: f64, waiting: f64) -> Record {
    let mut record = curve(top);
    for cell in &mut record.plan.cells {
        cell.protocols = [Protocol::Memcached].into();
        cell.server.settings.insert("read_batch".into(), 1.into());
        cell.server.settings.insert("door_threads".into(), 4.into());
    }
    for run in &mut record.runs {
        counter(run, "memcached.threads", -996.0);
        per_operation(run, "server.runqueue.wait", 0.0);
    }
    for cell in ["c001", "c002"] {
        let mut run = of_cell(&mut record, cell).next().unwrap().clone();
        run.id = RunId(format!("{cell}-explain"));
        let done = operation(&mut run).done as f64;
        let wait = |name: &str, passes: f64, share: f64| Wait {
            event: format!("wait/synch/mutex/innodb/{name}"),
            count: (passes * done) as u64,
            time: Nanos((share * 8e9) as u64),
        };
        let top = if cell == "c002" { waiting } else { 0.0 };
        let waits = vec![wait("trx_sys_mutex", passes, top), wait("trx_mutex", 1.0, 0.0)];
        run.explain = Some(Explain { waits, ..Explain::default() });
        record.runs.push(run);
    }
    record
}

const QUEUE: Level = Level { operation: 400.0, cpu: 60.0, switches: 3.0, ..HEALTHY };

#[test]
fn a_read_view_is_told_by_the_passes_of_its_mutex_and_what_is_waited_there() {
    let waits = of(&plugin(QUEUE, 5.0, 0.7), "read_view_per_get");
    assert!(waits.sentence.contains("passes `trx_sys_mutex` 5 times"), "{}", waits.sentence);
    assert!((waits.share.unwrap() - 0.93).abs() < 0.02 && waits.rung >= Rung::ConsistentWith, "{waits:#?}");
    none(&plugin(QUEUE, 5.0, 0.7), "daemon_waits");
    assert_eq!(of(&plugin(QUEUE, 5.0, 0.01), "read_view_per_get").rung, Rung::ConsistentWith);
    none(&plugin(QUEUE, 0.001, 0.0), "read_view_per_get");
}

#[test]
fn what_the_daemon_waits_for_is_what_no_lock_of_the_engine_covers() {
    let waits = of(&plugin(QUEUE, 0.001, 0.0), "daemon_waits");
    // What is left over is a share, and nothing that was timed.
    assert_eq!(waits.rung, Rung::ConsistentWith, "{}", waits.sentence);
    assert!(
        waits.share.unwrap() > 0.9 && waits.sentence.contains("Each of the daemon's 4 threads"),
        "{}",
        waits.sentence
    );
    // CPUs that are full, and no more switches than before: there is no more to be had.
    none(&plugin(Level { operation: 240.0, cpu: 115.0, ..HEALTHY }, 0.001, 0.0), "daemon_waits");
    // CPUs that are idle, and fewer switches: users stand in line for a thread that works.
    none(&plugin(Level { switches: 0.5, ..QUEUE }, 0.001, 0.0), "daemon_waits");
    // The same by SQL is no daemon's.
    none(&curve(QUEUE), "daemon_waits");
}

#[test]
fn without_an_explain_run_that_saw_the_daemon_both_are_unexplained_and_say_why() {
    let told = |record: &Record, why: &str| {
        for name in ["read_view_per_get", "daemon_waits"] {
            let finding = of(record, name);
            assert_eq!(finding.rung, Rung::Unexplained);
            assert!(finding.sentence.contains(why), "{}", finding.sentence);
        }
    };
    let mut unasked = plugin(QUEUE, 5.0, 0.5);
    unasked.runs.retain(|run| run.explain.is_none());
    told(&unasked, "was not asked");
    let mut unseen = plugin(QUEUE, 5.0, 0.5);
    let explained =
        |run: &mut RunRecord| run.explain.iter_mut().for_each(|e| e.waits.iter_mut().for_each(|w| w.count = 1));
    unseen.runs.iter_mut().for_each(explained);
    told(&unseen, "saw none of the daemon's threads");
    let mut old = plugin(QUEUE, 5.0, 0.5);
    let server = &mut old.instances[0];
    (server.version, server.version_text) = (Version(5, 6, 14), "5.6.14".into());
    old.plan.cells.iter_mut().for_each(|cell| cell.server.build = "mysql-5.6".into());
    told(&old, "without the instruments");
}
