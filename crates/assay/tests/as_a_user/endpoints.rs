//! Keys and values through the endpoints that this machine has: the same keys come back through each, byte for byte,
//! and the server counts what the clients received. An endpoint that is not here is left out, and the test counts as
//! skipped.

use crate::desk::Desk;
use crate::skipped;
use lab::backends::mysql::keys::HANDLERSOCKET;
use lab::servers::catalogue;
use serde_json::Value;

fn question(workloads: &[&str], builds: &[&str]) -> String {
    format!(
        r#"question = "Does every door lead to the same rows?"

[axes]
workload = {workloads:?}
build    = {builds:?}

[server]
settings = {{ buffer_pool = "64 MiB", redo = "16 MiB", max_connections = 100, performance_schema = false }}

[workload.kv]
keys         = 500
verify_every = 1

[load]
users     = 4
transport = "tcp"

[[phases]]
name  = "measure"
kind  = "measure"
count = 2_000

[repeat]
repetitions = 1
aa          = false
"#
    )
}

#[test]
fn every_door_leads_to_the_same_rows_and_is_counted() {
    let (mut workloads, mut builds) = (vec!["kv.sql", "kv.sql_mix"], vec!["distribution"]);
    if catalogue::find("distribution").is_ok_and(|build| build.has_plugin(HANDLERSOCKET)) {
        workloads.extend(["kv.handlersocket", "kv.handlersocket_mix"]);
    } else {
        skipped::test("HandlerSocket in the distribution's server", "scripts/install test");
    }
    if catalogue::find("memcached").is_ok() {
        workloads.extend(["kv.memcached", "kv.memcached_mix"]);
        builds.push("memcached");
    } else {
        skipped::test("memcached", "apt-get install memcached");
    }
    let desk = Desk::new();
    desk.write("doors.toml", &question(&workloads, &builds));
    let said = desk.assay(&["run", "doors.toml", "--out", "record"]);
    let report: Value =
        serde_json::from_str(&desk.read("record/report.json")).unwrap_or_else(|e| panic!("{e}: {said:#?}"));
    let cells = report["cells"].as_array().unwrap();
    assert_eq!(cells.len(), workloads.len(), "a cell for each pair that fits: {said:#?}");
    for cell in cells {
        let name = cell["axes"]["workload"].as_str().unwrap();
        for check in ["gets_agree", "answers_were_expected", "operations_succeeded", "data_as_generated"] {
            let verdicts = cell["verdicts"].as_array().unwrap();
            let verdict = verdicts.iter().find(|v| v["check"] == check).unwrap();
            // Who asks in SQL asks for no values by their keys.
            let is_unasked = check == "gets_agree" && name.starts_with("kv.sql");
            assert_eq!(verdict["verdict"], if is_unasked { "not_applicable" } else { "pass" }, "{name}: {verdict:#}");
        }
        let metric = |metric: &str| {
            cell["metrics"][metric]["value"].as_f64().unwrap_or_else(|| panic!("{name} has no {metric}"))
        };
        assert!(metric("keys_per_s") > 0.0 && metric("values_verified_per_s") > 0.0, "{name}");
        assert_eq!((metric("misses_per_s"), metric("values_wrong_per_s")), (0.0, 0.0), "{name}");
    }
    desk.assert_nothing_is_left();
}
