//! From a question to a report in one command, and what can be had from the record afterwards: the same bytes, as often
//! as they are asked for.

use crate::desk::{Desk, RUN};
use serde_json::Value;

const DRAWN: [&str; 4] = ["record/report.html", "record/report.md", "record/report.json", "record/report.csv"];

#[test]
fn one_command_leads_to_a_report_and_the_same_again_does_nothing_more() {
    let desk = Desk::new();
    let first = desk.assay(RUN);
    first.assert_carried_out();
    desk.assert_nothing_is_left();
    assert_eq!(desk.run_folders(), ["c001-1", "c001-2", "c002-1", "c002-2"]);
    for id in desk.runs().keys() {
        assert_eq!(desk.run(id)["ending"], "done", "{id}");
    }
    assert!(first.out.trim_end().ends_with("record/report.html"), "{}", first.out);

    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    assert!(report["schema"].is_u64());
    for (cell, range) in cells(&report).iter().zip([10, 100]) {
        assert_eq!(cell["axes"]["range_size"], range);
        for (name, metric) in cell["metrics"].as_object().unwrap() {
            let keys: Vec<_> = metric.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, ["value", "low", "high", "n", "unit"], "{name}");
        }
        let qps = &cell["metrics"]["qps"];
        assert!(qps["value"].as_f64().unwrap() > 0.0 && qps["n"] == 2, "{qps}");
        for verdict in cell["verdicts"].as_array().unwrap() {
            let word = verdict["verdict"].as_str().unwrap();
            assert!(["not_applicable", "pass", "warn", "fail", "not_evaluable"].contains(&word), "{verdict}");
            assert!(judge::explain(verdict["check"].as_str().unwrap()).is_some(), "{verdict}");
        }
    }

    let drawn = DRAWN.map(|name| desk.read(name));
    assert!(drawn[0].contains("</html>") && drawn[1].starts_with("# ") && drawn[3].starts_with("cell,"));
    let judged = desk.assay(&["judge", "record", "--json", "--all"]);
    let judged_again = desk.assay(&["judge", "record", "--json", "--all"]);
    assert_eq!((judged.status, judged.out), (first.status, judged_again.out));
    assert_eq!(desk.assay(&["report", "record"]).status, first.status);
    assert_eq!(DRAWN.map(|name| desk.read(name)), drawn);

    let notes = desk.read("record/notes.jsonl");
    let again = desk.assay(&[RUN, &["--json"]].concat());
    assert_eq!(again.status, first.status);
    assert!(again.err.contains("all 4 runs are in record"), "{}", again.err);
    let lines: Vec<Value> = again.out.lines().map(|l| serde_json::from_str(l).expect("one cell a line")).collect();
    assert_eq!(&lines, cells(&report));
    assert_eq!(desk.read("record/notes.jsonl"), notes);
    assert_eq!(DRAWN.map(|name| desk.read(name)), drawn);
}

fn cells(report: &Value) -> &Vec<Value> {
    report["cells"].as_array().expect("a report has cells")
}
