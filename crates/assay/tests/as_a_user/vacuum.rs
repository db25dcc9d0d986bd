//! What changes rows on PostgreSQL, and what keeps vacuum from those that are dead: LinkBench and the insert benchmark
//! keep their laws there, and a snapshot left open is told from the same transaction without one.

use crate::desk::Desk;
use crate::postgresql::{is_here, report, verdicts};
use serde_json::Value;

/// Each dialect of LinkBench in each way to say it, in partitions and without.
const LINKS: &str = r#"question = "Do counters of links hold on PostgreSQL?"

[axes]
statements = ["2015", "2020"]
protocol   = ["text", "prepared"]
partitions = [0, 4]

[server]
build    = "postgresql"
settings = { buffer_pool = "64 MiB", redo = "64 MiB", flush_at_commit = 0 }

[workload.linkbench]
maxid1        = 31
most_links    = 20
partition_all = true

[load]
users = 8

[[phases]]
name  = "measure"
kind  = "measure"
count = 2_000

[repeat]
repetitions = 1
aa          = false
"#;

/// What an audit answered, behind the run.
fn answer(run: &Value, question: &str) -> i64 {
    let answers = run["audits"][0]["answers"].as_array().expect("answers");
    let answer = answers.iter().find(|a| a["name"] == question).unwrap_or_else(|| panic!("{question}: {run:#}"));
    answer["after"].as_i64().unwrap_or_else(|| panic!("{answer:#}"))
}

#[test]
fn counters_of_links_hold_in_both_dialects_and_in_partitions() {
    if !is_here() {
        return;
    }
    let desk = Desk::new();
    desk.write("links.toml", LINKS);
    desk.assay(&["run", "links.toml", "--out", "record"]).assert_carried_out();
    let report = report(&desk);
    let laws = ["data_as_generated", "data_obeyed_its_laws", "answers_were_expected", "operations_succeeded"];
    for check in ["schema_as_declared"].into_iter().chain(laws) {
        assert_eq!(verdicts(&report, check), ["pass"; 8], "{check}: {report:#}");
    }
    let run = desk.run("c001-1");
    assert_eq!(answer(&run, "drifted_counters"), 0);
    let facts = &run["audits"][0]["facts"];
    for fact in ["links_inserted", "links_hidden", "links_shown_again"] {
        assert!(facts[fact].as_i64() > Some(0), "{fact}: {facts}");
    }
}

#[test]
fn every_step_of_the_insert_benchmark_keeps_its_laws() {
    if !is_here() {
        return;
    }
    let desk = Desk::new();
    for one_table in [false, true] {
        let tables = &one_table.to_string();
        desk.write("q.toml", &crate::insert_benchmark::steps(one_table));
        let said = desk.assay(&["run", "q.toml", "--on", "postgresql", "--out", tables]);
        said.assert_carried_out();
        let read = |name: &str| -> Value {
            serde_json::from_str(&desk.read(&format!("{tables}/{name}"))).expect("it is JSON")
        };
        let (report, run) = (read("report.json"), read("runs/c001-1/run.json"));
        assert_eq!(run["ending"], "done", "{said:?}");
        for check in ["schema_as_declared", "data_obeyed_its_laws", "answers_were_expected", "operations_succeeded"] {
            assert_eq!(verdicts(&report, check), ["pass"], "{tables} {check}: {report:#}");
        }
        assert_eq!((answer(&run, "rows"), answer(&run, "index_entries_apart")), (2 * 1_050, 0));
        let settled = &run["phases"][3]["settled"];
        assert_eq!((&settled["is_over"], &settled["unaided"]), (&true.into(), &Value::Null), "{settled:#}");
    }
}

const LONG: &str = include_str!("../../../../experiments/linkbench-long-transaction.toml");

/// How much a counter grew in a phase of each run, by what disturbed it.
fn grown(desk: &Desk, counter: &str) -> Vec<(String, f64)> {
    let of_run = |text: String| -> (String, f64) {
        let run: Value = serde_json::from_str(&text).expect("run.json is JSON");
        let open = run["phases"].as_array().expect("phases").iter().find(|p| p["name"] == "open").expect("it is there");
        let ends = &open["counters"][counter];
        let end = |at: usize| ends[at].as_f64().unwrap_or_else(|| panic!("{counter}: {ends}"));
        (open["disturb"].as_str().expect("it is disturbed").to_string(), end(1) - end(0))
    };
    desk.runs().into_values().map(of_run).collect()
}

#[test]
fn a_snapshot_left_open_keeps_vacuum_from_dead_rows_and_its_placebo_does_not() {
    if !is_here() {
        return;
    }
    let desk = Desk::new();
    desk.write("long.toml", LONG);
    let phases = ["warm up.warm_up", "before.measure", "open.measure", "after.measure"];
    let short: Vec<String> = phases.iter().map(|phase| format!("phases.{phase}=\"1500ms\"")).collect();
    let mut few = vec!["run", "long.toml", "--scale", "smoke-postgresql", "--out", "record"];
    short.iter().for_each(|set| few.extend(["--set", set]));
    // One user waits for nobody: whoever is in a deadlock holds a snapshot as well, for a second.
    few.extend(["--set", "repeat.repetitions=1", "--set", "load.users=1"]);
    let said = desk.assay(&few);
    said.assert_carried_out();
    let told =
        desk.notes().iter().filter(|n| n["kind"] == "disturbance_ended").map(Value::to_string).collect::<String>();
    assert!(told.contains("the canary's first value was read") && told.contains("(backend_xmin) was"), "{told}");
    assert!(told.contains("A transaction at READ COMMITTED was open to the end and held no snapshot"), "{told}");
    for (disturbed, grown) in grown(&desk, "postgres.oldest_snapshot_xids") {
        // As many transactions as users write in that time are hundreds at the least.
        assert_eq!(disturbed == "open_snapshot", grown > 100.0, "{disturbed}: {grown}");
    }
    let report = report(&desk);
    for check in ["disturbances_acted", "schema_as_declared"] {
        assert_eq!(verdicts(&report, check), ["pass"; 2], "{check}: {report:#}");
    }
}
