//! Bisection on drawn noise: a planted change is found in as many steps as halving takes, unchanged ends are told
//! before any build between them is asked, and what cannot be asked is passed over.

mod bench;

use judge::compare::bisect::{Limit, RISK, Step, Unpaired, next, of_record};
use judge::stats::draws::Draws;
use model::bisection::{Answer, Bisected};
use model::{Record, Seed};
use std::collections::BTreeSet;

const BUILDS: usize = 32;

fn row(builds: usize) -> Vec<Bisected> {
    (0..builds).map(|i| Bisected { name: format!("b{i:02}"), ..Bisected::default() }).collect()
}

/// What came of it, the builds between the ends that were asked, and the pairs that all of it took.
fn bisected(
    mut row: Vec<Bisected>,
    limit: Option<Limit>,
    level: impl Fn(usize) -> f64,
    spread: f64,
    seed: u64,
) -> (Answer, usize, usize) {
    let mut draws = Draws::of(Seed(seed));
    let mut asked = BTreeSet::new();
    let last = row.len() - 1;
    for _ in 0..500 {
        match next(&mut row, "qps", limit) {
            Step::Over(answer) => {
                let pairs = row.iter().map(|build| build.ratios.len()).sum();
                return (answer, asked.len(), pairs);
            }
            Step::Measure { build, pairs } => {
                assert!(pairs > 0 && row[build].skipped.is_none());
                if build != last {
                    asked.insert(build);
                }
                row[build].ratios.extend((0..pairs).map(|_| level(build) * (spread * draws.normal()).exp()));
            }
        }
    }
    panic!("it does not end");
}

fn first(answer: &Answer) -> Option<&str> {
    match answer {
        Answer::Found { first_bad, .. } => Some(first_bad),
        Answer::NoDifference { .. } | Answer::Undecided { .. } => None,
    }
}

#[test]
fn a_change_of_five_per_cent_among_thirty_two_builds_is_found_in_five_steps() {
    let trials = 600;
    for (limit, spread) in [
        (None, 0.01),
        (None, 0.03),
        (Some(Limit { change: -0.03, is_below: true }), 0.01),
        (Some(Limit { change: -0.03, is_below: true }), 0.03),
    ] {
        let mut missed = 0;
        for trial in 0..trials {
            let planted = 1 + trial as usize % (BUILDS - 1);
            let level = |build: usize| if build >= planted { 0.95 } else { 1.0 };
            let (answer, steps, _) = bisected(row(BUILDS), limit, level, spread, trial);
            missed += usize::from(first(&answer) != Some(&format!("b{planted:02}")));
            assert!(steps <= 5, "{steps} steps: {answer:?}");
        }
        let share = missed as f64 / trials as f64;
        assert!(share <= RISK, "{limit:?} at {spread}: missed {share}");
    }
}

#[test]
fn ends_that_do_not_differ_are_told_before_any_other_build_is_asked() {
    for limit in [None, Some(Limit { change: -0.03, is_below: true })] {
        let trials = 400;
        let claimed: usize = (0..trials)
            .map(|trial| {
                let (answer, steps, _) = bisected(row(BUILDS), limit, |_| 1.0, 0.02, 1_000 + trial);
                // Ends that were told apart by chance are told to be the same when more is known of the noise.
                usize::from(first(&answer).is_some() || steps > 0)
            })
            .sum();
        assert!(claimed <= trials as usize / 50, "{limit:?}: {claimed} of {trials}");
    }
    let (answer, ..) = bisected(row(4), None, |_| 1.0, 0.002, 1);
    assert!(matches!(&answer, Answer::NoDifference { sentence } if sentence.starts_with("The ends do not differ")));
}

#[test]
fn more_noise_takes_more_pairs_and_a_change_upwards_is_found_as_well() {
    let pairs = |spread| bisected(row(BUILDS), None, |build| if build > 9 { 1.10 } else { 1.0 }, spread, 5);
    let (calm, noisy) = (pairs(0.005), pairs(0.04));
    assert_eq!((first(&calm.0), first(&noisy.0)), (Some("b10"), Some("b10")));
    assert!(calm.2 < noisy.2, "{} and {}", calm.2, noisy.2);
}

#[test]
fn builds_that_could_not_be_asked_are_passed_over_and_named_where_it_may_be_one_of_them() {
    let mut builds = row(9);
    for at in [4, 5] {
        builds[at].skipped = Some("it did not build".into());
    }
    let level = |planted: usize| move |build: usize| if build >= planted { 0.9 } else { 1.0 };
    let (answer, ..) = bisected(builds.clone(), None, level(5), 0.01, 3);
    let Answer::Found { first_bad, or, sentence, .. } = &answer else { panic!("{answer:?}") };
    assert_eq!((first_bad.as_str(), or.as_slice()), ("b06", &["b04".to_string(), "b05".into()][..]));
    assert!(sentence.contains("or one of the 2 before it"), "{sentence}");
    let (answer, ..) = bisected(builds, None, level(2), 0.01, 3);
    assert_eq!(first(&answer), Some("b02"));
}

#[test]
fn a_run_in_which_nothing_was_done_leaves_its_block_out() {
    let mut record = bench::experiment(&[("settings.sort_buffer_size", &[1.into(), 2.into()])]);
    let paired = |record: &Record, metric: &str| of_record(record, &bench::NoDetails, &bench::judge(record), metric);
    let whole = paired(&record, "qps").expect("both have rates").ratios;
    let idle = bench::of_cell(&mut record, "c002").next().expect("a run");
    (bench::statement(idle).calls, bench::statement(idle).rows) = (0, 0);
    bench::operation(idle).done = 0;
    let ratios = paired(&record, "qps").expect("the others have rates").ratios;
    assert_eq!(ratios.len(), whole.len() - 1);
    assert_eq!(paired(&record, "nopm"), Err(Unpaired::Metric));
}

#[test]
fn what_is_known_decides_what_is_next_and_nothing_else_does() {
    let mut once = row(BUILDS);
    once[BUILDS - 1].ratios = vec![0.95, 0.955, 0.948, 0.951, 0.949];
    let (mut again, step) = (once.clone(), next(&mut once, "qps", None));
    assert_eq!(step, next(&mut again, "qps", None));
    assert!(matches!(step, Step::Measure { build: 15, pairs } if pairs >= 2), "{step:?}");
    assert_eq!(next(&mut once, "qps", None), step, "and asking twice changes nothing");
}
