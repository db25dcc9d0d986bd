//! The check `memory_was_enough`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::run::Ends;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn a_server_without_its_memory_is_no_server_in_memory() {
    let with = |name: &'static str, delta: f64| all_runs(move |r| counter(r, name, delta));
    assert_eq!(status(&record(), "memory_was_enough"), Pass);
    assert_eq!(status(&with("host.swap.in", 3.0), "memory_was_enough"), Warn);
    assert_eq!(status(&with("server.faults.major", 1_000.0), "memory_was_enough"), Warn);
    assert_eq!(status(&with("host.memory.stalls", 50.0), "memory_was_enough"), Warn);
    assert_eq!(status(&with("host.memory.kills", 1.0), "memory_was_enough"), Warn);
    let swapped = all_runs(|r| {
        let level = Ends { begin: 2e8, end: 2e8, ..ends(0.0) };
        r.phases[0].counters.insert("server.memory.swapped".into(), level);
    });
    assert_eq!(status(&swapped, "memory_was_enough"), Fail);
    let unknown = all_runs(|r| forget(r, "host.swap.in"));
    assert_eq!(status(&unknown, "memory_was_enough"), NotEvaluable);
}
