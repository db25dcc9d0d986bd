//! The check `server_ran_throughout`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotApplicable, Pass, Warn};

#[test]
fn a_server_that_was_stopped_or_held_back_is_named() {
    let check = "server_ran_throughout";
    let with = |name: &'static str, delta: f64| all_runs(move |r| counter(r, name, delta));
    assert_eq!(status(&record(), check), Pass);
    let stopped = all_runs(|r| {
        counter(r, "server.stops", 2.0);
        counter(r, "server.stopped", 0.4e9);
    });
    let told = verdict(&stopped, check);
    assert_eq!(told.verdict, Fail);
    assert!(told.sentence.contains("2 times") && told.sentence.contains("400 ms"), "{}", told.sentence);
    assert_eq!(status(&with("server.stops", 1.0), check), Warn, "too short to be timed");
    assert_eq!(status(&with("server.throttled", 0.02e9), check), Warn);
    assert_eq!(status(&with("server.throttled", 0.5e9), check), Fail);
    let at_the_edge = all_runs(|r| {
        r.whole.counters.insert("server.stops".into(), ends(1.0));
    });
    let told = verdict(&at_the_edge, check);
    assert_eq!(told.verdict, Warn);
    assert!(told.sentence.contains("at its very edge"), "{}", told.sentence);
    let own = all_runs(|r| {
        counter(r, "client.stops", 1.0);
        counter(r, "client.stopped", 0.5e9);
    });
    let told = verdict(&own, check);
    assert_eq!(told.verdict, Fail);
    assert!(told.sentence.contains("he load stood still once for 500 ms"), "{}", told.sentence);
    let load = verdict(&with("client.throttled", 0.5e9), check);
    assert!(load.sentence.contains("he load was kept from its CPUs"), "{}", load.sentence);
    let names = ["server.stops", "server.stopped", "server.throttled", "client.throttled"];
    let before = all_runs(|r| names.iter().for_each(|name| forget(r, name)));
    assert_eq!(status(&before, check), NotApplicable, "a record from before");
}
