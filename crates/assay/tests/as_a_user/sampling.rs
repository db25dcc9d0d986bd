//! What is read of a real server beside its phases is the experiment's to say: not at all between their ends, which
//! tells what reading costs, or on after the load, until the server has paid what it owes.

use crate::desk::Desk;
use serde_json::Value;

const QUESTION: &str = r#"question = "What does it cost to read, and what is owed?"

[axes]
sampling = [true, false]

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.oltp.update_index]
rows = 2_000

[load]
users   = 2
measure = "300ms"
drain   = "1s"

[repeat]
repetitions = 1
aa          = false
"#;

#[test]
fn a_run_waits_for_what_its_server_owes_and_reads_it_at_the_ends_alone_where_that_is_asked() {
    let desk = Desk::new();
    desk.write("q.toml", QUESTION);
    desk.assay(&["run", "q.toml", "--out", "record"]).assert_carried_out();
    for run in ["c001-1", "c002-1"] {
        let drain = &desk.run(run)["whole"]["drain"];
        let owed = drain["owed"]["db.history_list_length"].as_array().unwrap_or_else(|| panic!("{drain}"));
        assert_eq!((owed.len(), drain["is_over"].is_boolean()), (3, true), "{drain}");
    }
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    for cell in report["cells"].as_array().unwrap() {
        let rate = |name: &str| cell["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("no {name}"));
        assert!(rate("debt_adjusted_ops_per_s") <= rate("ops_per_s"), "{}", cell["metrics"]);
    }
    let of_experiment = report["verdicts"].as_array().unwrap();
    let bias = of_experiment.iter().find(|v| v["check"] == "observer_moved_nothing").expect("it has both");
    assert_eq!(bias["verdict"], "not_evaluable", "one repetition has no interval: {bias}");
}
