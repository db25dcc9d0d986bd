//! The check `machine_was_quiet`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::around::Neighbour;
use model::units::Nanos;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn cpu_time_of_others_is_noticed_as_far_as_the_clock_resolves_it() {
    let idle = |seconds: f64| all_runs(move |r| counter(r, "host.cpu.idle", seconds * 1e9));
    assert_eq!(status(&idle(1.74), "machine_was_quiet"), Pass);
    assert_eq!(status(&idle(1.60), "machine_was_quiet"), Warn);
    assert_eq!(status(&idle(1.30), "machine_was_quiet"), Fail);
    let named = all_runs(|r| {
        counter(r, "host.cpu.idle", 1.3e9);
        let make = Neighbour { name: "make".into(), cpu: Nanos::from_millis(400) };
        r.around.as_mut().unwrap().neighbours = vec![make];
    });
    let sentence = verdict(&named, "machine_was_quiet").sentence;
    assert!(sentence.contains("most of it by make (1.2 s)"), "{sentence}");
    let short = all_runs(|r| {
        for ends in r.phases[0].counters.values_mut() {
            ends.end = ends.begin + ends.delta() / 100.0;
            ends.end_at = Nanos(ends.begin_at.0 + 10_000_000);
        }
    });
    let verdict = verdict(&short, "machine_was_quiet");
    assert_eq!(verdict.verdict, NotEvaluable);
    assert!(verdict.sentence.contains("ticks of the clock"), "{}", verdict.sentence);
}
