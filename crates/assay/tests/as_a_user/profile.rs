//! Profiles on a real server: its functions are named, stand beside the numbers, and a record without them says so.

use crate::desk::{Desk, RUN};
use crate::skipped;
use serde_json::Value;

#[test]
fn profile_runs_name_the_servers_functions_and_are_in_no_number() {
    let desk = Desk::new();
    let sets = ["repeat.profiles=3", "repeat.repetitions=1", "repeat.profile_hz=999"];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", *set]).collect();
    desk.assay(&[RUN, &sets].concat()).assert_carried_out();
    assert_eq!(desk.run_folders().len(), 8);
    let run = desk.run("c001-profile-1");
    if run["ending"] != "done" {
        // A machine that forbids it: the run says so in one sentence with its mend, and the verb repeats it.
        let said = desk.assay(&["profile", "record"]);
        assert!(run["ending"].to_string().contains("no profile: ") && said.err.contains("no profile: "), "{run}");
        return skipped::test("perf_event_open", "running as root, outside of a container");
    }
    assert!(run["profile"]["samples"].as_u64().unwrap() > 50, "{}", run["profile"]);
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    assert_eq!(report["cells"][0]["runs"], serde_json::json!(["c001-1"]));

    let table = desk.assay(&["profile", "record", "c001"]);
    assert_eq!(table.status, 0, "{table:?}");
    assert!(table.out.contains("not unwound") && table.out.contains("own µs"), "{}", table.out);
    let json: Value = serde_json::from_str(&desk.assay(&["profile", "record", "--json"]).out).unwrap();
    let sampled = &json[0]["sampled"];
    assert!(
        sampled["not_unwound"].as_f64().unwrap() < 0.1 && sampled["not_named"].as_f64().unwrap() < 0.5,
        "{sampled}"
    );
    let names: Vec<&str> = json[0]["functions"].as_array().unwrap().iter().filter_map(|f| f["name"].as_str()).collect();
    assert!(names.contains(&"dispatch_command") && names.iter().any(|name| name.ends_with("_[k]")), "{names:?}");

    let diff = desk.assay(&["profile", "record", "--diff", "c001", "c002"]);
    assert!(diff.out.contains("an operation takes") && diff.out.contains("c002: "), "{}", diff.out);
    let folded = desk.assay(&["profile", "record", "c002", "--as", "folded"]).out;
    let root = |line: &str| line.starts_with("c002;") && line.rsplit(' ').next().unwrap().parse::<u64>().is_ok();
    assert!(folded.lines().count() > 20 && folded.lines().all(root), "{folded}");
}

#[test]
fn a_record_without_profiles_says_how_to_get_some() {
    let desk = Desk::new();
    let sets = ["--set", "repeat.repetitions=1", "--set", "axes.range_size=[10]"];
    desk.assay(&[RUN, &sets].concat()).assert_carried_out();
    let said = desk.assay(&["profile", "record"]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("--set repeat.profiles=3"), "{}", said.err);
    let said = desk.assay(&["profile", "nowhere"]);
    assert!(said.status == 2 && said.err.contains("nowhere is not a record"), "{}", said.err);
}
