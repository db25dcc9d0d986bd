//! System versioning on a real server, small: all steps twice on each variant, their laws, the key that grew, the past
//! as it was, the variant that no server takes; and a DELETE of all rows in which the server dies.

use crate::desk::{Desk, until};
use crate::interruptions::signal;
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use rustix::process::Signal;
use serde_json::Value;

const STEPS: &str = r#"question = "What does it cost to keep the past?"

[axes]
variant = ["plain", "timestamp", "transaction", "timestamp_partitioned", "transaction_partitioned"]

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"
flush_at_commit = 2

[workload.versioned]
tables = 2
rows   = 200

[load]
users = 3

[[phases]]
name     = "create"
workload = "versioned.create"
users    = 1
count    = 2
once     = true
[[phases]]
name     = "insert"
workload = "versioned.insert"
count    = 40
[[phases]]
name     = "moment"
workload = "versioned.moment"
users    = 1
kind     = "warm_up"
count    = 1
[[phases]]
name     = "range"
workload = "versioned.range_queries"
count    = 20
[[phases]]
name     = "secondary"
workload = "versioned.secondary_selects"
count    = 20
[[phases]]
name     = "update"
workload = "versioned.update_non_index"
users    = 1
count    = 30
[[phases]]
name     = "update indexed"
workload = "versioned.update_index"
users    = 1
count    = 30
[[phases]]
name     = "point"
workload = "versioned.point_selects"
count    = 20
[[phases]]
name     = "history"
workload = "versioned.history"
users    = 1
count    = 200
[[phases]]
name     = "access"
workload = "versioned.access"
count    = 50
[[phases]]
name     = "delete"
workload = "versioned.delete_all"
users    = 1
count    = 2

[repeat]
repetitions = 1
iterations  = 2
aa          = false
"#;

fn verdict<'a>(cell: &'a Value, check: &str) -> &'a Value {
    let verdicts = cell["verdicts"].as_array().expect("a cell has verdicts");
    verdicts.iter().find(|v| v["check"] == check).unwrap_or_else(|| panic!("{check} on {cell:#}"))
}

#[test]
fn every_variant_keeps_its_laws_and_reads_the_past_as_it_was() {
    let desk = Desk::new();
    desk.write("q.toml", STEPS);
    desk.assay(&["run", "q.toml", "--out", "record"]).assert_carried_out();
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    let cells = report["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 5);
    for cell in cells {
        let variant = cell["axes"]["variant"].as_str().unwrap();
        if variant == "transaction_partitioned" {
            // In the server's own words.
            let why = cell["no_number"].as_str().unwrap();
            assert!(why.contains("must be of type TIMESTAMP(6)"), "{why}");
            continue;
        }
        for check in ["data_obeyed_its_laws", "answers_were_expected", "counts_agree", "operations_succeeded"] {
            assert_eq!(verdict(cell, check)["verdict"], "pass", "{variant}: {:#}", verdict(cell, check));
        }
        let schema = verdict(cell, "schema_as_declared");
        if variant == "plain" {
            assert_eq!(schema["verdict"], "pass", "{schema:#}");
        } else {
            let key = if variant == "transaction" { "(id, row_end), 12 bytes" } else { "(id, row_end), 11 bytes" };
            let told = schema["sentence"].as_str().unwrap();
            assert!(told.contains(key) && told.contains("(id), 4 bytes"), "{told}");
        }
        let phases = cell["phases"].as_array().unwrap();
        let names: Vec<_> = phases.iter().map(|p| p["name"].as_str().unwrap()).collect();
        assert_eq!(names.iter().filter(|name| name.starts_with("create")).collect::<Vec<_>>(), [&"create.1"]);
        assert_eq!(names.iter().filter(|name| name.ends_with(".2")).count(), 9, "{names:?}");
        // 400 rows of an iteration, each updated once or twice by 600 updates, all deleted: 1,000 versions.
        let kept = |name: &str, metric: &str| {
            let phase = phases.iter().find(|p| p["name"] == name).unwrap();
            phase["metrics"][metric]["value"].as_f64().unwrap_or_else(|| panic!("{variant}: {metric} of {phase:#}"))
        };
        let history = |rows: f64| if variant == "plain" { 0.0 } else { rows };
        for (phase, current, past) in
            [("point.1", 400.0, 600.0), ("delete.1", 0.0, 1_000.0), ("access.2", 400.0, 1_600.0)]
        {
            assert_eq!(
                (kept(phase, "current_rows"), kept(phase, "history_rows")),
                (current, history(past)),
                "{variant}"
            );
        }
        let of_all = kept("access.2", "history_bytes") / kept("access.2", "data_bytes");
        let expected = match variant {
            "plain" => 0.0..=0.0,
            // The partition has files of its own.
            "timestamp_partitioned" => 0.01..=0.99,
            _ => 0.799..=0.801,
        };
        assert!(expected.contains(&of_all), "{variant}: {of_all}");
    }
    // What was counted on the way is what the server counts at the end.
    let audits = desk.run("c003-1")["audits"].clone();
    let answer = |name: &str| {
        let mut answers = audits[0]["answers"].as_array().unwrap().iter();
        answers.find(|a| a["name"] == name).unwrap()["after"].as_i64().unwrap()
    };
    assert_eq!((answer("current_rows"), answer("all_versions")), (0, 2_000));
    // Asked when each step began, and told side by side.
    let told = report["plans"].as_array().unwrap();
    assert_eq!((told.len(), told[0]["axis"].as_str()), (1, Some("variant")), "{told:#?}");
    let rows = told[0]["rows"].as_array().unwrap();
    let key_of = |statement: &str, variant: usize| {
        let row = rows.iter().find(|r| r["statement"] == statement).unwrap_or_else(|| panic!("{statement}: {rows:#?}"));
        assert!(row["phase"].as_str().unwrap().ends_with(".2"), "{row:#}");
        let parts = row["cells"][variant]["parts"].as_array().unwrap();
        let length = parts.iter().find(|p| p["name"] == "key length").unwrap_or_else(|| panic!("{row:#}"));
        (length["text"].as_str().unwrap().to_string(), length["differs"].as_bool().unwrap())
    };
    let of = |length: &str, differs| (length.to_string(), differs);
    assert_eq!((key_of("range_outside", 0), key_of("range_outside", 1)), (of("4", false), of("11", true)));
    assert!(rows.iter().flat_map(|row| row["cells"].as_array().unwrap()).all(|cell| cell["reads"].is_number()));
    let run = desk.run("c003-1");
    let history = run["phases"].as_array().unwrap().iter().find(|p| p["name"] == "history.2").unwrap();
    let asked = history["groups"]["users"]["tally"]["operations"].as_object().unwrap();
    let kinds: Vec<_> = asked.iter().filter(|(_, o)| o["done"].as_u64() > Some(0)).map(|(name, _)| name).collect();
    assert_eq!(kinds, ["all_versions", "as_of_timestamp", "as_of_transaction", "versions_between"]);
    desk.assert_nothing_is_left();
}

/// A session on the desk's own server, once it takes one.
fn knock(desk: &Desk) -> Option<Control> {
    let folders = std::fs::read_dir(desk.path("")).ok()?.flatten().map(|entry| entry.path());
    let sockets = folders.filter_map(|folder| {
        let is_ours = folder.file_name()?.to_str()?.starts_with("assay-");
        is_ours.then(|| folder.join("s")).filter(|socket| socket.exists())
    });
    sockets.into_iter().find_map(|socket| Control::connect(&SqlEndpoint::root(socket)).ok())
}

/// Who deletes waits for one row, which somebody else keeps locked: the server dies while the DELETE is certainly under
/// way.
#[test]
fn a_server_that_dies_in_the_delete_is_a_failed_step_and_the_study_goes_on() {
    let desk = Desk::new();
    let steps: Vec<&str> = STEPS.split("[[phases]]").collect();
    let of =
        |name: &str| *steps.iter().find(|step| step.contains(&format!("\"{name}\""))).expect("a step of that name");
    let (head, insert, point, delete) = (steps[0], of("insert"), of("point"), of("delete"));
    let head = head.replace(
        r#""plain", "timestamp", "transaction", "timestamp_partitioned", "transaction_partitioned""#,
        r#""timestamp""#,
    );
    let head = head.replace("rows   = 200", "rows   = 5_000");
    let insert = insert.replace("count    = 40", "count    = 1_000");
    // Long enough for somebody to lock a row meanwhile, however busy the machine is.
    let point = point.replace("count    = 20", "measure  = \"4s\"");
    let delete = delete.replace("repetitions = 1", "repetitions = 2");
    desk.write("q.toml", &[head.as_str(), &insert, &point, &delete].join("[[phases]]"));

    let mut lab = desk.start(&["run", "q.toml", "--out", "record"]);
    // The server that loads is another one than the one that runs.
    let mut locker = until("a run", || (desk.count("run_started") > 0).then(|| knock(&desk)).flatten());
    locker.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED").unwrap();
    let schema = "SELECT table_schema FROM information_schema.tables WHERE table_name = 'sbtest1'";
    let schema = locker.value(schema).unwrap().expect("the tables are there before the users");
    until("the lock of a row", || {
        locker.execute("BEGIN").unwrap();
        let locked = locker.execute(&format!("SELECT id FROM {schema}.sbtest1 WHERE id = 1 FOR UPDATE")).unwrap().rows;
        if locked == 0 {
            locker.execute("ROLLBACK").unwrap();
        }
        (locked == 1).then_some(())
    });
    until("a DELETE that waits", || {
        let deleting = "SELECT COUNT(*) FROM information_schema.processlist WHERE info = 'DELETE FROM sbtest1'";
        (locker.value(deleting).unwrap().as_deref() == Some("1")).then_some(())
    });
    signal(desk.server().expect("a server under load"), Signal::KILL);
    until("the end of the lab", || lab.try_wait().unwrap());

    let failed = desk.run("c001-1");
    let reason = failed["ending"]["failed"]["reason"].as_str().unwrap();
    assert!(reason.contains("signal 9") && reason.contains("in delete.1"), "{reason}");
    let names: Vec<_> = failed["phases"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["insert.1", "point.1", "delete.1"], "what was measured until then is kept");
    assert_eq!(desk.run("c001-2")["ending"], "done", "the study goes on with a server of its own");
    let again = desk.assay(&["run", "q.toml", "--out", "record"]);
    assert!(again.err.contains("all 2 runs are in record"), "{}", again.err);
    desk.assert_nothing_is_left();
}

/// Killed in the middle of its second step, on tables that hold what the first has written.
#[test]
fn a_lab_that_dies_within_a_step_repeats_its_run_from_the_beginning() {
    let desk = Desk::new();
    let steps: Vec<&str> = STEPS.split("[[phases]]").collect();
    let of =
        |name: &str| *steps.iter().find(|step| step.contains(&format!("\"{name}\""))).expect("a step of that name");
    let head = steps[0].replace(
        r#""plain", "timestamp", "transaction", "timestamp_partitioned", "transaction_partitioned""#,
        r#""transaction", "timestamp_partitioned""#,
    );
    let point = of("point").replace("count    = 20", "measure  = \"3s\"");
    desk.write("q.toml", &[head.as_str(), of("insert"), &point, of("update"), of("delete")].join("[[phases]]"));
    let run = ["run", "q.toml", "--out", "record"];
    let mut lab = desk.start(&run);
    until("a second of the second step", || {
        let of_run = |name: &String| std::fs::read_to_string(desk.path(&format!("record/runs/{name}/intervals.jsonl")));
        let texts = desk.run_folders().into_iter().filter_map(|name| of_run(&name).ok());
        texts.into_iter().any(|text| text.contains("\"point.1\"")).then_some(())
    });
    lab.kill().unwrap();
    lab.wait().unwrap();
    until("the death of the server with its lab", || desk.processes().is_empty().then_some(()));

    desk.assay(&run).assert_carried_out();
    assert_eq!(desk.count("run_interrupted"), 1);
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    for cell in report["cells"].as_array().unwrap() {
        for check in ["data_obeyed_its_laws", "counts_agree", "operations_succeeded"] {
            assert_eq!(verdict(cell, check)["verdict"], "pass", "{:#}", verdict(cell, check));
        }
        assert_eq!(cell["phases"].as_array().unwrap().len(), 8, "each step of both iterations");
    }
    desk.assert_nothing_is_left();
}
