//! All tests of two cells at once: what no test alone can tell shows in their median, the noise of a whole run stays a
//! run's, and where phases are no tests nothing is summed up.

mod bench;

use bench::*;
use model::estimate::{Outcome, Overall};
use model::judgement::Judgement;
use model::load::{Disturb, Phase, Work};
use model::plan::RunId;
use model::record::Record;
use model::record::run::RunRecord;
use model::units::Nanos;

const SECOND: f64 = 1e9;
const TESTS: u32 = 20;
const BLOCKS: u32 = 8;
const CPU: &str = "server_cpu_us_per_op";

/// In ±1, even, and the same for the same place.
fn noise(seed: u32, place: u32) -> f64 {
    let mixed = u64::from(place + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(seed) << 17);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Two charsets that go through the same tests, the second of which needs so much CPU. Each test spreads by itself, and
/// each run does with all its tests.
fn suite(dearer: f64, of_test: f64, of_run: f64) -> Record {
    suite_of(&|_| dearer, of_test, of_run)
}

fn suite_of(dearer: &dyn Fn(u32) -> f64, of_test: f64, of_run: f64) -> Record {
    let mut record = experiment(&[("charset", &["latin1".into(), "utf8mb4-generic".into()])]);
    for cell in &mut record.plan.cells {
        let (one, work) =
            (cell.phases[0].clone(), Work { workload: cell.workload.clone(), parameters: cell.parameters.clone() });
        let phase = |test| Phase { name: format!("test {test}"), work: Some(work.clone()), ..one.clone() };
        cell.phases = (0..TESTS).map(phase).collect();
    }
    let (runs, planned) = (record.runs.clone(), record.plan.runs.clone());
    let of_block =
        |block: u32| runs.iter().zip(&planned).filter(|(run, _)| run.block == 1).map(move |both| (block, both));
    (record.runs, record.plan.runs) = (1..=BLOCKS)
        .flat_map(of_block)
        .map(|(block, (run, planned))| {
            let id = RunId(format!("{}-{block}", run.cell));
            let (mut run, mut planned) = (run.clone(), planned.clone());
            (run.id, run.block, run.repetition) = (id.clone(), block, block);
            (planned.id, planned.block, planned.repetition) = (id, block, block);
            tests(&mut run, dearer, of_test, of_run);
            (run, planned)
        })
        .unzip();
    record
}

fn tests(run: &mut RunRecord, dearer: &dyn Fn(u32) -> f64, of_test: f64, of_run: f64) {
    let second = u32::from(run.cell.0 == "c002");
    let place = run.block * 2 + second;
    let of_run = 1.0 + of_run * noise(1, place);
    let phase = |test: u32| {
        let mut alone = run.clone();
        let dearer = if second == 1 { dearer(test) } else { 1.0 };
        let seconds = dearer * of_run * (1.0 + of_test * noise(2, place * TESTS + test));
        counter(&mut alone, "server.cpu.user", seconds * SECOND);
        counter(&mut alone, "server.cpu.system", 0.0);
        counter(&mut alone, "host.cpu.idle", (3.34 - seconds) * SECOND);
        let mut phase = alone.phases.remove(0);
        let shift = Nanos::from_secs(u64::from(test)).0;
        (phase.name, phase.from, phase.to) =
            (format!("test {test}"), Nanos(phase.from.0 + shift), Nanos(phase.to.0 + shift));
        phase
    };
    run.phases = (0..TESTS).map(phase).collect();
}

fn of<'a>(judgement: &'a Judgement, metric: &str) -> &'a Overall {
    judgement.overall.iter().find(|overall| overall.comparison.metric == metric).expect("a median over all tests")
}

#[test]
fn what_no_test_can_tell_shows_in_the_median_of_all() {
    let judgement = judge(&suite(1.02, 0.03, 0.0));
    let of_tests = judgement.comparisons.iter().filter(|c| c.metric == CPU);
    assert!(of_tests.clone().count() == TESTS as usize && of_tests.clone().all(|c| c.outcome == Outcome::Undecided));
    let Overall { comparison, tests, of: all, .. } = of(&judgement, CPU);
    assert_eq!((comparison.outcome, *tests, *all), (Outcome::Worse, TESTS, TESTS), "{}", comparison.sentence);
    let (low, high) = (comparison.ratio.low.unwrap(), comparison.ratio.high.unwrap());
    assert!(low <= 1.02 && 1.02 <= high && high - low < 0.03, "{:?}", comparison.ratio);
    let answers: Vec<&str> = judgement.claims.iter().filter(|c| c.is_answer).map(|c| c.sentence.as_str()).collect();
    assert!(
        answers[0].starts_with("utf8mb4-generic and latin1 have the same QPS within 2 % in the median of 20 tests"),
        "{answers:?}"
    );
    assert!(answers[1].starts_with("utf8mb4-generic needs in the median of 20 tests "), "{answers:?}");
}

#[test]
fn what_one_kind_of_statement_lost_shows_in_the_median_of_its_group() {
    let is_range = |test: u32| test < 5;
    let mut record = suite_of(&|test| if is_range(test) { 1.05 } else { 1.0 }, 0.03, 0.0);
    for run in &mut record.runs {
        for (_, phase) in (0..).zip(&mut run.phases).filter(|(test, _)| is_range(*test)) {
            let statements = &mut phase.groups.get_mut("users").unwrap().tally.statements;
            let points = statements.remove("point_selects").unwrap();
            statements.insert("simple_ranges".into(), points);
        }
    }
    let judgement = judge(&record);
    let told: Vec<(Option<&str>, u32, Outcome)> = judgement
        .overall
        .iter()
        .filter(|o| o.comparison.metric == CPU)
        .map(|o| (o.group.as_deref(), o.of, o.comparison.outcome))
        .collect();
    assert_eq!(told[0], (None, TESTS, Outcome::Equivalent), "{:#?}", judgement.overall);
    assert_eq!(told[1], (Some("point"), TESTS - 5, Outcome::Equivalent), "{:#?}", judgement.overall);
    assert_eq!(told[2], (Some("range"), 5, Outcome::Worse), "{:#?}", judgement.overall);
    let sentence = &judgement.overall.iter().find(|o| o.group.as_deref() == Some("range")).unwrap().comparison.sentence;
    assert!(sentence.contains("in the median of 5 range tests"), "{sentence}");
}

#[test]
fn what_a_run_does_to_all_of_its_tests_is_one_value_however_many_they_are() {
    let noisy = judge(&suite(1.02, 0.0, 0.06));
    let comparison = &of(&noisy, CPU).comparison;
    assert_eq!(comparison.outcome, Outcome::Undecided, "{}", comparison.sentence);
    let same = judge(&suite(1.0, 0.06, 0.0));
    assert!(same.overall.iter().all(|o| matches!(o.comparison.outcome, Outcome::Equivalent | Outcome::Undecided)));
}

#[test]
fn a_test_that_is_struck_on_one_side_is_left_out_and_said() {
    let mut record = suite(1.02, 0.06, 0.0);
    for run in of_cell(&mut record, "c002") {
        let tally = &mut run.phases[4].groups.get_mut("users").unwrap().tally;
        tally.statements.get_mut("point_selects").unwrap().unexpected = 3;
    }
    let judgement = judge(&record);
    let overall = of(&judgement, CPU);
    assert_eq!((overall.tests, overall.of), (TESTS - 1, TESTS));
    assert!(overall.comparison.sentence.contains("in the median of 19 of 20 tests"), "{}", overall.comparison.sentence);
}

#[test]
fn phases_that_are_no_tests_are_not_summed_up() {
    let spoilt = |spoil: fn(&mut Phase)| {
        let mut record = suite(1.02, 0.0, 0.0);
        record.plan.cells.iter_mut().for_each(|cell| spoil(&mut cell.phases[3]));
        judge(&record).overall.len()
    };
    assert_eq!(spoilt(|_| ()), 2);
    assert_eq!(
        spoilt(|phase| phase.disturb = Some(Disturb { name: "open_snapshot".into(), parameters: Default::default() })),
        0
    );
    assert_eq!(spoilt(|phase| phase.work = None), 0);
    assert!(judge(&record()).overall.is_empty());
}
