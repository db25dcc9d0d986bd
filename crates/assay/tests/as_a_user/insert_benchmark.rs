//! The insert benchmark on a real server, small: all steps with a table for each client and with one for all, their
//! laws, a rest in between, and readers beside writers, of whom those who can keep their rate do and those who cannot
//! are told; and tables that hold rows already, which are refused.

use crate::desk::Desk;
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use serde_json::Value;

const STEPS: &str = r#"question = "What do inserts cost?"

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"
flush_at_commit = 2

[workload.insert]
clients    = 2
rows       = 1_050
one_table  = ONE_TABLE
partitions = PARTITIONS
protocol   = "PROTOCOL"

[load]
users = 2

[[phases]]
name     = "load"
workload = "insert.load"
count    = 22
[[phases]]
name     = "index"
workload = "insert.create_indexes"
users    = 1
count    = INDEXED
[[phases]]
name       = "insert"
workload   = "insert.insert"
parameters = { rows_per_transaction = 50 }
count      = 60
[[phases]]
name   = "settle"
settle = "20s"
[[phases]]
name  = "beside"
count = 200
[[phases.groups]]
name     = "readers"
workload = "insert.range_queries"
users    = 2
[[phases.groups]]
name     = "writers"
workload = "insert.insert"
users    = 2
rate     = 2
arrivals = "constant"
[[phases]]
name    = "too fast"
measure = "1s"
[[phases.groups]]
name     = "readers"
workload = "insert.point_queries"
users    = 1
[[phases.groups]]
name     = "writers"
workload = "insert.insert"
users    = 1
rate     = 100_000

[repeat]
repetitions = 1
aa          = false
"#;

/// The steps over a table for each client, or over one in partitions whose rows come by a prepared statement.
pub fn steps(one_table: bool) -> String {
    let (indexed, partitions, protocol) = if one_table { ("1", "3", "prepared") } else { ("2", "0", "text") };
    STEPS
        .replace("ONE_TABLE", &one_table.to_string())
        .replace("INDEXED", indexed)
        .replace("PARTITIONS", partitions)
        .replace("PROTOCOL", protocol)
}

fn verdict<'a>(cell: &'a Value, check: &str) -> &'a Value {
    let verdicts = cell["verdicts"].as_array().expect("a cell has verdicts");
    verdicts.iter().find(|v| v["check"] == check).unwrap_or_else(|| panic!("{check} on {cell:#}"))
}

fn answer(run: &Value, question: &str, when: &str) -> i64 {
    let answers = run["audits"][0]["answers"].as_array().expect("the audit has answers");
    let answer = answers.iter().find(|a| a["name"] == question).unwrap_or_else(|| panic!("{question}: {run:#}"));
    answer[when].as_i64().unwrap_or_else(|| panic!("{question} {when}: {answer:#}"))
}

#[test]
fn every_step_keeps_its_laws_and_a_rate_out_of_reach_is_told() {
    let desk = Desk::new();
    for one_table in [false, true] {
        let tables = &one_table.to_string();
        desk.write("q.toml", &steps(one_table));
        desk.assay(&["run", "q.toml", "--out", tables]).assert_carried_out();
        let report: Value = serde_json::from_str(&desk.read(&format!("{tables}/report.json"))).unwrap();
        let run: Value = serde_json::from_str(&desk.read(&format!("{tables}/runs/c001-1/run.json"))).unwrap();
        let cell = &report["cells"][0];
        for check in ["data_obeyed_its_laws", "answers_were_expected", "counts_agree", "operations_succeeded"] {
            assert_eq!(verdict(cell, check)["verdict"], "pass", "{tables}: {:#}", verdict(cell, check));
        }
        for check in ["held_throughout", "schema_as_declared"] {
            assert_ne!(verdict(cell, check)["verdict"], "fail", "{tables}: {:#}", verdict(cell, check));
        }
        let late = verdict(cell, "rate_was_reached");
        let told = late["sentence"].as_str().unwrap();
        assert_eq!((&late["verdict"], &late["phases"]), (&"fail".into(), &serde_json::json!(["too fast"])), "{late:#}");
        // Beside other tests the CPUs are what it is short of.
        let is_said = ["no time left", " CPUs."].iter().any(|limit| told.contains(limit));
        assert!(told.contains("SLA failure: `writers`") && is_said, "{told}");

        // As many as were loaded, whatever was inserted; and the public script's counts for the same parameters.
        let (rows, gone) = (2 * 1_050, answer(&run, "rows_ever_deleted", "after"));
        assert_eq!((answer(&run, "rows", "before"), answer(&run, "rows", "after")), (0, rows));
        assert_eq!(answer(&run, "rows_ever_inserted", "after"), rows + gone);
        assert!(gone > 60 * 50 && gone % 50 == 0, "{gone}");
        let settled = &run["phases"][3]["settled"];
        assert_eq!((&run["phases"][3]["name"], &settled["is_over"]), (&"settle".into(), &true.into()), "{settled:#}");
        assert!(cell["metrics"]["settle_s"]["value"].as_f64().is_some_and(|s| s > 0.0));
        let phases = cell["phases"].as_array().unwrap();
        let beside = phases.iter().find(|p| p["name"] == "beside").unwrap();
        let qps = |group: &str| beside["groups"][group]["metrics"]["qps"]["value"].as_f64().unwrap();
        assert!(qps("readers") > 0.0 && qps("writers") > 0.0, "{beside:#}");
        assert!(desk.read(&format!("{tables}/report.md")).contains("beside: writers"));
    }
}

#[test]
fn tables_that_hold_rows_are_not_loaded_again() {
    let desk = Desk::new();
    let again = "[[phases]]\nname = \"again\"\nworkload = \"insert.load\"\ncount = 22\n";
    let steps = steps(false);
    let at = steps.find("[[phases]]\nname       = \"insert\"").unwrap();
    let rest = steps.find("[repeat]").unwrap();
    desk.write("q.toml", &format!("{}{again}{}", &steps[..at], &steps[rest..]));
    desk.assay(&["run", "q.toml", "--out", "record"]);
    let why = desk.run("c001-1")["ending"]["failed"]["reason"].to_string();
    assert!(why.contains("in again: ") && why.contains("holds 1050 rows already"), "{why}");
}

#[test]
fn a_strangers_table_with_other_rows_is_left_alone() {
    use crate::somebody_elses_server::{Ends, SECRET, theirs};
    let desk = Desk::new();
    let (socket, mut control) = theirs(&desk);
    let _ends = Ends(&desk);
    control.execute("CREATE TABLE theirs.pi1 (transactionid BIGINT PRIMARY KEY)").unwrap();
    control.execute("INSERT INTO theirs.pi1 VALUES (7)").unwrap();
    let on = format!("mysql://tester@localhost/theirs?socket={}", socket.display());
    let mut command = desk.command(&["bench", "insert.load", "--for", "1s", "--on", &on, "--out", "record"]);
    let said = crate::desk::Said::of(command.env("ASSAY_PASSWORD", SECRET).output().unwrap());
    assert!(said.err.contains("is not assay's to fill"), "{said:?}");
    let mut control = Control::connect(&SqlEndpoint::root(socket)).unwrap();
    assert_eq!(control.value("SELECT SUM(transactionid) FROM theirs.pi1").unwrap().as_deref(), Some("7"));
}
