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

/// Eight users who change one row each time, durably and not.
const COMMITS: &str = r#"question = "What does a durable commit wait for?"

[axes]
"settings.flush_at_commit" = [2, 1]

[server.settings]
buffer_pool = "64 MiB"
redo        = "64 MiB"

[workload.oltp.update_index]
rows = 1_000

[load]
users   = 8
warm_up = "200ms"
measure = "1s"

[repeat]
repetitions   = 1
profile_waits = 3
profile_hz    = 999
aa            = false
"#;

#[test]
fn what_a_durable_commit_waits_for_is_named_and_adds_up() {
    let desk = Desk::new();
    desk.write("q.toml", COMMITS);
    desk.assay(&["run", "q.toml", "--out", "record"]).assert_carried_out();
    let runs: Vec<Value> = ["c001-waits-1", "c001-waits-2", "c001-waits-3"].map(|id| desk.run(id)).to_vec();
    if runs[0]["ending"] != "done" {
        return skipped::test("perf_event_open", "running as root, outside of a container");
    }
    let said = desk.assay(&["profile", "record"]);
    assert!(said.status == 2 && said.err.contains("or see with --waits"), "{}", said.err);
    let json: Value = serde_json::from_str(&desk.assay(&["profile", "record", "--waits", "--json"]).out).unwrap();
    // Little's law: each of the users has a thread that waits or is on a CPU, so that an operation has users ÷ rate of both.
    let measured = |run: &Value| {
        let phases = run["phases"].as_array().unwrap().iter().filter(|phase| phase["kind"] == "measure");
        let (mut time, mut done) = (0.0, 0.0);
        for phase in phases {
            time += (phase["to"].as_f64().unwrap() - phase["from"].as_f64().unwrap()) / 1e3;
            let tally = &phase["groups"]["users"]["tally"]["operations"];
            done += tally.as_object().unwrap().values().map(|o| o["done"].as_f64().unwrap()).sum::<f64>();
        }
        (time, done)
    };
    let (time, done) = runs.iter().map(measured).fold((0.0, 0.0), |sum, run| (sum.0 + run.0, sum.1 + run.1));
    let all = 8.0 * time / done;
    let waited = json[0]["sampled"]["operation"]["value"].as_f64().unwrap();
    assert!((0.5 * all..1.05 * all).contains(&waited), "{waited} of {all} µs: {}", json[0]["sampled"]);

    let diff = desk.assay(&["profile", "record", "--waits", "--diff", "c001", "c002", "--top", "60"]).out;
    let is_flush = |line: &&str| ["log_write_up_to", "fdatasync", "fsync"].iter().any(|name| line.starts_with(name));
    let flush = diff.lines().find(is_flush).unwrap_or_else(|| panic!("{diff}"));
    assert!(diff.contains("µs of waiting") && !flush.contains("by chance"), "{diff}");
}
