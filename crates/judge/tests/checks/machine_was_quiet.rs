//! The check `machine_was_quiet`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::units::Nanos;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn cpu_time_of_others_is_noticed_as_far_as_the_clock_resolves_it() {
    let idle = |seconds: f64| all_runs(move |r| counter(r, "host.cpu.idle", seconds * 1e9));
    assert_eq!(status(&idle(1.74), "machine_was_quiet"), Pass);
    assert_eq!(status(&idle(1.60), "machine_was_quiet"), Warn);
    assert_eq!(status(&idle(1.30), "machine_was_quiet"), Fail);
    assert_eq!(status(&all_runs(|r| counter(r, "host.cpu.steal", 0.2e9)), "machine_was_quiet"), Fail);
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
