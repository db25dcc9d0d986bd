//! The check `machine_kept_its_speed`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::run::RunRecord;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn a_machine_that_slows_down_is_another_machine() {
    let slowed_runs = |runs: usize, by: f64| {
        spoilt(move |r| {
            for run in of_cell(r, "c002").take(runs) {
                let pulses = run.around.as_mut().unwrap().pulses.as_mut().unwrap();
                pulses.iter_mut().for_each(|pulse| pulse.integer_per_s *= 1.0 - by);
            }
        })
    };
    let slowed = |by| slowed_runs(2, by);
    assert_eq!(status(&slowed(0.01), "machine_kept_its_speed"), Pass);
    assert_eq!(status(&slowed(0.03), "machine_kept_its_speed"), Warn);
    let other = verdict(&slowed(0.1), "machine_kept_its_speed");
    assert_eq!(other.verdict, Fail);
    assert!(other.sentence.contains("(run c002-"), "{}", other.sentence);
    assert!(judge(&slowed(0.1)).failed(), "times of another machine are no numbers of this one");
    let one = judge(&slowed_runs(1, 0.1)).cells.remove(1).verdicts;
    let one = one.iter().find(|verdict| verdict.check == "machine_kept_its_speed").unwrap();
    assert_eq!(one.verdict, Pass, "a third of 10 % is in its interval");
    let told = "; it kept its speed in 2 other runs of this number, which is moved by 3.33 % at most.";
    assert!(one.sentence.ends_with(told), "{}", one.sentence);
    assert_eq!(status(&slowed_runs(1, 0.2), "machine_kept_its_speed"), Fail, "a third of 20 % is not");
    assert_eq!(status(&all_runs(|r| r.around = None), "machine_kept_its_speed"), NotEvaluable);
}

#[test]
fn a_machine_whose_pulses_always_scatter_is_held_against_that() {
    let scattered = |of_one: f64| {
        spoilt(move |r| {
            for (i, run) in r.runs.iter_mut().enumerate() {
                let pulses = run.around.as_mut().unwrap().pulses.as_mut().unwrap();
                for (k, pulse) in pulses.iter_mut().enumerate() {
                    pulse.integer_per_s *= 1.0 + 0.02 * (((i + k) % 3) as f64 - 1.0);
                }
            }
            let first = r.runs[0].around.as_mut().unwrap().pulses.as_mut().unwrap();
            first.iter_mut().for_each(|pulse| pulse.integer_per_s *= 1.0 - of_one);
        })
    };
    assert_eq!(status(&scattered(0.03), "machine_kept_its_speed"), Pass);
    assert_eq!(status(&scattered(0.60), "machine_kept_its_speed"), Fail, "a third of 60 %");
}

#[test]
fn a_pulse_that_none_before_or_after_it_bears_out_is_of_a_moment() {
    let slowed = |both: bool| {
        spoilt(move |r| {
            let pulses = |run: &mut RunRecord| run.around.as_mut().unwrap().pulses.unwrap();
            let ([first, mut last], [mut next, end]) = (pulses(&mut r.runs[1]), pulses(&mut r.runs[2]));
            last.integer_per_s *= 0.8;
            next.integer_per_s *= if both { 0.8 } else { 1.0 };
            r.runs[1].around.as_mut().unwrap().pulses = Some([first, last]);
            r.runs[2].around.as_mut().unwrap().pulses = Some([next, end]);
            r.runs.iter_mut().zip(0..).for_each(|(run, position)| run.position = position);
        })
    };
    assert_eq!(status(&slowed(false), "machine_kept_its_speed"), Pass);
    assert_eq!(status(&slowed(true), "machine_kept_its_speed"), Fail);
}
