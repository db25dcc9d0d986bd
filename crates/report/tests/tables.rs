//! Tables to paste, as golden files: of the made-up record with a struck cell, a client in the way and writes, and what
//! is told where there is none.

#[path = "../examples/sample/judgement.rs"]
mod judgement;
#[path = "../examples/sample/record.rs"]
mod record;

use model::{Comparison, Estimate, Judgement, Outcome, Record, Status, Verdict};
use record::Size;
use report::tables;

fn verdict(check: &str, verdict: Status) -> Verdict {
    Verdict {
        check: check.into(),
        verdict,
        sentence: String::new(),
        measured: String::new(),
        limit: String::new(),
        advice: String::new(),
        evidence: Vec::new(),
        quarantined: false,
        phases: Vec::new(),
        open_in: Vec::new(),
    }
}

/// One cell is struck, and in one the client was in the way.
fn marked() -> (Record, Judgement) {
    let (mut record, _) = record::of(Size::Golden);
    let mut judgement = judgement::of(&record);
    judgement.cells.iter_mut().for_each(|cell| cell.verdicts.clear());
    judgement.cells[2].verdicts.push(verdict("machine_was_quiet", Status::Fail));
    judgement.cells[3].verdicts.push(verdict("client_had_headroom", Status::Warn));
    for cell in judgement.cells.iter_mut().filter(|cell| !cell.metrics.is_empty()) {
        let costs = [
            ("server_cpu_us_per_op", 40.0, "µs"),
            ("client_cpu_us_per_op", 6.0, "µs"),
            ("server_switches_per_op", 2.1, "switches"),
            ("written_kib_per_op", 4.0, "KiB"),
            ("fsyncs_per_op", 1.0, "fsyncs"),
        ];
        let estimate = |value, unit: &str| Estimate { value, low: None, high: None, n: 3, unit: unit.into() };
        cell.metrics.extend(costs.map(|(name, value, unit)| (name.to_string(), estimate(value, unit))));
    }
    let rates = judgement.comparisons.clone();
    let of_costs = rates.iter().flat_map(|rate| {
        [
            ("server_cpu_us_per_op", 1.2, Outcome::Worse),
            ("written_kib_per_op", 1.0, Outcome::Equivalent),
            ("fsyncs_per_op", 1.1, Outcome::Undecided),
        ]
        .map(|(metric, value, outcome)| {
            let ratio =
                Estimate { value, low: Some(value - 0.05), high: Some(value + 0.05), n: 3, unit: "ratio".into() };
            let outcome = if rate.outcome == Outcome::Refused { Outcome::Refused } else { outcome };
            Comparison { metric: metric.into(), ratio, outcome, ..rate.clone() }
        })
    });
    judgement.comparisons.extend(of_costs.collect::<Vec<_>>());
    for run in record.runs.iter_mut().filter(|run| run.cell.0 == "c009" || run.cell.0 == "c010") {
        for group in run.phases.iter_mut().flat_map(|phase| phase.groups.values_mut()) {
            group.tally.statements.values_mut().for_each(|statement| statement.affected = statement.calls);
        }
    }
    (record, judgement)
}

#[test]
fn tables_to_paste_read_like_this() {
    let (record, judgement) = marked();
    for name in tables::NAMES {
        for form in ["markdown", "tsv"] {
            let text = tables::text(name, form, &record, &judgement).expect("there are numbers");
            insta::assert_snapshot!(format!("{name}_{form}"), text);
        }
    }
}

#[test]
fn the_report_lays_costs_side_by_side_like_this() {
    let (record, judgement) = marked();
    let (_, details) = record::of(Size::Golden);
    let text = report::render(&record, &judgement, &details, "").markdown;
    let (_, section) = text.split_once("## What an operation costs").expect("costs were compared");
    insta::assert_snapshot!(section.split("\n## ").next().unwrap_or(section));
    let without = report::render(&record, &self::judgement::of(&record), &details, "").markdown;
    assert!(!without.contains("## What an operation costs"), "nothing was compared but rates");
}

#[test]
fn a_ratio_with_a_struck_side_is_struck() {
    let (record, mut judgement) = marked();
    let struck = |judgement: &Judgement| {
        let text = tables::text("qps", "tsv", &record, judgement).expect("there are numbers");
        text.matches(" struck").count()
    };
    assert_eq!(struck(&judgement), 1, "the candidate alone");
    judgement.cells[0].verdicts.push(verdict("machine_was_quiet", Status::Fail));
    assert_eq!(struck(&judgement), 2, "the base, and the ratio that was struck already");
    judgement.cells[2].verdicts.clear();
    assert_eq!(struck(&judgement), 2, "the base strikes the ratio");
}

#[test]
fn a_table_that_cannot_be_made_is_told_with_the_mend() {
    let (record, mut judgement) = marked();
    let why = |name: &str, form: &str, judgement: &Judgement| {
        tables::text(name, form, &record, judgement).expect_err("it cannot be made")
    };
    assert!(why("tps", "tsv", &judgement).contains("no table called \"tps\"; write one of qps, cost"));
    assert!(why("qps", "html", &judgement).contains("write --as markdown or --as tsv"));
    judgement.cells.iter_mut().for_each(|cell| cell.metrics.clear());
    assert!(why("qps", "tsv", &judgement).contains("none of its runs was done"));
    let (without, _) = record::of(Size::Golden);
    let why = tables::text("cost", "tsv", &without, &judgement).expect_err("no counters");
    assert!(why.contains("the server's counters"), "{why}");
}
