//! Data that are loaded once: a lab killed in the middle of its first run loads nothing again, another experiment finds
//! them, and a run that writes does not change what the next one begins with.

use crate::desk::{Desk, RUN, until};

/// The transaction that reads and writes, on the smallest table.
const WRITING: &str = r#"question = "Does a writer leave something behind?"

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.oltp.read_write]
tables = 1
rows   = 1_000

[load]
users   = 2
measure = "300ms"

[repeat]
repetitions = 2
seed        = 7
aa          = false
"#;

#[test]
fn a_killed_lab_restores_what_it_had_loaded() {
    let desk = Desk::new();
    let mut lab = desk.start(RUN);
    until("the first run", || (desk.count("run_started") > 0).then_some(()));
    lab.kill().unwrap();
    lab.wait().unwrap();
    until("the death of the server with its lab", || desk.processes().is_empty().then_some(()));
    desk.assay(RUN).assert_carried_out();
    assert_eq!((desk.count("dataset_loading"), desk.count("snapshot_kept")), (1, 1));
    assert!(desk.count("snapshot_restored") >= 2);

    let shown = desk.assay(&["servers", "snapshots"]);
    assert!(
        shown.status == 0 && shown.out.contains("rows 1000, ") && shown.out.contains("1 snapshots take"),
        "{shown:?}"
    );
    let cleared = desk.assay(&["servers", "snapshots", "clear"]);
    assert!(cleared.status == 0 && cleared.out.contains("freed"), "{cleared:?}");
    assert!(desk.assay(&["servers", "snapshots"]).out.starts_with("0 snapshots take 0 B"));
}

#[test]
fn every_run_that_writes_begins_on_the_same_rows() {
    let desk = Desk::new();
    desk.write("writing.toml", WRITING);
    desk.assay(&["run", "writing.toml", "--out", "record"]).assert_carried_out();
    assert_eq!((desk.count("dataset_loading"), desk.count("snapshot_restored")), (1, 2));
    let starts = ["c001-1", "c001-2"].map(|id| desk.run(id)["start"].clone());
    for start in &starts {
        assert_eq!((&start["prepared"], &start["aged"]), (&"snapshot".into(), &false.into()), "{start}");
    }
    assert!(starts[0]["datasets"] == starts[1]["datasets"] && starts[0]["bytes"] == starts[1]["bytes"], "{starts:?}");
    assert!(desk.read("record/report.md").contains("2 restores by "), "{}", desk.read("record/report.md"));
}
