//! Runs that go through stages on a real server: each phase may have work and users of its own, begins on what the one
//! before left, and is counted apart; a stage that fails ends its run, and what was measured until then is kept.

use crate::desk::Desk;
use serde_json::Value;

const STAGES: &str = r#"question = "What do the steps cost, again and again?"

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.oltp]
rows = 1_000

[[phases]]
name     = "insert"
workload = "oltp.insert"
users    = 3
count    = 600
[[phases]]
name     = "read"
workload = "oltp.point_selects"
users    = 2
measure  = "400ms"
[[phases]]
name     = "more"
workload = "oltp.point_selects"
users    = 2
measure  = "300ms"
[[phases]]
name     = "sweep"
workload = "oltp.delete"
users    = 1
count    = 1

[repeat]
repetitions = 1
iterations  = 2
aa          = false
"#;

#[test]
fn each_stage_does_its_own_work_on_what_the_one_before_left() {
    let desk = Desk::new();
    desk.write("q.toml", STAGES);
    desk.assay(&["run", "q.toml", "--out", "record"]).assert_carried_out();
    let run = desk.run("c001-1");
    assert_eq!(run["ending"], "done", "{}", run["ending"]);
    let phases = run["phases"].as_array().unwrap();
    let told: Vec<_> = phases
        .iter()
        .map(|p| {
            let users = &p["groups"]["users"];
            let done: u64 =
                users["tally"]["operations"].as_object().unwrap().values().map(|o| o["done"].as_u64().unwrap()).sum();
            (p["name"].as_str().unwrap(), users["workload"].as_str().unwrap(), users["users"].as_u64().unwrap(), done)
        })
        .collect();
    let of = |k: usize| (told[k].0, told[k].1, told[k].2);
    assert_eq!(of(0), ("insert.1", "oltp.insert", 3));
    assert_eq!(of(1), ("read.1", "oltp.point_selects", 2));
    assert_eq!(of(7), ("sweep.2", "oltp.delete", 1));
    assert_eq!((told[0].3, told[3].3, told[4].3, told[7].3), (600, 1, 600, 1), "{told:?}");
    for pair in phases.windows(2) {
        let (began, begins) = (pair[0]["from"].as_u64().unwrap(), pair[1]["from"].as_u64().unwrap());
        assert!(began < begins, "phases follow each other: {} {}", pair[0]["name"], pair[1]["name"]);
    }
    // What one stage left is what the next begins on: two times 600 rows came to the first 1,000, and none was loaded
    // again.
    assert_eq!((desk.count("dataset_loading"), desk.count("snapshot_restored")), (1, 1));
    assert_eq!(run["whole"]["writes"]["rows"].as_u64().unwrap() / 100, 12, "{}", run["whole"]["writes"]);

    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    let cell = &report["cells"][0];
    let counts = cell["verdicts"].as_array().unwrap().iter().find(|v| v["check"] == "counts_agree").unwrap();
    assert_eq!(counts["verdict"], "pass", "{counts}");
    let phase = |name: &str| cell["phases"].as_array().unwrap().iter().find(|p| p["name"] == name).unwrap().clone();
    assert_eq!((&phase("read.2")["step"], &phase("read.2")["iteration"]), (&"read".into(), &2.into()));
    assert_eq!(phase("read.2")["against"]["phase"], "read.1");
    assert_eq!(phase("more.1")["against"]["phase"], "read.1", "the same work in the same iteration");
    assert!(
        phase("insert.1")["statements"]["inserts"]["calls_per_s"]["value"].as_f64().is_some_and(|n| n > 0.0),
        "{cell}"
    );
    assert!(desk.read("record/report.md").contains("| qps | 1 | 2 |"), "{}", desk.read("record/report.md"));
    let samples = desk.read("record/runs/c001-1/series.jsonl").lines().filter(|l| l.contains("\"sample\"")).count();
    assert!(samples > 0, "sampling goes on through all stages");
}

#[test]
fn a_stage_that_fails_ends_its_run_and_what_was_measured_is_kept() {
    let desk = Desk::new();
    // The second stage's users are more than the server takes.
    let failing = STAGES.replace("users    = 2\nmeasure  = \"400ms\"", "users    = 30\nmeasure  = \"400ms\"");
    let failing =
        failing.replace("[server.settings]\n", "[server.native]\nmax_connections = 20\n\n[server.settings]\n");
    desk.write("q.toml", &failing);
    let said = desk.assay(&["run", "q.toml", "--out", "record"]);
    assert_eq!(said.status, 3, "{said:?}");
    let run = desk.run("c001-1");
    let reason = run["ending"]["failed"]["reason"].as_str().unwrap();
    assert!(reason.contains("was refused with"), "{reason}");
    let names: Vec<_> = run["phases"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["insert.1"], "the stage before is kept");
}

#[test]
fn what_contradicts_stages_is_told_at_once() {
    let desk = Desk::without_server();
    let told = |text: &str| {
        desk.write("q.toml", text);
        let said = desk.assay(&["plan", "q.toml"]);
        assert_eq!(said.status, 2, "{said:?}");
        said.err
    };
    let without = told(&STAGES.replace("workload = \"oltp.delete\"\n", ""));
    assert!(without.contains("a phase without a workload, and others have one"), "{without}");
    let grouped = told(&format!("{STAGES}\n[[groups]]\nname = \"g\"\nworkload = \"oltp.insert\"\nusers = 1\n"));
    assert!(grouped.contains("a phase of its own kind, and there are groups"), "{grouped}");
    let axis = told(&format!("{STAGES}\n[axes]\nworkload = [\"oltp.insert\"]\n"));
    assert!(axis.contains("an axis over the workload of all phases"), "{axis}");
    let sought = told(&format!("{STAGES}\n[load]\nsearch = {{ for = \"users\", from = 1, to = 8 }}\n"));
    assert!(sought.contains("and a level is looked for"), "{sought}");
    let parameter = told(&STAGES.replace("count    = 1\n", "count    = 1\nparameters = { row = 5 }\n"));
    assert!(parameter.contains("did you mean `rows`?"), "{parameter}");
}
