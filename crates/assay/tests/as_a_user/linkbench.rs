//! LinkBench against a real server that makes it hard: users who meet on a handful of nodes, and somebody who locks all
//! links for longer than the server lets anybody wait. Operations are tried again, and no counter may drift from its
//! list.

use crate::desk::{Desk, until};
use crate::skipped;
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use lab::servers::catalogue;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// Few enough nodes that users meet all the time.
const CROWDED: &str = r#"question = "Do counters drift when operations are tried again?"

[axes]
statements = ["2015", "2020"]

[server]
native = { innodb_lock_wait_timeout = 1 }

[server.settings]
buffer_pool = "64 MiB"
redo        = "32 MiB"

[workload.linkbench]
maxid1     = 31
most_links = 20
partitions = 0

[load]
users   = 16
warm_up = "100ms"
measure = "5s"

[repeat]
repetitions = 1
aa          = false
"#;

/// The same on the engine of which an optimiser knows too little (docs/linkbench.md).
const ON_ROCKSDB: &str = r#"question = "Do counters drift when operations are tried again on RocksDB?"

[server]
engine = "rocksdb"
native = { rocksdb_lock_wait_timeout = 1 }

[workload.linkbench]
maxid1       = 31
most_links   = 20
partitions   = 0
hint_primary = true

[load]
users   = 16
warm_up = "100ms"
measure = "5s"

[repeat]
repetitions = 1
aa          = false
"#;

/// So many of the users wait that some hold a link, whatever the others wait for.
const MANY: u64 = 8;

/// The socket of the private server that is up.
fn socket(desk: &Desk) -> PathBuf {
    let folders = fs::read_dir(desk.path(".")).expect("the desk is there").flatten().map(|e| e.path());
    let of_servers = folders.filter(|f| f.file_name().is_some_and(|n| n.to_string_lossy().starts_with("assay-")));
    of_servers.map(|f| f.join("s")).find(|s| s.exists()).expect("a server is up while a run goes on")
}

/// Takes counters and then links, where users take a link and then its counter, so that somebody must give way; and
/// keeps all of them for longer than the server lets anybody wait.
fn lock_everything(desk: &Desk) {
    let mut control = Control::connect(&SqlEndpoint::root(socket(desk))).expect("root comes in by the socket");
    let schema = control.value("SHOW DATABASES LIKE 'assay\\_linkbench%'").unwrap().expect("its data are there");
    let waiting = "SELECT variable_value FROM information_schema.global_status WHERE variable_name = \
                   'Innodb_row_lock_current_waits'";
    let mut say = |sql: &str| control.value(sql).map(|v| v.and_then(|v| v.parse::<u64>().ok()));
    // The run may end meanwhile, and its server with it.
    let mut all = || {
        say("BEGIN")?;
        say(&format!("UPDATE {schema}.counttable SET time = time + 1"))?;
        until("users who hold a link and wait for its counter", || match say(waiting) {
            Ok(Some(few)) if few < MANY => None,
            over => Some(over),
        })?;
        say(&format!("SELECT COUNT(*) FROM {schema}.linktable FORCE INDEX(PRIMARY) FOR UPDATE"))?;
        say("DO SLEEP(1.5)")?;
        say("ROLLBACK")
    };
    if all().is_err() {
        return;
    }
    control.quit();
}

/// On RocksDB, where the engine gives way by itself when snapshots conflict: keeps all counters for longer than it lets
/// anybody wait. What somebody else holds at that moment is asked for again.
fn lock_counters(desk: &Desk) {
    let mut control = Control::connect(&SqlEndpoint::root(socket(desk))).expect("root comes in by the socket");
    let schema = control.value("SHOW DATABASES LIKE 'assay\\_linkbench%'").unwrap().expect("its data are there");
    until("all counters, or the end of the run", || {
        control.value("BEGIN").ok()?;
        let held = control.value(&format!("UPDATE {schema}.counttable SET time = time + 1"));
        held.is_ok()
            .then(|| control.value("DO SLEEP(1.5)"))
            .or_else(|| desk.count("run_done").gt(&0).then_some(Ok(None)))
    })
    .expect("it sleeps");
    let _ = control.value("ROLLBACK");
    control.quit();
}

fn retried(run: &Value, number: &str) -> u64 {
    let phases = run["phases"].as_array().expect("phases");
    let operations = phases.iter().filter_map(|p| p["groups"]["users"]["tally"]["operations"].as_object());
    operations.flat_map(|o| o.values()).filter_map(|o| o["retried"][number].as_u64()).sum()
}

/// Somebody gave way to a deadlock, somebody waited in vain, and every count is what the users counted.
fn no_count_drifted(desk: &Desk, id: &str) {
    let run = desk.run(id);
    assert_eq!(run["ending"], "done", "{}", run["ending"]);
    assert!(retried(&run, "1213") > 0, "nobody met a deadlock in {id}");
    assert!(retried(&run, "1205") > 0, "nobody waited in vain in {id}");
    let audit = &run["audits"][0];
    let answer = |name: &str| {
        let answers = audit["answers"].as_array().expect("answers");
        let of = answers.iter().find(|a| a["name"] == name).unwrap_or_else(|| panic!("{name} was not asked"));
        assert_eq!(of["unanswered"], Value::Null, "{of}");
        (of["before"].as_i64().expect("a number"), of["after"].as_i64().expect("a number"))
    };
    assert_eq!(answer("drifted_counters"), (0, 0));
    assert_eq!(answer("visible_links"), answer("counted_links"));
    let fact = |name: &str| audit["facts"][name].as_i64().unwrap_or(0);
    let (before, after) = answer("links");
    assert!(fact("links_inserted") > 0 && fact("links_hidden") > 0 && fact("links_shown_again") > 0, "{audit}");
    assert_eq!(after - before, fact("links_inserted"));
    let (before, after) = answer("nodes");
    assert_eq!(after - before, fact("nodes_added") - fact("nodes_deleted"));
}

/// What the judge says of that.
fn obeyed(desk: &Desk, cells: usize) {
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).expect("JSON");
    let checks =
        report["cells"].as_array().expect("cells").iter().flat_map(|c| c["verdicts"].as_array().expect("verdicts"));
    let laws: Vec<_> = checks.filter(|v| v["check"] == "data_obeyed_its_laws").collect();
    assert!(laws.len() == cells && laws.iter().all(|v| v["verdict"] == "pass"), "{laws:?}");
}

#[test]
fn no_counter_drifts_when_operations_are_tried_again_after_deadlocks_and_lock_waits() {
    let desk = Desk::new();
    desk.write("crowded.toml", CROWDED);
    let mut assay = desk.start(&["run", "crowded.toml", "--out", "record"]);
    for begun in 1..=2 {
        until("the run", || (desk.count("run_started") == begun).then_some(()));
        lock_everything(&desk);
    }
    until("the end", || assay.try_wait().expect("it is ours").map(|_| ()));
    ["c001-1", "c002-1"].iter().for_each(|id| no_count_drifted(&desk, id));
    obeyed(&desk, 2);
}

#[test]
fn no_counter_drifts_on_rocksdb_either() {
    let desk = Desk::new();
    let build = catalogue::find(catalogue::DISTRIBUTION).expect("the tests have a server");
    if !build.installed.engines.iter().any(|engine| engine == "rocksdb") {
        return skipped::test("RocksDB in the distribution's server", "scripts/install test");
    }
    desk.write("crowded.toml", ON_ROCKSDB);
    let mut assay = desk.start(&["run", "crowded.toml", "--out", "record"]);
    until("the run", || (desk.count("run_started") == 1).then_some(()));
    lock_counters(&desk);
    until("the end", || assay.try_wait().expect("it is ours").map(|_| ()));
    no_count_drifted(&desk, "c001-1");
    obeyed(&desk, 1);
}
