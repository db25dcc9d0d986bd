//! What `assay compare` prints, as golden files: a reader of a pull request and a build server live by it.

use model::compared::{COMPARED_SCHEMA, Compared, Difference, Moved, Row};
use model::estimate::{Estimate, Outcome};
use model::plan::CellId;
use report::compared::{Broken, junit, markdown, text};

fn estimate(value: f64, low: Option<f64>, high: Option<f64>, unit: &str) -> Estimate {
    Estimate { value, low, high, n: 5, unit: unit.into() }
}

fn row(cell: &str, metric: &str, unit: &str, values: [f64; 2], outcome: Outcome, why: &str) -> Row {
    let ratio = values[1] / values[0];
    Row {
        base: CellId("c001".into()),
        candidate: CellId("c001".into()),
        workload: "oltp.mixed".into(),
        cell: cell.into(),
        metric: metric.into(),
        values: values.map(|value| estimate(value, None, None, unit)),
        ratio: estimate(ratio, Some(ratio * 0.99), Some(ratio * 1.01), "ratio"),
        outcome,
        suggests: None,
        more: None,
        why: why.into(),
    }
}

fn compared() -> Compared {
    let one = "oltp.mixed (users 8)";
    let difference = |key: &str, base: &str, candidate: &str, work, pairs| Difference {
        key: key.into(),
        base: base.into(),
        candidate: candidate.into(),
        work,
        pairs,
    };
    Compared {
        schema: COMPARED_SCHEMA,
        base: "records/main".into(),
        candidate: "records/<branch>".into(),
        again: None,
        rows: vec![
            row(one, "qps", "statements/s", [20_000.0, 18_100.0], Outcome::Worse, ""),
            row(one, "latency_us_p99", "µs", [910.0, 905.0], Outcome::Equivalent, ""),
            row(
                "oltp.mixed (users 64)",
                "qps",
                "statements/s",
                [41_000.0, 42_000.0],
                Outcome::Undecided,
                "3 more repetitions would probably decide",
            ),
            row(
                "oltp.mixed (users 256)",
                "qps",
                "statements/s",
                [30_000.0, 45_000.0],
                Outcome::Refused,
                "operations_succeeded failed on the candidate",
            ),
        ],
        moved: vec![Moved {
            metric: "qps".into(),
            axis: "variant".into(),
            reference: CellId("c001".into()),
            subject: CellId("c002".into()),
            ratio: estimate(1.25, Some(1.2), Some(1.3), "ratio"),
            sentence:
                "versioned ÷ plain of oltp.mixed went from 0.500 to 0.625: plain fell by 20 %, and versioned did not."
                    .into(),
        }],
        differences: vec![
            difference("table.sbtest1.primary key", "id", "id, row_end", true, 1),
            difference("build", "mariadb-10.11", "mariadb-11.4", false, 1),
            difference("host.kernel", "", "6.18.44", false, 0),
        ],
        unmatched: vec!["oltp.mixed (users 1) of the base".into()],
    }
}

fn broken() -> Broken {
    [(0, "oltp.*:qps<-3%".to_string())].into()
}

#[test]
fn a_terminal_shows_columns_and_what_else_differs() {
    insta::assert_snapshot!(text(&compared(), &broken()));
}

#[test]
fn a_pull_request_shows_a_table() {
    insta::assert_snapshot!(markdown(&compared(), &broken()));
}

#[test]
fn a_build_server_gets_a_case_per_row_and_no_text_can_end_its_xml() {
    let xml = junit(&compared(), &broken());
    assert!(!xml.contains("<branch>"));
    insta::assert_snapshot!(xml);
}

#[test]
fn records_that_were_made_in_turn_say_how_many_pairs() {
    let compared = Compared { again: Some(5), ..compared() };
    let told = "5 pairs of records, made in turn: each pair is one ratio.";
    assert!(text(&compared, &Broken::new()).contains(told));
    assert!(markdown(&compared, &Broken::new()).contains(told));
}
