//! The check `repetitions_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn repetitions_that_spread_are_noise() {
    let spread = |by: f64| {
        spoilt(|r| of_cell(r, "c001").for_each(|r| set_rate(r, QPS * (1.0 + by * (f64::from(r.repetition) - 2.0)))))
    };
    assert_eq!(status(&spread(0.04), "repetitions_agree"), Pass);
    assert_eq!(status(&spread(0.10), "repetitions_agree"), Pass, "three runs do not know it better");
    assert_eq!(status(&spread(0.12), "repetitions_agree"), Warn);
    assert_eq!(status(&spread(0.20), "repetitions_agree"), Warn, "not beyond doubt");
    assert_eq!(status(&spread(0.30), "repetitions_agree"), Fail);
    assert_eq!(status(&spoilt(|r| r.runs.retain(|r| r.repetition < 3)), "repetitions_agree"), NotEvaluable);
}

#[test]
fn runs_of_two_states_are_told_although_they_spread_little() {
    let of_ten = |rate: fn(u32) -> f64| {
        spoilt(move |r| {
            let template = of_cell(r, "c001").next().unwrap().clone();
            r.runs.retain(|r| r.cell.0 != "c001");
            r.runs.extend((1..=10).map(|n| {
                let mut run = template.clone();
                run.id = model::plan::RunId(format!("c001-{n}"));
                (run.repetition, run.block) = (n, n);
                set_rate(&mut run, rate(n));
                run
            }));
        })
    };
    let even = |n: u32| QPS * (1.0 + 0.01 * f64::from(n % 5));
    assert_eq!(status(&of_ten(even), "repetitions_agree"), Pass);
    let states =
        verdict(&of_ten(|n| QPS * (1.0 + 0.06 * f64::from(n % 2) + 0.001 * f64::from(n))), "repetitions_agree");
    assert_eq!(states.verdict, Warn);
    assert!(states.sentence.contains("two states, 5 runs around"), "{}", states.sentence);
}

#[test]
fn what_shifts_whole_blocks_is_in_no_comparison_and_so_in_no_spread() {
    // The machine of the second block was half as fast, for all cells alike.
    let shifted = |cells: fn(&str) -> bool| {
        spoilt(move |r| {
            for run in r.runs.iter_mut().filter(|run| run.block == 2 && cells(&run.cell.0)) {
                set_rate(run, QPS / 2.0);
            }
        })
    };
    assert_eq!(status(&shifted(|_| true), "repetitions_agree"), Pass);
    assert_eq!(status(&shifted(|cell| cell == "c001"), "repetitions_agree"), Fail, "one cell alone is noise");
}

#[test]
fn more_runs_bear_more_noise() {
    let of = |n: u32| {
        spoilt(move |r| {
            let template = of_cell(r, "c001").next().unwrap().clone();
            r.runs.retain(|r| r.cell.0 != "c001");
            r.runs.extend((1..=n).map(|n| {
                let mut run = template.clone();
                run.id = model::plan::RunId(format!("c001-{n}"));
                (run.repetition, run.block) = (n, n);
                set_rate(&mut run, QPS * [0.86, 1.0, 1.14][n as usize % 3]);
                run
            }));
        })
    };
    assert_eq!(status(&of(3), "repetitions_agree"), Warn);
    assert_eq!(status(&of(6), "repetitions_agree"), Pass);
}
