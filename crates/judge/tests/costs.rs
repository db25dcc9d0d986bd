//! What an operation costs, compared between cells of one record: where a rate is capped, the cost still tells; each
//! metric has noise and an A/A floor of its own; and what a server does by itself is no cost of anybody's.

mod bench;

use bench::*;
use model::estimate::{Comparison, Outcome};
use model::judgement::Judgement;
use model::plan::{CellId, RunId};
use model::record::Record;
use model::record::run::RunRecord;
use proptest::prelude::*;

const SECOND: f64 = 1e9;
const CPU: &str = "server_cpu_us_per_op";

fn of<'a>(judgement: &'a Judgement, metric: &str) -> Vec<&'a Comparison> {
    judgement.comparisons.iter().filter(|c| c.metric == metric).collect()
}

/// Seconds of CPU that the server took in the second that is measured, and nobody else.
fn cpu(run: &mut RunRecord, seconds: f64) {
    counter(run, "server.cpu.user", seconds * SECOND);
    counter(run, "server.cpu.system", 0.0);
    counter(run, "host.cpu.idle", (3.34 - seconds) * SECOND);
}

/// So many times the server's CPU in the cells of the second charset, and three thousandths of noise.
fn dearer(times: f64) -> Record {
    let mut record = record();
    for run in &mut record.runs {
        let is_second = ["c003", "c004"].contains(&run.cell.0.as_str());
        let noise = 1.0 + 0.003 * f64::from(run.repetition % 3);
        cpu(run, noise * if is_second { times } else { 1.0 });
    }
    record
}

/// A cell measured again under another label.
fn with_twin(mut record: Record, change: impl Fn(&mut RunRecord)) -> Record {
    let mut twin = record.plan.cells[0].clone();
    let id = CellId("aa".into());
    (twin.repeats, twin.id) = (Some(twin.id), id.clone());
    record.plan.cells.push(twin);
    let runs: Vec<RunRecord> = of_cell(&mut record, "c001").map(|run| run.clone()).collect();
    for mut run in runs {
        (run.id, run.cell) = (RunId(format!("aa-{}", run.repetition)), id.clone());
        change(&mut run);
        record.runs.push(run);
    }
    record
}

#[test]
fn a_cost_is_decided_where_the_rate_says_nothing() {
    let judgement = judge(&dearer(1.3));
    assert!(rates(&judgement).iter().all(|c| c.outcome == Outcome::Equivalent), "the rate is the same");
    let costs = of(&judgement, CPU);
    assert_eq!(costs.len(), 2);
    for cost in costs {
        assert_eq!(cost.outcome, Outcome::Worse, "{}", cost.sentence);
        let (low, high) = (cost.ratio.low.unwrap(), cost.ratio.high.unwrap());
        assert!(low <= 1.3 && 1.3 <= high && high - low < 0.1, "{:?}", cost.ratio);
        assert!(cost.sentence.contains("30 % more server CPU per operation than latin1"), "{}", cost.sentence);
    }
    let better = judge(&dearer(0.7));
    assert!(of(&better, CPU).iter().all(|c| c.outcome == Outcome::Better && c.sentence.contains("saves")));
}

#[test]
fn the_openings_tell_rates_alone() {
    let claims = |record: &Record| judge(record).claims.into_iter().map(|c| c.sentence).collect::<Vec<_>>();
    assert_eq!(claims(&dearer(1.0)), claims(&dearer(1.3)), "costs have their own table");
}

#[test]
fn a_floor_is_of_its_metric_and_makes_nothing_equivalent() {
    let alike = |run: &mut RunRecord| set_rate(run, QPS * (1.0 + 0.005 * (f64::from(run.repetition) - 2.0)));
    let outcome = |record: &Record| of(&judge(record), CPU)[0].outcome;
    let plain = with_twin(dearer(1.3), |_| ());
    assert_eq!(outcome(&plain), Outcome::Worse, "a twin that agrees hides nothing");
    // The twin's CPU is half as much again: a third is then nothing that could be claimed of CPU ...
    let noisy = with_twin(dearer(1.3), |run| cpu(run, 1.5));
    assert_eq!(outcome(&noisy), Outcome::Undecided);
    // ... and nothing of it is the same, while rates are what they were.
    let same = with_twin(dearer(1.0), |run| cpu(run, 1.5));
    assert_eq!(outcome(&same), Outcome::Undecided);
    assert!(rates(&judge(&same)).iter().all(|c| c.outcome == Outcome::Equivalent));
    // A twin of another rate is a floor under rates.
    let slow = with_twin(record(), |run| {
        alike(run);
        set_rate(run, 0.5 * QPS);
    });
    assert!(rates(&judge(&slow)).iter().all(|c| c.outcome != Outcome::Equivalent));
}

#[test]
fn what_a_server_does_by_itself_is_nobodys_cost() {
    // Two and nine pages in 20,000 operations.
    let mut record = record();
    for run in &mut record.runs {
        let pages = if run.cell.0 == "c003" { 9.0 } else { 2.0 };
        counter(run, "db.page_reads", pages);
    }
    assert_eq!(of(&judge(&record), "page_reads_per_op").len(), 0, "there is nothing to compare");
    // None against one in each operation: a ratio to the least that counts, and no division by nothing.
    for run in record.runs.iter_mut().filter(|r| r.cell.0 == "c003") {
        counter(run, "db.page_reads", 20_000.0 * (1.0 + 0.001 * f64::from(run.repetition)));
    }
    let judgement = judge(&record);
    let [first] = of(&judgement, "page_reads_per_op")[..] else { panic!("one of two pairs reads pages") };
    assert_eq!(first.outcome, Outcome::Worse, "{}", first.sentence);
    assert!((990.0..1010.0).contains(&first.ratio.value), "{:?}", first.ratio);
}

#[test]
fn what_was_not_read_is_not_compared_and_other_work_neither() {
    let mut record = record();
    record.runs.iter_mut().for_each(|run| forget(run, "server.cpu.user"));
    assert_eq!(of(&judge(&record), CPU).len(), 0);
    let works = [(model::experiment::keys::WORKLOAD, &["oltp.point_selects".into(), "oltp.simple_ranges".into()][..])];
    let judgement = judge(&experiment(&works));
    assert_eq!(judgement.comparisons.iter().filter(|c| !c.is_of_a_rate()).count(), 0);
}

#[test]
fn a_struck_cell_costs_nothing_that_counts_and_two_runs_decide_nothing() {
    let mut struck = dearer(1.3);
    of_cell(&mut struck, "c003").for_each(|r| statement(r).unexpected = 1);
    assert_eq!(of(&judge(&struck), CPU)[0].outcome, Outcome::Refused);
    let mut few = dearer(1.3);
    few.runs.retain(|r| r.repetition < 3);
    let judgement = judge(&few);
    let cost = of(&judgement, CPU)[0];
    assert_eq!((cost.outcome, cost.ratio.low), (Outcome::Undecided, None));
    assert!((cost.ratio.value - 1.3).abs() < 0.01);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// What an operation costs is the counter over the operations, whatever their rate and the reading's own window.
    #[test]
    fn a_cost_per_operation_is_counted_work_over_operations(
        cpu in 0.1..4.0_f64, ops in 100.0..50_000.0_f64, late in 1.0..1.5_f64,
    ) {
        let mut record = record();
        for run in &mut record.runs {
            set_rate(run, ops);
            counter(run, "server.cpu.user", cpu * SECOND);
            counter(run, "server.cpu.system", 0.0);
            for ends in run.phases[0].counters.values_mut() {
                ends.end = ends.begin + late * ends.delta();
                ends.end_at.0 = ends.begin_at.0 + (late * SECOND) as u64;
            }
        }
        let value = judge(&record).cells[0].metrics[CPU].value;
        let expected = cpu * 1e6 / ops.round();
        prop_assert!((value / expected - 1.0).abs() < 1e-6, "{} {}", value, expected);
    }
}
