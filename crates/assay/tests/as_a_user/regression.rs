//! The microbenchmarks of regression studies as an experiment has them: one after the other on the same tables, each
//! compared with the base, and the tables that are made of it.

use crate::desk::Desk;

/// One of each statement that no other test says to a real server; two arms that differ in what no statement meets.
const TESTS: &str = r#"question = "Does a real server answer all of them as expected?"

[axes]
settings.prepared_statement_limit = [1_000_000, 1_000_001]

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.oltp]
tables = 2
rows   = 1_000

[load]
users = 2

[repeat]
repetitions = 1
aa          = false
"#;

const PHASES: [(&str, &str, &str); 16] = [
    ("random-points", "in_list_selects", "random_points = 100"),
    ("hot-points", "in_list_selects", "random_points = 100, hot_points = true"),
    ("points-covered-pk", "points_covered_pk", "random_points = 100"),
    ("points-notcovered-pk", "points_notcovered_pk", "protocol = \"text\""),
    ("points-covered-si", "points_covered_si", ""),
    ("points-notcovered-si", "points_notcovered_si", ""),
    ("range-covered-pk", "range_covered_pk", "range_size = 101"),
    ("range-notcovered-pk", "range_notcovered_pk", "range_size = 101"),
    ("range-covered-si", "range_covered_si", "protocol = \"text\""),
    ("range-notcovered-si", "range_notcovered_si", ""),
    ("read-only-count", "count_ranges", "range_size = 2_000"),
    ("scan", "scan", ""),
    ("scan prepared", "scan", "protocol = \"prepared\""),
    ("update-inlist", "in_list_updates", "random_points = 100"),
    ("update-inlist as text", "in_list_updates", "protocol = \"text\", random_points = 100"),
    ("update-one", "update_one", ""),
];

#[test]
fn the_microbenchmarks_are_answered_as_expected_and_told_in_four_groups() {
    let desk = Desk::new();
    let phase = |(name, workload, parameters): (&str, &str, &str)| {
        format!(
            "[[phases]]\nname = \"{name}\"\nworkload = \"oltp.{workload}\"\nparameters = {{ {parameters} }}\ncount = 20\n"
        )
    };
    desk.write("q.toml", &(TESTS.to_string() + &PHASES.map(phase).concat()));
    desk.assay(&["run", "q.toml", "--out", "record"]).assert_carried_out();
    let run = desk.run("c001-1");
    assert_eq!(run["ending"], "done", "{}", run["ending"]);
    for phase in run["phases"].as_array().expect("phases") {
        let tally = &phase["groups"]["users"]["tally"];
        for (name, statement) in tally["statements"].as_object().expect("statements") {
            let unexpected = statement["unexpected"].as_u64().unwrap_or(0);
            assert_eq!(unexpected, 0, "{} {name}: {statement}", phase["name"]);
        }
    }
    let told = desk.assay(&["report", "record", "--table", "qps", "--as", "tsv"]);
    let rows: Vec<(&str, &str)> = told.out.lines().filter_map(|line| line.split_once('\t')).collect();
    let group = |test: &str| {
        let is_it = |rest: &str| rest.split('\t').next() == Some(test);
        rows.iter().find(|(_, rest)| is_it(rest)).map(|(group, _)| *group)
    };
    for (test, of) in [
        ("hot-points", "point"),
        ("points-notcovered-si", "point"),
        ("range-covered-pk", "range"),
        ("scan", "range"),
        ("read-only-count", "aggregation"),
        ("update-one", "write"),
        ("all", "median of tests"),
    ] {
        assert_eq!(group(test), Some(of), "{test} in\n{}", told.out);
    }
    let changes = desk.assay(&["report", "record", "--table", "changes"]);
    assert!(changes.out.contains("0 of 16 rates"), "one repetition decides nothing:\n{}", changes.out);
    assert!(!changes.out.contains('|'), "a table of nothing:\n{}", changes.out);
}
