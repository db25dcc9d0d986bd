//! A finding of a real server leads on: the report writes the experiment that takes its cause away, as a file that is
//! carried out as it stands. What the numbers then say is the machine's affair; that four arms are measured, the first
//! of them as it was, is ours.

use crate::desk::Desk;
use serde_json::Value;

/// Three times the data that the pool holds; limits so wide that a busy machine strikes nothing.
const SMALL_POOL: &str = r#"question = "What does a small pool cost?"

[server.settings]
buffer_pool = "8 MiB"
redo        = "16 MiB"

[workload.oltp.point_selects]
rows = 100_000

[load]
users   = 1
warm_up = "100ms"
measure = "500ms"

[repeat]
repetitions = 1
aa          = false

[limits]
others_fail      = 1.0
others_cpus_fail = 8.0
steal_fail       = 1.0
canary_fail      = 1.0
little_fail      = 1.0
"#;

#[test]
fn a_finding_proposes_its_intervention_and_the_file_runs_as_it_is() {
    let desk = Desk::new();
    desk.write("pool.toml", SMALL_POOL);
    desk.assay(&["run", "pool.toml", "--out", "record"]).assert_carried_out();
    let counters = &desk.run("c001-1")["phases"][1]["counters"];
    let grown = |name: &str| counters[name][1].as_f64().unwrap() - counters[name][0].as_f64().unwrap();
    assert!(grown("db.page_reads") > 0.0 && grown("foreground.data_time") > 0.0 && grown("foreground.cpu") > 0.0);
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    let found = report["findings"].as_array().unwrap().iter().find(|f| f["name"] == "reads_from_disk");
    let found = found.unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!((&found["rung"], &found["next_file"]), (&"consistent_with".into(), &"next/reads_from_disk.toml".into()));
    assert_eq!(Some(desk.read("record/next/reads_from_disk.toml").as_str()), found["next_experiment"].as_str());
    let once = ["--set", "repeat.repetitions=1", "--out", "after"];
    desk.assay(&[&["run", "record/next/reads_from_disk.toml"], &once[..]].concat()).assert_carried_out();
    let plan: Value = serde_json::from_str(&desk.read("after/plan.json")).unwrap();
    assert_eq!(
        (&plan["intervention"]["finding"], &plan["cells"].as_array().unwrap().len()),
        (&"reads_from_disk".into(), &4)
    );
    let before: Value = serde_json::from_str(&desk.read("record/plan.json")).unwrap();
    for part in ["workload", "parameters", "load"] {
        assert_eq!(plan["cells"][0][part], before["cells"][0][part], "{part} of the arm as it was");
    }
}
