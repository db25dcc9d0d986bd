//! Seed 0 from end to end: a zero is missing in one workload's range, and the plan, the run and the judge each say so.

use crate::desk::{Desk, TINY};
use serde_json::Value;

#[test]
fn a_missing_zero_is_named_before_the_runs_and_judged_after_them() {
    let desk = Desk::new();
    let slip = TINY
        .replace("range_size = [10, 100]", "workload = [\"oltp.mixed\", \"oltp.distinct_ranges\"]")
        .replace("[workload.oltp.simple_ranges]", "[workload.oltp]")
        .replace("[load]", "[workload.oltp.distinct_ranges]\nrange_size = 10\n\n[load]")
        .replace("repetitions = 2", "repetitions = 1");
    desk.write("slip.toml", &slip);
    let warning = "range_size is 100 by default in oltp.mixed and 10 in oltp.distinct_ranges: \
                   they differ by exactly one zero, and it is not an axis.";
    let plan = desk.assay(&["plan", "slip.toml"]);
    assert_eq!(plan.status, 0);
    assert!(plan.out.contains(warning), "{}", plan.out);

    let said = desk.assay(&["run", "slip.toml", "--out", "record"]);
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.err.contains(warning), "{}", said.err);
    desk.assert_nothing_is_left();
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    let verdicts = report["verdicts"].as_array().unwrap();
    let of = |check: &str| verdicts.iter().find(|v| v["check"] == check).unwrap_or_else(|| panic!("no {check}"));
    let agree = of("parameters_agree");
    assert_eq!(agree["verdict"], "fail");
    let sentence = agree["sentence"].as_str().unwrap();
    assert!(sentence.contains("range_size") && sentence.contains("100") && sentence.contains("10 in"), "{sentence}");
    // Not the label alone: the rows of one call tell it too.
    let work = of("measured_work_agrees");
    assert_eq!(work["verdict"], "fail", "{work}");
    assert!(desk.read("record/report.md").contains("range_size"));
}
