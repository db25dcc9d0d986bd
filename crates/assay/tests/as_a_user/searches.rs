//! A search as its user meets it, on a server whose capacity everybody can compute: the sham with a fixed service time
//! and so many places. Operations arrive evenly, so below capacity nobody waits, and above it a queue grows without
//! end.

use crate::desk::{Desk, until};
use lab::servers::sham::Sham;
use model::units::Nanos;
use serde_json::Value;
use std::path::Path;

/// Four places of 20 ms each bear 200 operations a second. A busy machine delays an answer by less than the limit.
const SERVICE: Nanos = Nanos::from_millis(20);
const PLACES: u32 = 4;
const CAPACITY: f64 = 200.0;
/// As in the experiment, in seconds.
const WARM_UP: f64 = 0.2;
const MEASURE: f64 = 1.5;
const LIMIT: f64 = 0.1;

fn experiment(socket: &Path, sought: &str) -> String {
    format!(
        "question = \"How much does it bear?\"\n[server]\non = \"mysql://root@localhost?socket={}\"\n[workload.noop]\n\
         [load]\nwarm_up = \"200ms\"\nmeasure = \"1500ms\"\n{sought}\n[repeat]\nseed = 3\n",
        socket.display()
    )
}

const RATE: &str = "users = 64\narrivals = \"constant\"\n\
    search = { for = \"rate\", keep = \"p90 < 100ms\", from = 25, to = 800, within = 0.1, runs = 16 }";

/// The only search of the report.
fn search(desk: &Desk) -> Value {
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).expect("report.json is JSON");
    report["searches"][0].clone()
}

#[test]
fn a_search_that_is_killed_goes_on_and_finds_the_rate_that_the_server_was_made_for() {
    let desk = Desk::new();
    let sham = Sham::start(&desk.path("s"), &[]).expect("the sham listens");
    sham.be_slow(SERVICE, PLACES);
    desk.write("knee.toml", &experiment(&desk.path("s"), RATE));
    let mut killed = desk.start(&["run", "knee.toml", "--out", "record"]);
    until("the third run", || (desk.runs().len() >= 3).then_some(()));
    killed.kill().and_then(|()| killed.wait()).expect("it was running");
    let before = desk.runs();
    desk.assay(&["run", "knee.toml", "--out", "record"]).assert_carried_out();
    let after = desk.runs();
    assert!(before.iter().all(|(id, run)| after.get(id) == Some(run)), "finished runs are kept");

    let found = search(&desk);
    let trials = found["trials"].as_array().expect("trials");
    assert_eq!((trials.len(), after.len() > before.len()), (after.len(), true));
    assert!(trials.iter().any(|t| t["cut"].is_string() && t["over"] == true), "{found:#}");
    let [low, high] = ["low", "high"].map(|end| found["answer"][end].as_f64().expect("an interval"));
    // A queue that grows by this share of the time reaches the limit for the last tenth of the operations only.
    let knee = CAPACITY * (1.0 + (LIMIT - SERVICE.seconds()) / (WARM_UP + 0.9 * MEASURE));
    assert!(low <= knee * 1.1 && knee <= high * 1.1, "{knee}: {found:#}");
    assert!(desk.assay(&["judge", "record"]).out.contains("keeps p90 < 100 ms up to"));

    let again = desk.assay(&["run", "knee.toml", "--out", "record"]);
    assert_eq!(desk.runs(), after, "a search that is over asks for nothing");
    assert!(again.err.contains(&format!("all {} runs are in record", after.len())), "{again:#?}");
}

/// What the rule finds of a curve whose peak is known is held by answers that are imagined (`judge/tests/peak.rs`):
/// where the peak of a server lies that others slow down meanwhile, nobody knows.
#[test]
fn a_search_for_users_ends_by_its_rule_and_tells_its_answer_with_its_evidence() {
    let desk = Desk::new();
    let sham = Sham::start(&desk.path("s"), &[]).expect("the sham listens");
    sham.be_slow(SERVICE, PLACES);
    let most = 14;
    let sought = format!("search = {{ for = \"users\", from = 1, to = 16, runs = {most} }}");
    desk.write("peak.toml", &experiment(&desk.path("s"), &sought));
    desk.assay(&["run", "peak.toml", "--out", "record"]).assert_carried_out();

    let found = search(&desk);
    assert_eq!(found["over"], true, "{found:#}");
    let over =
        |note: &&Value| note["text"].as_str().is_some_and(|text| text.starts_with("the search of c001 is over: "));
    // Every run is a trial, and says at which level, why there, and what came of it.
    let trials = found["trials"].as_array().expect("trials");
    // Runs that are left are told to be needless; a search that took all of them leaves none.
    assert_eq!(desk.notes().iter().filter(over).count(), usize::from(trials.len() < most), "{found:#}");
    assert!(trials.len() == desk.runs().len() && trials.len() <= most, "{found:#}");
    let level = |trial: &Value| trial["level"].as_f64().expect("a level");
    for trial in trials {
        let run = desk.run(trial["run"].as_str().expect("its run"));
        assert_eq!((&run["trial"]["level"], &run["trial"]["why"]), (&trial["level"], &trial["why"]));
        assert!((1.0..=16.0).contains(&level(trial)) && trial["value"].as_f64() > Some(0.0), "{trial:#}");
    }
    for power in [1.0, 2.0, 4.0, 8.0, 16.0] {
        assert!(trials.iter().any(|trial| level(trial) == power), "{power} users were not looked at: {found:#}");
    }
    // One of the levels, within its interval, and not the one at which most places stood empty.
    let [value, low, high] = ["value", "low", "high"].map(|part| found["answer"][part].as_f64().expect("an answer"));
    assert!(
        trials.iter().any(|trial| level(trial) == value) && low <= value && value <= high && value > 1.0,
        "{found:#}"
    );
    assert!(desk.assay(&["judge", "record"]).out.contains("noop does most with"));
}
