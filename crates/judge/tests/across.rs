//! Two records side by side: what belongs together, what is decided, and what else differs.

mod bench;

use bench::*;
use judge::compare::across::{self, Side, USUAL};
use judge::compare::history::{self, Taken};
use model::compared::{Compared, Row};
use model::estimate::Outcome;
use model::plan::CellId;
use model::record::Record;
use model::record::start::Prepared;

fn side<'a>(record: &'a Record, judgement: &'a model::judgement::Judgement, cell: Option<&str>) -> Side<'a> {
    Side { name: "r".into(), record, details: &NoDetails, judgement, cell: cell.map(|c| CellId(c.into())) }
}

fn compare(base: &Record, candidate: &Record) -> Compared {
    let (one, other) = (judge(base), judge(candidate));
    across::compare(&side(base, &one, None), &side(candidate, &other, None), USUAL, &[])
}

/// A tenth of a per cent of noise, another in every run and record.
fn noisy(factor: f64, record: &mut Record) {
    for (i, run) in record.runs.iter_mut().enumerate() {
        let noise = 1.0 + 0.001 * ((i * 7 + (factor * 10.0) as usize) % 5) as f64;
        set_rate(run, QPS * factor * noise);
    }
}

/// What the runs of a row say, whatever days differ by.
fn said(row: &Row) -> Outcome {
    row.suggests.unwrap_or(row.outcome)
}

fn of<'a>(compared: &'a Compared, metric: &'a str) -> impl Iterator<Item = &'a Row> {
    compared.rows.iter().filter(move |r| r.metric == metric)
}

#[test]
fn each_cell_meets_its_counterpart_and_a_fall_is_worse_for_rates_as_a_rise_is_for_latencies() {
    let (mut base, mut candidate) = (record(), record());
    noisy(1.0, &mut base);
    noisy(0.8, &mut candidate);
    let compared = compare(&base, &candidate);
    assert_eq!(of(&compared, "qps").count(), base.plan.cells.len());
    assert!(
        of(&compared, "qps").all(|r| said(r) == Outcome::Worse && (r.ratio.value - 0.8).abs() < 0.01),
        "{compared:#?}"
    );
    assert!(of(&compared, "latency_us_p99").all(|r| said(r) == Outcome::Worse && r.ratio.value > 1.2));
    assert_eq!((compared.differences.len(), compared.unmatched.len()), (0, 0), "{compared:#?}");
}

#[test]
fn a_ratio_within_a_record_that_is_another_in_the_next_says_whose_change_it_is() {
    let (mut base, mut candidate) = (record(), record());
    noisy(1.0, &mut base);
    noisy(1.0, &mut candidate);
    // The reference of two comparisons, on either axis.
    for run in candidate.runs.iter_mut().filter(|run| run.cell.0 == "c001") {
        set_rate(run, QPS * 0.8 * (1.0 + 0.001 * f64::from(run.position % 3)));
    }
    let moved = compare(&base, &candidate).moved;
    assert!(moved.iter().all(|m| m.reference.0 == "c001" && (m.ratio.value - 1.25).abs() < 0.01), "{moved:#?}");
    let of_charset = moved.iter().find(|m| m.axis == "charset").expect("its reference fell");
    let told = "utf8mb4-generic ÷ latin1 of oltp.point_selects went from 1.00";
    assert!(of_charset.sentence.starts_with(told), "{}", of_charset.sentence);
    assert!(of_charset.sentence.contains(": latin1 fell by 20"), "{}", of_charset.sentence);
    assert!(of_charset.sentence.ends_with(", and utf8mb4-generic did not."), "{}", of_charset.sentence);
    noisy(1.0, &mut candidate);
    assert_eq!(compare(&base, &candidate).moved, [], "both as they were");
    noisy(0.8, &mut candidate);
    assert_eq!(compare(&base, &candidate).moved, [], "both moved alike");
}

#[test]
fn the_same_twice_is_equivalent() {
    let (mut base, mut candidate) = (record(), record());
    noisy(1.0, &mut base);
    noisy(1.0, &mut candidate);
    assert!(compare(&base, &candidate).rows.iter().all(|r| said(r) == Outcome::Equivalent));
}

#[test]
fn data_that_one_record_loaded_and_the_next_found_are_no_other_work() {
    let prepared = |way: Prepared| {
        let mut record = record();
        record.runs.iter_mut().for_each(|run| run.start.as_mut().unwrap().prepared = way);
        noisy(1.0, &mut record);
        record
    };
    let (loaded, found) = (prepared(Prepared::Loaded), prepared(Prepared::Found));
    let compared = compare(&loaded, &found);
    assert_eq!(compared.differences, [], "{compared:#?}");
    assert!(compared.rows.iter().all(|row| said(row) == Outcome::Equivalent));
    // Rows that nobody compared may be others.
    let mut counted = found.clone();
    counted.datasets.iter_mut().for_each(|data| data.rows_checked = 0);
    let told = compare(&loaded, &counted).differences;
    assert!(told.iter().any(|d| d.key == "data"), "{told:#?}");
    let mut aged = found;
    aged.runs.iter_mut().for_each(|run| run.start.as_mut().unwrap().aged = true);
    assert!(compare(&loaded, &aged).differences.iter().any(|d| d.key == "data"));
}

#[test]
fn another_variable_is_told_and_other_work_refuses_the_comparison() {
    let (base, mut candidate) = (record(), record());
    candidate.instances[0].variables.insert("sync_binlog".into(), "1".into());
    candidate.host.kernel = "6.18".into();
    let told = compare(&base, &candidate);
    let keys: Vec<&str> = told.differences.iter().map(|d| d.key.as_str()).collect();
    assert_eq!(keys, ["host.kernel", "variable.sync_binlog"]);
    assert_eq!(told.differences[1].pairs, 4);
    assert!(told.rows.iter().all(|r| r.outcome != Outcome::Refused));

    let table = &mut candidate.datasets[0].tables[0];
    table.created = table.created.replace("PRIMARY KEY (`id`)", "PRIMARY KEY (`id`,`k`)");
    let refused = compare(&base, &candidate);
    let key = refused.differences.iter().find(|d| d.key == "table.sbtest1.primary key");
    assert!(key.is_some_and(|d| d.work && d.base == "id" && d.candidate == "id, k"), "{refused:#?}");
    assert!(refused.rows.iter().all(|r| r.outcome == Outcome::Refused));
}

#[test]
fn a_cell_that_failed_a_check_is_refused_by_name() {
    let (base, mut candidate) = (record(), record());
    of_cell(&mut candidate, "c001").for_each(|r| statement(r).unexpected = 1);
    let compared = compare(&base, &candidate);
    let refused: Vec<&Row> = compared.rows.iter().filter(|r| r.outcome == Outcome::Refused).collect();
    assert!(
        !refused.is_empty()
            && refused.iter().all(|r| r.candidate.0 == "c001" && r.why.ends_with("failed on the candidate"))
    );
}

#[test]
fn two_cells_of_one_record_differ_in_what_they_were_asked_to_and_keep_their_blocks() {
    let mut record = record();
    // Blocks that drift by a factor of two hide nothing from a ratio by block.
    for run in &mut record.runs {
        let factor = if run.cell.0 == "c003" { 0.9 } else { 1.0 };
        set_rate(run, QPS * factor * f64::from(run.repetition) * (1.0 + 1e-4 * f64::from(run.position % 3)));
    }
    let judgement = judge(&record);
    let (base, candidate) = (side(&record, &judgement, Some("c001")), side(&record, &judgement, Some("c003")));
    let compared = across::compare(&base, &candidate, &["qps"], &[]);
    assert_eq!(compared.rows.len(), 1);
    assert_eq!((compared.differences[0].key.as_str(), compared.differences.len()), ("charset", 1), "{compared:#?}");
    assert!(
        (compared.rows[0].ratio.value - 0.9).abs() < 0.01 && compared.rows[0].ratio.high.unwrap() < 0.95,
        "{compared:#?}"
    );
}

#[test]
fn a_cell_without_counterpart_is_named() {
    let (base, mut candidate) = (record(), record());
    candidate.plan.cells.retain(|c| c.id.0 != "c004");
    let compared = compare(&base, &candidate);
    assert_eq!(compared.unmatched.len(), 1);
    assert!(compared.unmatched[0].ends_with("of the base"), "{:?}", compared.unmatched);
}

#[test]
fn runs_of_several_phases_meet_phase_by_phase() {
    let staged = |slow: f64| {
        let mut record = record();
        noisy(1.0, &mut record);
        for cell in &mut record.plan.cells {
            let mut open = cell.phases[0].clone();
            open.name = "open".into();
            cell.phases.push(open);
        }
        for run in &mut record.runs {
            let mut alone = run.clone();
            let rate = alone.phases[0].tally().statements.values().map(|s| s.calls).sum::<u64>() as f64;
            set_rate(&mut alone, rate * slow);
            let mut open = alone.phases.remove(0);
            open.name = "open".into();
            run.phases.push(open);
        }
        record
    };
    let compared = compare(&staged(1.0), &staged(0.7));
    let outcome = |phase: &str| {
        let rows: Vec<Outcome> = of(&compared, "qps").filter(|r| r.cell.ends_with(phase)).map(said).collect();
        assert_eq!(rows.len(), 4, "{compared:#?}");
        rows[0]
    };
    assert_eq!((outcome("phase measure"), outcome("phase open")), (Outcome::Equivalent, Outcome::Worse));
}

#[test]
fn two_records_are_two_draws_and_decide_nothing_without_earlier_ones() {
    let (mut base, mut candidate) = (record(), record());
    noisy(1.0, &mut base);
    noisy(0.8, &mut candidate);
    let compared = compare(&base, &candidate);
    assert!(compared.rows.iter().all(|row| row.outcome == Outcome::Undecided && row.more.is_none()), "{compared:#?}");
    assert!(of(&compared, "qps").all(|row| row.suggests == Some(Outcome::Worse)));
    assert!(compared.rows.iter().all(|row| row.why.starts_with("a record is one draw")), "{compared:#?}");
}

#[test]
fn earlier_records_say_how_much_days_differ() {
    let of_day = |factor: f64| {
        let mut record = record();
        noisy(factor, &mut record);
        record
    };
    // Six days that differ by a per cent, or by ten.
    let past = |spread: f64| -> Vec<Taken> {
        let day = |n: u32| of_day(1.0 + spread * (f64::from(n) - 2.5) / 2.5);
        (0..6).filter_map(|n| history::take(&n.to_string(), &day(n), &judge(&day(n)))).collect()
    };
    let decided = |factor: f64, past: &[Taken]| {
        let (base, candidate) = (of_day(1.0), of_day(factor));
        let (one, other) = (judge(&base), judge(&candidate));
        let compared = across::compare(&side(&base, &one, None), &side(&candidate, &other, None), &["qps"], past);
        assert!(compared.rows.iter().all(|row| row.suggests.is_none()), "{compared:#?}");
        compared.rows[0].outcome
    };
    assert_eq!(decided(0.8, &past(0.01)), Outcome::Worse);
    assert_eq!(decided(0.97, &past(0.01)), Outcome::Undecided, "days differ by as much");
    assert_eq!(decided(0.8, &past(0.10)), Outcome::Undecided, "and some by more");
}
