//! A search for users as a lab carries it out, with imagined answers in place of a server: each level that the rule
//! asks for is answered by a curve whose peak is known, until the rule says that it is over, and then it tells what
//! was found. What a machine that others use does to the rates is noise here, and seeded, so that the answers are the
//! same every time.

mod bench;

use bench::{experiment, set_rate};
use judge::curves::search::answer::{Told, tell};
use judge::curves::search::next;
use model::judgement::SearchJudgement;
use model::plan::RunId;
use model::record::run::{Ending, RunRecord};
use model::search::{Goal, Search, Step, Trial};
use model::seed::{Seed, split_mix};
use model::units::Share;
use model::verdict::Status;

/// A server of so many places, each of which does so much in a second.
const PLACES: f64 = 4.0;
const EACH: f64 = 1_000.0;
/// As in an experiment that says `from = 1, to = 16, runs = 14`.
const RUNS: u32 = 14;
const SEARCHES: u64 = 200;

/// More users than places only wait.
fn flat(users: f64) -> f64 {
    EACH * users.min(PLACES)
}

/// They also get into each other's way: each doubling takes a tenth.
fn peaked(users: f64) -> f64 {
    flat(users) * (1.0 - 0.1 * (users / PLACES).max(1.0).log2())
}

fn search(seed: u64) -> Search {
    Search { goal: Goal::Users, from: 1.0, to: 16.0, within: Share(0.5), runs: RUNS, seed: Seed(seed) }
}

/// The run that the rule asked for, and how it was answered.
fn answered(template: &RunRecord, number: usize, level: f64, why: String, rate: f64) -> RunRecord {
    let trial = Some(Trial { level, why, cut: None });
    let mut run = RunRecord { id: RunId(format!("c001-{number}")), trial, ..template.clone() };
    set_rate(&mut run, rate);
    run
}

fn carried_out(curve: impl Fn(f64) -> f64, noise: f64, seed: u64) -> (Told, Vec<RunRecord>) {
    let record = experiment(&[]);
    let mut cell = record.plan.cells[0].clone();
    cell.search = Some(search(seed));
    let mut dice = Seed(12).nth(seed).0;
    let mut spread = || {
        dice = split_mix(dice);
        // Evenly between the two ends, which no machine's noise is, and bounded, so that nothing is a matter of luck.
        noise * (2.0 * (dice >> 11) as f64 / (1_u64 << 53) as f64 - 1.0)
    };
    let mut runs: Vec<RunRecord> = Vec::new();
    loop {
        let seen: Vec<&RunRecord> = runs.iter().collect();
        match next(&cell, &seen) {
            Step::Over { .. } => return (tell(&cell, &seen), runs),
            Step::Run { level, why } => {
                let rate = curve(level) * (1.0 + spread());
                runs.push(answered(&record.runs[0], runs.len() + 1, level, why, rate));
            }
        }
    }
}

fn interval(judgement: &SearchJudgement) -> (f64, f64) {
    let answer = judgement.answer.as_ref().expect("the sweep is over");
    (answer.low.expect("an interval"), answer.high.expect("an interval"))
}

#[test]
fn the_users_at_the_peak_are_found_and_more_bring_less() {
    let (told, runs) = carried_out(peaked, 0.001, 3);
    let found = told.judgement;
    assert_eq!((found.answer.as_ref().unwrap().value, found.status, found.over), (PLACES, Status::Pass, true));
    // The neighbours that were tried are certainly not the best.
    assert!(found.sentence.contains("does most with 4 users (2 to 8): "), "{}", found.sentence);
    assert!(found.sentence.ends_with(&format!(", from {} runs.", runs.len())), "{}", found.sentence);
    let at_the_peak: Vec<_> = runs.iter().filter(|r| r.trial.as_ref().unwrap().level == PLACES).collect();
    assert!(at_the_peak.len() >= 3 && at_the_peak.iter().all(|run| told.carriers.contains(&run.id)));
    assert_eq!(told.carriers.len(), at_the_peak.len(), "the runs at the peak carry the number, and no others");
}

#[test]
fn noise_widens_the_interval_and_moves_it_nowhere_else() {
    for noise in [0.01, 0.05, 0.2] {
        let held = (0..SEARCHES).filter(|seed| {
            let (told, runs) = carried_out(peaked, noise, *seed);
            let (low, high) = interval(&told.judgement);
            assert!(told.judgement.over && runs.len() <= RUNS as usize, "{}", told.judgement.sentence);
            low <= PLACES && PLACES <= high
        });
        let held = held.count() as f64 / SEARCHES as f64;
        assert!(held >= 0.95, "{noise}: {held}");
    }
}

#[test]
fn users_who_only_wait_bring_nothing_and_the_answer_reaches_over_them() {
    let told: Vec<_> = (0..SEARCHES).map(|seed| carried_out(flat, 0.005, seed).0.judgement).collect();
    let share =
        |of: &dyn Fn(&SearchJudgement) -> bool| told.iter().filter(|found| of(found)).count() as f64 / SEARCHES as f64;
    let holds = |found: &SearchJudgement| interval(found).0 <= PLACES && interval(found).1 >= PLACES * 4.0;
    assert!(share(&holds) >= 0.95, "{}", share(&holds));
    let fewest = |found: &SearchJudgement| interval(found).0 >= PLACES / 2.0;
    assert!(share(&fewest) >= 0.99, "half as many users as places do half as much, whoever else is at work");
    let says = |found: &SearchJudgement| found.sentence.contains("may do more beyond the end of the search");
    assert!(share(&says) >= 0.9, "{}", share(&says));
}

#[test]
fn a_search_that_nothing_decides_ends_with_the_runs_that_the_plan_allows() {
    let (told, runs) = carried_out(peaked, 0.9, 1);
    assert_eq!((runs.len(), told.judgement.status), (RUNS as usize, Status::Warn));
    let why = format!("; all {RUNS} runs that the plan allows were made");
    assert!(told.judgement.sentence.contains(&why), "{}", told.judgement.sentence);
}

#[test]
fn a_server_that_fails_three_times_in_a_row_is_not_searched_further() {
    let record = experiment(&[]);
    let mut cell = record.plan.cells[0].clone();
    cell.search = Some(search(1));
    let failed = RunRecord { ending: Ending::Failed { reason: "it is gone".into() }, ..record.runs[0].clone() };
    let runs = [&failed, &failed, &failed];
    assert!(matches!(next(&cell, &runs[..2]), Step::Run { .. }));
    assert!(matches!(next(&cell, &runs), Step::Over { found: false, .. }));
}
