//! What is done to a real server on purpose: each disturbance acts in its phase, proves that it did what it is named
//! after, and leaves nothing behind, whatever ends it; what it asks of the server is told apart from what the users
//! ask.

use crate::desk::{Desk, Said, until};
use crate::interruptions::{await_event, signal};
use crate::postgresql;
use crate::skipped;
use rustix::process::Signal;
use serde_json::Value;
use std::path::Path;

/// What makes a backup of the distribution's server.
const DUMPS: [&str; 2] = ["/usr/bin/mariadb-dump", "/usr/bin/mysqldump"];

/// Two users who write, before, during and after; every disturbance once.
fn question(disturbances: &str, seconds: &str) -> String {
    format!(
        r#"question = "What does it cost?"

[axes]
phases.during.disturb = [{disturbances}]

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.oltp.update_index]
rows = 2_000

[load]
users = 2

[[phases]]
name    = "before"
measure = "300ms"
[[phases]]
name    = "during"
measure = "{seconds}"
[[phases]]
name    = "after"
measure = "300ms"

[repeat]
repetitions = 1
aa          = false
"#
    )
}

fn verdict<'a>(cell: &'a Value, check: &str) -> &'a Value {
    cell["verdicts"].as_array().unwrap().iter().find(|v| v["check"] == check).unwrap_or_else(|| panic!("no {check}"))
}

fn report(desk: &Desk) -> Value {
    serde_json::from_str(&desk.read("record/report.json")).unwrap()
}

fn deed(desk: &Desk, run: &str) -> Value {
    let run = desk.run(run);
    assert_eq!(run["ending"], "done", "{}", run["ending"]);
    run["phases"][1]["disturbance"].clone()
}

#[test]
fn a_snapshot_is_seen_to_hold_and_its_placebos_are_seen_not_to() {
    let desk = Desk::new();
    let names = ["open_snapshot", "begin_read_committed", "begin_read_uncommitted", "idle_connection"];
    let listed = names.map(|n| format!("\"{n}\"")).join(", ");
    desk.write("q.toml", &question(&listed, "2500ms"));
    desk.assay(&["run", "q.toml", "--out", "record"]).assert_carried_out();
    for (run, name) in ["c001-1", "c002-1", "c003-1", "c004-1"].into_iter().zip(names) {
        let deed = deed(&desk, run);
        assert_eq!((&deed["what"], &deed["failed"]), (&name.into(), &Value::Null), "{deed}");
        if name != "idle_connection" {
            assert!(deed["facts"]["canary_reads"].as_f64().unwrap() >= 2.0, "{deed}");
        }
    }
    let report = report(&desk);
    for cell in report["cells"].as_array().unwrap() {
        // What a disturbance writes is told apart from what users write.
        for check in ["disturbances_acted", "counts_agree"] {
            assert_eq!(verdict(cell, check)["verdict"], "pass", "{}", verdict(cell, check));
        }
        assert_eq!(cell["phases"][1]["against"]["phase"], "before", "{cell}");
    }
    let history = |run: &str| -> f64 {
        let ends = &desk.run(run)["phases"][1]["counters"]["db.history_list_length"];
        ends[1].as_f64().unwrap() - ends[0].as_f64().unwrap()
    };
    assert!(history("c001-1") > 100.0, "nothing was purged under the snapshot: {}", history("c001-1"));
    assert_eq!((desk.count("disturbance_began"), desk.count("disturbance_ended")), (4, 4));
    desk.assert_nothing_is_left();
}

#[test]
fn a_backup_a_query_a_hog_and_an_index_act_in_their_phase_and_are_gone_after_it() {
    if !DUMPS.iter().any(|program| Path::new(program).exists()) {
        return skipped::test("mariadb-dump", "apt-get install mariadb-client");
    }
    all_four_act(&[], "2s");
}

#[test]
fn they_act_on_postgresql_in_its_own_sql() {
    if postgresql::is_here() {
        // Its dump asks for the whole catalogue before the first row.
        all_four_act(&["--on", "postgresql"], "4s");
    }
}

fn all_four_act(on: &[&str], seconds: &str) {
    let desk = Desk::new();
    desk.write("q.toml", &question(r#""logical_backup", "long_query", "cpu_hog", "index_build""#, seconds));
    desk.assay(&[&["run", "q.toml", "--out", "record"], on].concat()).assert_carried_out();
    let fact =
        |run: &str, name: &str| deed(&desk, run)["facts"][name].as_f64().unwrap_or_else(|| panic!("{run} {name}"));
    assert!(fact("c001-1", "bytes") > 100_000.0, "{}", deed(&desk, "c001-1"));
    assert_eq!(fact("c002-1", "sessions"), 1.0);
    assert!(fact("c003-1", "cpu_seconds") > 0.0);
    assert!(fact("c004-1", "built") >= 1.0, "{}", deed(&desk, "c004-1"));
    let report = report(&desk);
    for (cell, counted) in report["cells"].as_array().unwrap().iter().zip(["not_evaluable", "pass", "pass", "pass"]) {
        assert_eq!(verdict(cell, "disturbances_acted")["verdict"], "pass", "{cell}");
        let counted = if on.is_empty() { counted } else { "not_applicable" };
        assert_eq!(verdict(cell, "counts_agree")["verdict"], counted, "{}", verdict(cell, "counts_agree"));
    }
    desk.assert_nothing_is_left();
}

/// What is read and written while a server is killed under it, until it has done as much again afterwards.
const KILLED: &str = r#"question = "What does a crash cost?"

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.linkbench]
maxid1     = 201
most_links = 20

[load]
users = 4

[[phases]]
name    = "before"
count   = 500
kind    = "measure"
[[phases]]
name    = "killed"
measure = "2s"
disturb = "server_kill"
[[phases]]
name    = "after"
count   = 2_000
kind    = "measure"

[repeat]
repetitions = 1
aa          = false
"#;

#[test]
fn users_outlast_a_server_that_is_killed_and_nothing_that_was_committed_is_lost() {
    outlasted(&[]);
}

#[test]
fn users_of_postgresql_outlast_it_as_well() {
    if postgresql::is_here() {
        outlasted(&["--on", "postgresql"]);
    }
}

fn outlasted(on: &[&str]) {
    let desk = Desk::new();
    desk.write("q.toml", KILLED);
    desk.assay(&[&["run", "q.toml", "--out", "record"], on].concat()).assert_carried_out();
    let deed = deed(&desk, "c001-1");
    assert_eq!(deed["failed"], Value::Null, "{deed}");
    assert!(deed["facts"]["recovery_seconds"].as_f64().unwrap() > 0.0, "{deed}");
    let run = desk.run("c001-1");
    assert!(run["whole"]["reconnects"].as_u64().unwrap() >= 1, "nobody came back: {}", run["whole"]);
    assert_eq!(run["phases"][1]["counters"]["db.history_list_length"], Value::Null, "counted anew");
    let report = report(&desk);
    let cell = &report["cells"][0];
    for check in ["disturbances_acted", "data_obeyed_its_laws"] {
        assert_eq!(verdict(cell, check)["verdict"], "pass", "{}", verdict(cell, check));
    }
    desk.assert_nothing_is_left();
}

#[test]
fn a_disturbance_that_cannot_act_fails_its_run_with_the_reason() {
    let desk = Desk::new();
    // It ends when the twentieth session is refused, which can take a minute behind those that burn the CPUs.
    let crowd = question(r#""none""#, "180s").replace("[axes]\nphases.during.disturb = [\"none\"]\n", "");
    let crowd =
        crowd.replace("name    = \"during\"", "name = \"during\"\ndisturb = { name = \"long_query\", sessions = 50 }");
    desk.write(
        "q.toml",
        &crowd.replace("[server.settings]\n", "[server.native]\nmax_connections = 20\n\n[server.settings]\n"),
    );
    let said = desk.assay(&["run", "q.toml", "--out", "record"]);
    assert_eq!(said.status, 3, "{said:?}");
    assert!(said.err.contains("the disturbance long_query (sessions 50) could not act"), "{}", said.err);
    let run = desk.run("c001-1");
    assert!(run["ending"]["failed"]["reason"].as_str().unwrap().contains("Too many connections"), "{}", run["ending"]);
    assert!(run["phases"][1]["disturbance"]["failed"].is_string(), "{}", run["phases"][1]["disturbance"]);
    desk.assert_nothing_is_left();
}

#[test]
fn a_lab_that_is_stopped_while_something_acts_leaves_nothing_of_it() {
    let desk = Desk::new();
    desk.write("q.toml", &question(r#""cpu_hog""#, "60s"));
    let mut lab = desk.start(&["run", "q.toml", "--out", "record"]);
    await_event(&desk, &mut lab, "disturbance_began", 0);
    signal(lab.id(), Signal::INT);
    until("the end of the lab", || lab.try_wait().unwrap());
    let said = Said::of(lab.wait_with_output().unwrap());
    assert_eq!(said.status, 3, "{said:?}");
    desk.assert_nothing_is_left();
}

#[test]
fn a_disturbance_and_its_parameters_are_asked_for_by_name() {
    let desk = Desk::without_server();
    let one = |disturb: &str| {
        let text = question(r#""none""#, "1s").replace("[axes]\nphases.during.disturb = [\"none\"]\n", "");
        text.replace("name    = \"during\"", &format!("name = \"during\"\ndisturb = {disturb}"))
    };
    for (disturb, told) in [
        ("\"open_snapshots\"", "did you mean `open_snapshot`?"),
        ("{ name = \"long_query\", session = 2 }", "did you mean `sessions`?"),
        ("{ sessions = 2 }", "a disturbance without a name"),
        ("{ name = \"cpu_hog\", processes = 0 }", "between 1 and 1000"),
    ] {
        desk.write("q.toml", &one(disturb));
        let said = desk.assay(&["plan", "q.toml"]);
        assert_eq!(said.status, 2, "{disturb}: {said:?}");
        assert!(said.err.contains(told), "{disturb}: {}", said.err);
    }
}
