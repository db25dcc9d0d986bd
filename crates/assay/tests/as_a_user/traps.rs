//! What misled the authors of the studies, laid for assay on a real server: a client that was the bottleneck, a
//! snapshot left open in one of three phases, a primary key that the server made its own, an iteration whose data have
//! outgrown the cache. Each ends in a verdict that names the trap in one sentence. The other two, a missing zero and
//! orders that are refused, are in `missing_zero.rs` and `tpcc.rs`. Phases are counted and hogs hold their CPU, so that
//! nothing here hangs on the machine's speed.

use crate::desk::{Desk, Said, until};
use crate::interruptions::await_event;
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use rustix::thread::{CpuSet, sched_setaffinity};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

fn report(desk: &Desk) -> Value {
    serde_json::from_str(&desk.read("record/report.json")).unwrap()
}

/// The verdict of a check that must have failed, and its sentence.
#[track_caller]
fn failed(verdicts: &Value, check: &str) -> String {
    let verdicts = verdicts.as_array().expect("verdicts");
    let verdict = verdicts.iter().find(|v| v["check"] == check).unwrap_or_else(|| panic!("no {check}"));
    assert_eq!(verdict["verdict"], "fail", "{verdict:#}");
    verdict["sentence"].as_str().expect("a sentence").to_string()
}

const SHARED_CPU: &str = r#"question = "How fast is this server?"

[server]
cpus      = "0"
load_cpus = "1"

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.oltp.point_selects]
rows = 1_000

[load]
users   = 16
warm_up = "100ms"
measure = "1s"

[repeat]
repetitions = 1
aa          = false
"#;

/// Threads that spend one CPU until the test lets go of them: a sixteenth of it is less than any client needs.
const HOGS: usize = 16;

#[test]
fn a_rate_that_the_client_held_back_is_not_sold_as_the_servers() {
    let desk = Desk::new();
    desk.write("q.toml", SHARED_CPU);
    // The canary before it is to be that of a client in peace.
    let mut lab = desk.start(&["run", "q.toml", "--out", "record"]);
    await_event(&desk, &mut lab, "instance_starting", 0);
    let enough = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..HOGS {
            scope.spawn(|| {
                let mut of_the_client = CpuSet::new();
                of_the_client.set(1);
                sched_setaffinity(None, &of_the_client).expect("the machine has a second CPU");
                while !enough.load(Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        until("the end of the lab", || lab.try_wait().unwrap());
        enough.store(true, Relaxed);
    });
    let said = Said::of(lab.wait_with_output().unwrap());
    assert_eq!(said.status, 1, "{said:#?}");
    let report = report(&desk);
    let cell = &report["cells"][0];
    let sentence = failed(&cell["verdicts"], "client_had_headroom");
    assert!(sentence.starts_with("The client was the limit: ") && sentence.contains("waiting for a CPU"), "{sentence}");
    assert_eq!(cell["bound"]["label"], "client-bound", "{cell:#}");
}

/// The placebo in the second phase only says when that begins.
const THREE_PHASES: &str = r#"question = "Are updates as fast in each of three phases?"

[server.settings]
buffer_pool     = "64 MiB"
redo            = "64 MiB"
flush_at_commit = 0

[workload.oltp.update_index]
rows = 2_000

[load]
users = 2

[[phases]]
name  = "first"
kind  = "measure"
count = 500
[[phases]]
name    = "second"
measure = "2s"
disturb = "idle_connection"
[[phases]]
name  = "third"
kind  = "measure"
count = 500

[repeat]
repetitions = 1
aa          = false
"#;

#[test]
fn a_snapshot_left_open_is_told_with_the_phase_that_pays_for_it() {
    let desk = Desk::new();
    desk.write("q.toml", THREE_PHASES);
    let mut lab = desk.start(&["run", "q.toml", "--out", "record"]);
    let socket = until("the private server", || {
        let folders = fs::read_dir(desk.path("")).unwrap().flatten().map(|e| e.path());
        let sockets = folders.map(|folder| folder.join("s")).filter(|socket| socket.exists());
        sockets.last().filter(|_| desk.count("run_started") > 0)
    });
    let mut somebody = Control::connect(&SqlEndpoint::root(socket)).unwrap();
    await_event(&desk, &mut lab, "disturbance_began", 0);
    somebody.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT").unwrap();
    await_event(&desk, &mut lab, "run_done", 0);
    drop(somebody);
    until("the end of the lab", || lab.try_wait().unwrap());
    let said = Said::of(lab.wait_with_output().unwrap());
    assert_eq!(said.status, 1, "{said:#?}");
    let sentence = failed(&report(&desk)["cells"][0]["verdicts"], "purge_kept_up");
    assert!(sentence.starts_with("Phase `second`: The history list grew by "), "{sentence}");
    assert!(sentence.contains("this rate is borrowed"), "{sentence}");
}

/// Ends the server that the test started, however it goes.
struct Ends<'a>(&'a Desk);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.assay(&["servers", "stop", "distribution"]);
    }
}

#[test]
fn a_primary_key_that_the_server_made_its_own_is_named() {
    let desk = Desk::new();
    let said = desk.assay(&["servers", "start", "distribution", "--detach", "--set", "settings.redo='16 MiB'"]);
    let line = said.out.lines().find_map(|l| l.split_once(" serves at ")).unwrap_or_else(|| panic!("{said:?}"));
    let socket = PathBuf::from(line.1.trim());
    let _ends = Ends(&desk);
    let mut control = Control::connect(&SqlEndpoint::root(socket.clone())).unwrap();
    for sql in [
        "CREATE DATABASE history",
        "USE history",
        // The key is asked for as everywhere; with the end of a version among the columns the server adds it.
        "CREATE TABLE sbtest1 (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER DEFAULT '0' NOT NULL,
            c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL,
            row_start TIMESTAMP(6) GENERATED ALWAYS AS ROW START, row_end TIMESTAMP(6) GENERATED ALWAYS AS ROW END,
            PERIOD FOR SYSTEM_TIME (row_start, row_end), PRIMARY KEY (id), KEY k_1 (k))
            ENGINE=InnoDB DEFAULT CHARSET=latin1 WITH SYSTEM VERSIONING",
        "INSERT INTO sbtest1 (id, k, c, pad) SELECT seq, seq, REPEAT('c', 119), REPEAT('p', 59) FROM seq_1_to_1000",
    ] {
        control.execute(sql).unwrap();
    }
    let dsn = format!("mysql://root@localhost/history?socket={}", socket.display());
    let mut bench = vec!["bench", "oltp.point_selects", "--users", "1", "--for", "300ms", "--on", &dsn];
    bench.extend(["--set", "workload.oltp.rows=1000", "--set", "workload.oltp.tables=1", "--out", "record"]);
    let said = desk.assay(&bench);
    assert_eq!(said.status, 1, "{said:#?}");
    let sentence = failed(&report(&desk)["cells"][0]["verdicts"], "schema_as_declared");
    assert!(sentence.contains("in sbtest1, the primary key is (id, row_end) instead of (id)"), "{sentence}");
    control.quit();
}

/// Random points go over all rows of their values, the new ones, too, and each iteration begins to read warm where that
/// is possible: in 8 MiB 16,000 rows have been seen to be cached and 20,000 not, and the first iteration has 11,000,
/// the last 25,000. A few pages that the server reads for itself are no regime.
const ITERATIONS: &str = r#"question = "Does it slow down as it grows?"

[server.settings]
buffer_pool     = "8 MiB"
redo            = "64 MiB"
flush_at_commit = 0

[workload.oltp]
rows = 4_000

[[phases]]
name     = "grow"
kind     = "warm_up"
workload = "oltp.insert"
users    = 4
count    = 7_000
[[phases]]
name     = "warm"
kind     = "warm_up"
workload = "oltp.random_points"
users    = 1
count    = 600
[[phases]]
name     = "read"
kind     = "measure"
workload = "oltp.random_points"
users    = 1
count    = 200

[repeat]
repetitions = 1
iterations  = 3
aa          = false

[limits]
pool_reads = 0.5
"#;

#[test]
fn an_iteration_that_has_outgrown_the_cache_is_no_point_of_the_line() {
    let desk = Desk::new();
    desk.write("q.toml", ITERATIONS);
    let said = desk.assay(&["run", "q.toml", "--out", "record"]);
    assert_eq!(said.status, 1, "{said:#?}");
    let sentence = failed(&report(&desk)["verdicts"], "regimes_agree");
    assert!(sentence.starts_with("Phase `read` of run c001-1: iteration "), "{sentence}");
    assert!(sentence.contains(" is cached (") && sentence.ends_with("no trend holds over both."), "{sentence}");
}
