//! The check `scaling_follows_a_law`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::verdict::Status::{NotApplicable, Pass, Warn};

/// Seven levels of users whose rates lie on a curve, but for the noise of repetitions.
fn curve(rate: impl Fn(f64) -> f64) -> Record {
    let mut record = experiment(&[("users", &[1, 2, 4, 8, 16, 32, 64].map(Into::into))]);
    for run in &mut record.runs {
        let users = f64::from(run.phases[0].groups["users"].users);
        // Half a per cent to either side, in another order at each level.
        let noise = f64::from((run.repetition + users.log2() as u32) % 3) - 1.0;
        set_rate(run, rate(users) * (1.0 + 0.005 * noise));
    }
    record
}

#[test]
fn scaling_follows_a_law_only_where_the_law_describes_the_curve() {
    assert_eq!(status(&record(), "scaling_follows_a_law"), NotApplicable);
    let law = |n: f64| 1_500.0 * n / (1.0 + 0.02 * (n - 1.0) + 5e-4 * n * (n - 1.0));
    let good = verdict(&curve(law), "scaling_follows_a_law");
    assert_eq!(good.verdict, Pass, "{}", good.sentence);
    assert!(good.sentence.contains("its peak is") && good.sentence.contains("at 44 users"), "{}", good.sentence);

    let plateau = verdict(&curve(|n| (1_500.0 * n).min(12_000.0)), "scaling_follows_a_law");
    assert_eq!(plateau.verdict, Warn, "{}", plateau.sentence);
    let rising = verdict(&curve(|n| 500.0 * n / (1.0 + 0.001 * (n - 1.0))), "scaling_follows_a_law");
    assert_eq!(rising.verdict, Warn, "{}", rising.sentence);
    assert!(judge(&curve(|n| (1_500.0 * n).min(12_000.0))).curves[0].law.is_none());

    let drawn = judge(&curve(law)).curves.remove(0).law.unwrap();
    assert!(drawn.line.iter().all(|[_, rate, low, high]| low < rate && rate < high));
    assert!((drawn.alpha.low.unwrap()..drawn.alpha.high.unwrap()).contains(&0.02));
}

#[test]
fn a_level_that_the_client_held_back_bends_no_law() {
    let law = |n: f64| 1_500.0 * n / (1.0 + 0.02 * (n - 1.0) + 5e-4 * n * (n - 1.0));
    let mut record = curve(law);
    for run in of_cell(&mut record, "c007") {
        set_rate(run, 0.5 * law(64.0));
        counter(run, "client.cpu.user", 1.99e9);
    }
    let verdict = verdict(&record, "scaling_follows_a_law");
    assert_eq!(verdict.verdict, Pass, "{}", verdict.sentence);
    assert!(verdict.sentence.contains("3 runs that the client held back"), "{}", verdict.sentence);
}
