//! The check `schema_as_declared`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Warn};

#[test]
fn a_table_that_is_not_as_submitted_fails() {
    let changed = |from: &str, to: &str| {
        spoilt(|r| r.datasets[0].tables[0].created = r.datasets[0].tables[0].created.replace(from, to))
    };
    assert_eq!(status(&changed("ENGINE=InnoDB", "ENGINE=MyISAM"), "schema_as_declared"), Fail);
    let null = verdict(&changed("DEFAULT NULL", "NOT NULL DEFAULT 0"), "schema_as_declared");
    assert!(null.sentence.contains("in sbtest1, column k is NOT NULL instead of NULL"), "{}", null.sentence);
    assert_eq!(null.evidence[0], "datasets/d1.json");
    assert_eq!(status(&spoilt(|r| r.datasets[0].tables[0].rows = 9_999), "schema_as_declared"), Fail);
    assert_eq!(
        status(&spoilt(|r| r.datasets[0].tables[0].warnings.push("1286 Unknown engine".into())), "schema_as_declared"),
        Warn
    );
    assert_eq!(status(&spoilt(|r| r.datasets.clear()), "schema_as_declared"), NotEvaluable);
    let by_script = verdict(&spoilt(|r| r.datasets[0].tables[0].submitted.clear()), "schema_as_declared");
    assert_eq!(by_script.verdict, NotApplicable);
    assert!(by_script.sentence.contains("A script made its tables"), "{}", by_script.sentence);
}
