//! Explain runs on a real server: they tell where it waited, and stand beside the numbers.

use crate::desk::{Desk, RUN};
use serde_json::Value;

#[test]
fn an_explain_run_tells_the_waits_and_is_in_no_number() {
    let desk = Desk::new();
    let sets = ["--set", "repeat.explain=true", "--set", "repeat.repetitions=1", "--set", "axes.range_size=[10]"];
    desk.assay(&[RUN, &sets].concat()).assert_carried_out();
    assert_eq!(desk.run_folders(), ["c001-1", "c001-explain"]);
    let run = desk.run("c001-explain");
    assert_eq!(run["ending"], "done");
    let waits = run["explain"]["waits"].as_array().unwrap();
    assert!(waits.iter().any(|w| w["event"].as_str().unwrap().starts_with("wait/synch/")), "{waits:?}");
    assert!(waits.iter().all(|w| w["count"].as_u64().unwrap() > 0));
    assert!(desk.run("c001-1")["explain"].is_null());

    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    let cell = &report["cells"][0];
    assert_eq!(cell["runs"], serde_json::json!(["c001-1"]));
    assert_eq!(cell["metrics"]["qps"]["n"], 1);
    assert_eq!(cell["explain"]["waits"].as_array(), Some(waits));
    assert!(desk.read("record/report.md").contains("## Waits"));
}

#[test]
fn without_performance_schema_an_explain_run_is_skipped_with_the_mend() {
    let desk = Desk::new();
    let sets = ["repeat.explain=true", "repeat.repetitions=1", "axes.range_size=[10]", "server.profile=default"];
    let sets: Vec<&str> = sets.iter().flat_map(|s| ["--set", s]).collect();
    desk.assay(&[RUN, &sets].concat()).assert_carried_out();
    let ending = desk.run("c001-explain")["ending"].to_string();
    assert!(ending.contains("skipped") && ending.contains("write performance_schema = true"), "{ending}");
}
