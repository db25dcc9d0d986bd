//! Readers who wait for their answers beside writers who come at a rate, on a real server: one run, two workloads, each
//! with its own data and counted apart, and nothing lost between them.

use crate::desk::{Desk, TINY};
use serde_json::Value;

const GROUPS: &str = r#"
[[groups]]
name     = "readers"
workload = "oltp.point_selects"
users    = 3

[[groups]]
name       = "scanners"
workload   = "oltp.simple_ranges"
parameters = { rows = 500, range_size = 10 }
rate       = 200
users      = 2
"#;

#[test]
fn a_closed_group_beside_an_open_one_is_counted_apart_from_the_users_to_the_report() {
    let desk = Desk::new();
    let tiny = TINY.replace("range_size = [10, 100]", "settings.adaptive_hash_index = [false]");
    let tiny = tiny.replace("[workload.oltp.simple_ranges]", "[workload.oltp]").replace("users   = 2\n", "");
    desk.write("groups.toml", &(tiny + GROUPS));
    desk.assay(&["run", "groups.toml", "--out", "record"]).assert_carried_out();

    let run = desk.run("c001-1");
    assert_eq!(run["ending"], "done", "{run}");
    let phases = run["phases"].as_array().unwrap();
    let groups = &phases[1]["groups"];
    assert_eq!((&groups["readers"]["users"], &groups["scanners"]["users"]), (&3.into(), &2.into()));
    let operations = |group: &str| groups[group]["tally"]["operations"].as_object().unwrap().keys().collect::<Vec<_>>();
    assert_eq!(operations("readers"), ["point_selects"]);
    assert_eq!(operations("scanners"), ["simple_ranges"]);
    assert!(groups["readers"]["tally"]["arrivals"].is_null() && groups["scanners"]["tally"]["arrivals"].is_object());

    assert_ne!(run["dataset"], run["more_datasets"][0], "their rows differ");
    let rows = |key: &Value| {
        let text = desk.read(&format!("record/datasets/{}.json", key.as_str().unwrap()));
        serde_json::from_str::<Value>(&text).unwrap()["tables"][0]["rows"].clone()
    };
    assert_eq!((rows(&run["dataset"]), rows(&run["more_datasets"][0])), (1_000.into(), 500.into()));
    assert_eq!(run["more_sessions"]["scanners"]["plans"][0]["rows"], 10);
    let intervals = desk.read("record/runs/c001-1/intervals.jsonl");
    for name in ["readers", "scanners"] {
        assert!(intervals.contains(&format!("\"group\":\"{name}\"")), "{name}");
    }

    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    let cell = &report["cells"][0];
    let verdict = |check: &str| cell["verdicts"].as_array().unwrap().iter().find(|v| v["check"] == check).unwrap();
    for check in ["counts_agree", "answers_were_expected", "operations_succeeded", "data_as_generated"] {
        assert_eq!(verdict(check)["verdict"], "pass", "{}", verdict(check));
    }
    let qps = |part: &Value| part["metrics"]["qps"]["value"].as_f64().unwrap();
    let (all, readers, scanners) = (qps(cell), qps(&cell["groups"]["readers"]), qps(&cell["groups"]["scanners"]));
    assert!(readers > 0.0 && scanners > 0.0 && (readers + scanners - all).abs() < 0.05 * all, "{cell}");
    assert!(desk.read("record/report.csv").contains("groups.scanners.latency_us_p99"));
    assert!(desk.read("record/report.md").contains("scanners (oltp.simple_ranges), latency_us_p99 (µs)"));
    assert!(desk.read("record/report.html").contains("scanners"));
}
