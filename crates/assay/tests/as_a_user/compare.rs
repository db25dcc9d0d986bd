//! Two records of the real server side by side: the table, the forms for machines, the exit status; and their
//! experiments carried out again, in turn.

use crate::desk::{Desk, TINY, until};
use crate::interruptions::signal;
use rustix::process::Signal;
use serde_json::Value;

#[test]
fn two_records_are_laid_side_by_side_with_what_else_differs() {
    let desk = Desk::new();
    desk.write("tiny.toml", &TINY.replace("repetitions = 2", "repetitions = 1"));
    desk.write("other.toml", &desk.read("tiny.toml").replace("64 MiB", "96 MiB"));
    for (experiment, record) in [("tiny.toml", "base"), ("other.toml", "candidate")] {
        assert!(desk.assay(&["run", experiment, "--out", record]).status < 2);
    }
    desk.assert_nothing_is_left();

    let json = desk.assay(&["compare", "base", "candidate", "--json"]);
    let compared: Value = serde_json::from_str(&json.out).unwrap_or_else(|e| panic!("{e}: {json:?}"));
    let rows = compared["rows"].as_array().unwrap();
    assert!(rows.len() >= 4, "two cells, two metrics at least: {}", json.out);
    // One repetition decides nothing, and says so.
    assert!(rows.iter().all(|r| r["outcome"] == "undecided" || r["outcome"] == "refused"), "{}", json.out);
    let pool = |d: &&Value| d["key"] == "variable.innodb_buffer_pool_size";
    let pool = compared["differences"].as_array().unwrap().iter().find(pool).expect("the pools differ");
    assert_eq!((&pool["base"], &pool["candidate"]), (&"67108864".into(), &"100663296".into()));

    let text = desk.assay(&["compare", "base", "candidate", "--junit", "cases.xml", "--fail-if", "oltp.*:qps<-99.9%"]);
    assert!(text.out.contains("What else differs:") && text.out.contains("67108864 → 100663296"), "{text:?}");
    assert_eq!(desk.read("cases.xml").matches("<testcase").count(), rows.len());
    assert!(desk.assay(&["compare", "base", "candidate", "--markdown"]).out.starts_with("### base → candidate\n"));
    // Both as points of a history, too few for a change of level.
    let history = desk.assay(&["compare", "--history", ".", "--metric", "qps", "--html", "history.html"]);
    assert_eq!(history.status, 0, "{history:?}");
    assert!(history.out.contains("2 records; a change of level can be told from"), "{history:?}");
    assert_eq!(desk.read("history.html").matches("<svg").count(), history.out.matches(" qps ").count());
    // Two cells of one record.
    let cells = desk.assay(&["compare", "base:c001", "base:c002"]);
    assert!(cells.out.contains("range_size: 10 → 100"), "{cells:?}");
}

#[test]
fn experiments_are_carried_out_again_in_turn_and_the_same_command_goes_on() {
    let desk = Desk::new();
    desk.write("one.toml", &TINY.replace("repetitions = 2", "repetitions = 1").replace("[10, 100]", "[10]"));
    desk.write("other.toml", &desk.read("one.toml").replace("64 MiB", "96 MiB"));
    for (experiment, record) in [("one.toml", "base"), ("other.toml", "candidate")] {
        assert!(desk.assay(&["run", experiment, "--out", record]).status < 2);
    }
    let command = ["compare", "base", "candidate", "--again", "3", "--out", "again", "--json"];
    let mut lab = desk.start(&command);
    // The second record of the first round is under way: the first is whole.
    until("the second record", || desk.path("again/candidate-1/runs").exists().then_some(()));
    signal(lab.id(), Signal::INT);
    lab.wait().expect("a child of ours");
    desk.assert_nothing_is_left();
    let first = desk.read("again/base-1/runs/c001-1/run.json");
    assert!(!desk.path("again/candidate-2").exists(), "it was asked to stop");

    let said = desk.assay(&command);
    said.assert_carried_out();
    desk.assert_nothing_is_left();
    assert_eq!(desk.read("again/base-1/runs/c001-1/run.json"), first, "what was whole is kept");
    let compared: Value = serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:?}"));
    assert_eq!((&compared["again"], &compared["base"]), (&3.into(), &"base".into()));
    let rows = compared["rows"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["suggests"].is_null()), "{}", said.out);
    let started = |name: &str| {
        let run: Value = serde_json::from_str(&desk.read(&format!("again/{name}/runs/c001-1/run.json"))).unwrap();
        run["started_unix_ms"].as_u64().unwrap()
    };
    let mut order = ["base-1", "base-2", "base-3", "candidate-1", "candidate-2", "candidate-3"];
    order.sort_by_key(|name| started(name));
    assert_eq!(order, ["base-1", "candidate-1", "candidate-2", "base-2", "base-3", "candidate-3"]);
}

#[test]
fn too_few_pairs_and_cells_of_records_are_no_experiments_to_repeat() {
    let desk = Desk::without_server();
    let few = desk.assay(&["compare", "a", "b", "--again", "2"]);
    assert_eq!(few.status, 2);
    assert!(few.err.contains("fewer pairs have no interval"), "{few:?}");
    let past = desk.assay(&["compare", "a", "b", "--again", "3", "--history", "."]);
    assert_eq!(past.status, 2, "{past:?}");
}

#[test]
fn a_wrong_request_is_told_with_its_mend() {
    let desk = Desk::without_server();
    let none = desk.assay(&["compare", "nowhere", "nowhere-either"]);
    assert_eq!(none.status, 2);
    assert!(
        none.err.contains("nowhere is not a record") && none.err.contains("nowhere-either is not a record"),
        "{none:?}"
    );
    let limits = desk.assay(&["compare", "a", "b", "--fail-if", "qps", "--fail-if", "qps<3"]);
    assert_eq!(limits.status, 2);
    assert!(limits.err.contains("neither < nor >") && limits.err.contains("ends in no %"), "{limits:?}");
}

#[test]
fn a_history_of_nothing_is_told_with_its_mend() {
    let desk = Desk::without_server();
    desk.write("notes.txt", "no record");
    let none = desk.assay(&["compare", "--history", "."]);
    assert_eq!(none.status, 2);
    assert!(none.err.contains("holds no record with a finished run; name a folder"), "{none:?}");
    let both = desk.assay(&["compare", "--history", ".", "a", "b"]);
    assert_eq!(both.status, 2, "{both:?}");
}
