//! The judgement as a whole: numbers, comparisons, the sentences that a report opens with, and that all of it is a
//! function of the record.

mod bench;

use bench::*;
use model::estimate::Outcome;
use model::histogram::Histogram;
use model::load::Phase;
use model::plan::{CellId, RunId, Skipped};
use model::record::Record;
use model::record::explain::{Explain, Wait};
use model::record::run::{Ending, PhaseRecord};
use model::units::{Nanos, Share};
use model::value::Value;
use model::verdict::Status;

#[test]
fn the_page_of_a_check_names_each_of_its_limits() {
    for check in judge::checks::ALL {
        let page = judge::explain(check.id).unwrap();
        for limit in check.source.split("Share(").skip(1).filter_map(|rest| rest.split(')').next()?.parse::<f64>().ok())
        {
            let shown = Share(limit).to_string();
            assert!(page.contains(&shown), "the page of {} does not name {shown}", check.id);
        }
    }
}

/// utf8mb4 answers 38 % fewer statements; half a per cent of noise beside.
fn slower_charset() -> Record {
    let mut record = record();
    for run in record.runs.iter_mut().filter(|r| ["c003", "c004"].contains(&r.cell.0.as_str())) {
        let noise = 1.0 + 0.004 * (f64::from(run.repetition) - 2.0);
        set_rate(run, 0.62 * QPS * noise);
    }
    record
}

fn sentences(record: &Record) -> Vec<String> {
    judge(record).claims.into_iter().map(|c| format!("{}: {}", c.status.word(), c.sentence)).collect()
}

#[test]
fn the_same_record_gives_the_same_bytes() {
    let record = slower_charset();
    let text = || serde_json::to_string(&judge(&record)).unwrap();
    assert_eq!(text(), text());
    let mut shuffled = record.clone();
    shuffled.runs.reverse();
    assert_eq!(serde_json::to_string(&judge(&shuffled)).unwrap(), text(), "the order of runs on disk is no evidence");
}

#[test]
fn every_number_has_its_unit_its_interval_and_its_n() {
    let judgement = judge(&record());
    let cell = &judgement.cells[1];
    for name in [
        "qps",
        "ops_per_s",
        "errors_per_op",
        "rows_per_statement",
        "client_cpu_us_per_statement",
        "client_cpu_user_us_per_statement",
        "server_cpu_us_per_statement",
        "server_switches_per_statement",
        "latency_us_mean",
        "latency_us_p50",
        "latency_us_p95",
        "latency_us_p99",
        "latency_us_p99.9",
        "latency_us_max",
    ] {
        let estimate = cell.metrics.get(name).unwrap_or_else(|| panic!("no {name}"));
        assert!(!estimate.unit.is_empty() && estimate.n == REPETITIONS, "{name}");
        let (low, high) = (estimate.low.unwrap(), estimate.high.unwrap());
        assert!(low <= estimate.value && estimate.value <= high, "{name}: {estimate:?}");
    }
    assert!(!cell.metrics.contains_key("tps"), "no commits, no transactions");
    assert!((cell.metrics["qps"].value / QPS - 1.0).abs() < 1e-3);
    // 1.6 CPU seconds per second over 20,000 statements.
    assert!((cell.metrics["server_cpu_us_per_statement"].value / 80.0 - 1.0).abs() < 1e-2);
    assert_eq!(cell.repetitions["qps"], [19_900.0, 20_000.0, 20_100.0]);
    assert!(cell.operations["point_selects"].contains_key("latency_us_p99"));
    assert_eq!(cell.statements["point_selects"]["bytes_per_call"].value.round(), 200.0);
}

#[test]
fn a_run_with_instruments_on_makes_no_number() {
    let plain = slower_charset();
    let mut explained = plain.clone();
    let wait = Wait { event: "wait/synch/mutex/sql/LOCK_open".into(), count: 3, time: Nanos(9_000) };
    let seen = Explain { waits: vec![wait], ..Explain::default() };
    let mut run = explained.runs[0].clone();
    run.id = RunId(format!("{}-explain", run.cell));
    run.explain = Some(seen.clone());
    // Far slower than its cell's other runs.
    run.phases.iter_mut().for_each(|p| p.to = Nanos(p.to.0 * 10));
    explained.runs.push(run);
    let (without, with) = (judge(&plain), judge(&explained));
    assert_eq!(with.cells[0].explain, Some(seen));
    for (a, b) in without.cells.iter().zip(&with.cells) {
        assert_eq!((&a.metrics, &a.runs, &a.verdicts), (&b.metrics, &b.runs, &b.verdicts));
    }
}

#[test]
fn fewer_than_three_runs_give_a_point_and_no_interval() {
    let mut record = record();
    record.runs.retain(|r| r.repetition < 3);
    let judgement = judge(&record);
    for estimate in judgement.cells[0].metrics.values() {
        assert_eq!((estimate.low, estimate.high, estimate.n), (None, None, 2));
    }
    assert!(judgement.comparisons.iter().all(|c| c.outcome == Outcome::Undecided));
}

#[test]
fn counters_are_rates_over_their_own_window() {
    let mut record = record();
    let of = |record: &Record| judge(record).cells[0].metrics["server_cpu_us_per_statement"].value;
    let before = of(&record);
    for run in &mut record.runs {
        for ends in run.phases[0].counters.values_mut() {
            ends.end = ends.begin + 1.1 * ends.delta();
            ends.end_at = Nanos(ends.begin_at.0 + 1_100_000_000);
        }
    }
    assert!((of(&record) / before - 1.0).abs() < 1e-9, "a reading taken late is no more CPU per statement");
}

#[test]
fn a_percentile_is_of_all_operations_and_never_a_mean_of_percentiles() {
    let mut record = record();
    for run in of_cell(&mut record, "c001") {
        let mut histogram = Histogram::new();
        // One run holds all the slow operations: 3 % of its own, 1 % of all.
        histogram.record_many(Nanos(100_000), 9_700);
        histogram.record_many(Nanos(if run.repetition == 1 { 900_000 } else { 100_000 }), 300);
        operation(run).latency = histogram;
    }
    let p99 = &judge(&record).cells[0].metrics["latency_us_p99"];
    assert!((p99.value / 100.0 - 1.0).abs() < 1e-3, "{p99:?}");
    assert!(p99.high.unwrap() > 900.0, "three runs of which one was slow know little: {p99:?}");
}

#[test]
fn an_axis_is_told_by_its_largest_effect_with_its_interval() {
    let judgement = judge(&slower_charset());
    let rates = rates(&judgement);
    assert_eq!(rates.len(), 2, "one per number of users; users are not compared with each other");
    let first = rates[0];
    assert_eq!((first.base.as_str(), first.candidate.as_str(), first.outcome), ("c001", "c003", Outcome::Worse));
    insta::assert_snapshot!(sentences(&slower_charset()).join("\n"));
}

#[test]
fn equal_cells_are_equivalent_and_noisy_ones_undecided() {
    assert!(rates(&judge(&record())).iter().all(|c| c.outcome == Outcome::Equivalent));
    let mut noisy = record();
    of_cell(&mut noisy, "c003").for_each(|r| set_rate(r, QPS * (1.0 + 0.12 * (f64::from(r.repetition) - 2.0))));
    let judgement = judge(&noisy);
    assert_eq!(judgement.comparisons[0].outcome, Outcome::Undecided, "{}", judgement.comparisons[0].sentence);
    let told = judgement.claims.iter().find(|c| c.sentence.contains("1 undecided")).expect("what became of both");
    assert!(told.sentence.ends_with("; a difference below about 33 % cannot be told here."), "{}", told.sentence);
}

#[test]
fn a_cell_that_failed_a_check_takes_no_part_in_a_claim() {
    let mut record = slower_charset();
    of_cell(&mut record, "c003").for_each(|r| statement(r).unexpected = 1);
    let judgement = judge(&record);
    assert_eq!(judgement.comparisons[0].outcome, Outcome::Refused);
    // Answers come first, and behind them what may not be believed, the worst first.
    let health = judgement.claims.iter().find(|c| !c.is_answer).expect("a record has its health");
    let told = "3 of 4 numbers stand; 1 is struck because answers were not the expected ones.";
    assert_eq!((health.sentence.as_str(), judgement.health.sentence.as_str()), (told, told));
    assert!(judgement.claims.iter().is_sorted_by_key(|c| !c.is_answer), "{:#?}", judgement.claims);
    let claims = sentences(&record);
    assert!(claims.iter().all(|c| !c.contains("(1 user) 38 %")), "{claims:#?}");
}

#[test]
fn curves_over_users_are_told_by_their_growth() {
    let mut record = experiment(&[("users", &[1.into(), 8.into(), 64.into()])]);
    for (cell, rate) in [("c001", 5_000.0), ("c002", 20_000.0), ("c003", 15_000.0)] {
        of_cell(&mut record, cell).for_each(|r| set_rate(r, rate));
    }
    let claims = sentences(&record);
    let told = "oltp.point_selects grows 4-fold from 1 to 8 users (5000 to 20000 QPS), and is 25 % lower at 64 users.";
    assert!(claims.iter().any(|c| c.ends_with(told)), "{claims:#?}");
}

#[test]
fn what_was_not_measured_is_said_with_its_reason() {
    let mut record = record();
    record.plan.skipped = vec![Skipped {
        axes: [("cpus".to_string(), Value::from("2 sockets"))].into(),
        reason: "the host has 1 socket".into(),
    }];
    for run in record.runs.iter_mut().filter(|r| ["c003", "c004"].contains(&r.cell.0.as_str())) {
        run.ending = Ending::Skipped { reason: "the server has no such collation".into() };
    }
    let judgement = judge(&record);
    insta::assert_snapshot!(judgement.not_measured.join("\n"));
    let cell = judgement.cell(&CellId("c003".into())).unwrap();
    assert_eq!((cell.status, cell.verdicts.len()), (Status::NotEvaluable, 0));
    assert!(!judgement.failed(), "what a server lacks is not a failure");
}

#[test]
fn a_comparison_that_could_not_be_made_is_said_first_where_no_other_is_decided() {
    let mut record = experiment(&[("cpus", &["all".into()])]);
    record.plan.axes[0].values.push("2 sockets".into());
    record.plan.skipped = vec![Skipped {
        axes: [("cpus".to_string(), Value::from("2 sockets"))].into(),
        reason: "the host has 1 socket; ask for all".into(),
    }];
    let told = "Nothing was compared over cpus: of its values only all could be run, because the host has 1 socket; ask for all.";
    let claims = judge(&record).claims;
    assert_eq!((claims[0].sentence.as_str(), claims[0].is_answer), (told, true));
    assert!(claims[1].is_answer && claims[1].sentence.contains(" reaches "), "{claims:#?}");
    let skipped = std::mem::take(&mut record.plan.skipped);
    assert!(sentences(&record).iter().all(|c| !c.contains("Nothing was compared")), "an axis of one value");
    let mut decided = experiment(&[("charset", &["latin1".into(), "utf8".into()])]);
    of_cell(&mut decided, "c002").for_each(|run| set_rate(run, 0.62 * QPS * (1.0 + 0.001 * f64::from(run.repetition))));
    decided.plan.axes.push(record.plan.axes[0].clone());
    decided.plan.skipped = skipped;
    decided.plan.cells.iter_mut().for_each(|cell| _ = cell.axes.insert("cpus".into(), "all".into()));
    let claims = judge(&decided).claims;
    assert!(claims[0].sentence.starts_with("utf8 "), "{claims:#?}");
    assert!(claims[1].is_answer && claims[1].sentence == told, "{claims:#?}");
}

#[test]
fn tests_that_follow_each_other_have_no_rate_in_common() {
    let mut record = experiment(&[("charset", &["latin1".into()])]);
    for cell in &mut record.plan.cells {
        let scan = Phase { name: "scan".into(), ..cell.phases[0].clone() };
        cell.phases.push(scan);
    }
    for run in &mut record.runs {
        let mut slow = run.clone();
        set_rate(&mut slow, 100.0);
        run.phases.push(PhaseRecord { name: "scan".into(), ..slow.phases.remove(0) });
    }
    let claims = judge(&record).claims;
    assert_eq!(claims[0].sentence, "2 tests were measured, from 100 QPS (scan) to 20000 QPS (measure).");
}

#[test]
fn a_record_without_a_single_run_is_judged() {
    let mut record = record();
    record.runs.clear();
    let judgement = judge(&record);
    assert!(judgement.cells.iter().all(|c| c.no_number.is_some()));
    assert!(judgement.claims[0].sentence.starts_with("There is no answer yet."), "{:?}", judgement.claims);
    assert!(
        sentences(&record).iter().any(|c| c.contains("0 of 12 runs, 12 not carried out")),
        "{:?}",
        judgement.claims
    );
    assert_eq!(judgement.health.sentence, "None of 4 numbers stands; all 4 are missing: it has not been run yet.");
}

#[test]
fn every_check_explains_itself() {
    for check in judge::checks::ALL {
        let page = judge::explain(check.id).unwrap();
        assert!(page.lines().count() > 6 && !check.advice.is_empty(), "{page}");
        assert!(check.source.contains(&format!("id: \"{}\"", check.id)), "{} prints another check's page", check.id);
    }
    assert_eq!(judge::explain("no_such_check"), None);
    assert_eq!(judge::pages().len(), judge::checks::ALL.len() + judge::findings::ALL.len());
    insta::assert_snapshot!(judge::explain("littles_law").unwrap());
}
