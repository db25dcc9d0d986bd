//! Cells that take turns, each on a server of its own: what is compared was measured next to each other, a killed record
//! goes on, Ctrl-C leaves nothing behind, and what cannot take turns is refused with its mend.

use crate::desk::{Desk, RUN, TINY, until};
use crate::interruptions::signal;
use rustix::process::Signal;
use serde_json::Value;

const TURNS: &str = r#"question = "Which of two pools reads faster, test by test?"

[axes]
"settings.buffer_pool" = ["32 MiB", "64 MiB"]

[server.settings]
redo = "16 MiB"

[workload.oltp]
rows = 1_000

[load]
users = 2

[[phases]]
name     = "points"
workload = "oltp.point_selects"
measure  = "400ms"
[[phases]]
name     = "updates"
workload = "oltp.update_index"
measure  = "300ms"
[[phases]]
name     = "rest"
settle   = "20s"
[[phases]]
name     = "points again"
workload = "oltp.point_selects"
measure  = "400ms"

[repeat]
repetitions = 2
interleave  = true
aa          = false
explain     = true
"#;

/// When each phase began and ended, on the clock of the machine.
fn phases(run: &Value) -> Vec<(u64, u64)> {
    let started = run["started_unix_ms"].as_u64().unwrap();
    let at = |phase: &Value, end: &str| started + phase[end].as_u64().unwrap() / 1_000_000;
    run["phases"].as_array().unwrap().iter().map(|phase| (at(phase, "from"), at(phase, "to"))).collect()
}

#[test]
fn the_runs_of_a_block_take_turns_and_a_killed_record_goes_on() {
    let desk = Desk::new();
    desk.write("tiny.toml", TURNS);
    let plan = desk.assay(&["plan", "tiny.toml"]);
    assert!(plan.out.contains("turns: 2 servers are up at once, and each test goes round all of them"), "{plan:?}");
    let mut killed = desk.start(RUN);
    until("the first block", || (desk.runs().len() >= 2).then_some(()));
    killed.kill().and_then(|()| killed.wait()).expect("it was running");
    let before = desk.runs();
    desk.assay(RUN).assert_carried_out();
    let after = desk.runs();
    assert!(before.iter().all(|(id, run)| after.get(id) == Some(run)), "finished runs are kept");
    let explained = ["c001-explain", "c002-explain"];
    assert_eq!(after.len(), 4 + explained.len(), "{:?}", after.keys());
    assert!(after.keys().all(|id| desk.run(id)["ending"] == "done"), "{after:?}");

    for block in 1..=2 {
        let (a, b) = (phases(&desk.run(&format!("c001-{block}"))), phases(&desk.run(&format!("c002-{block}"))));
        assert_eq!((a.len(), b.len()), (4, 4));
        // Each ran its first test before either ran its last.
        assert!(a[0].1 <= b[3].0 && b[0].1 <= a[3].0, "{a:?} {b:?}");
    }
    desk.assert_nothing_is_left();
}

#[test]
fn a_stop_ends_all_servers_that_take_turns() {
    let desk = Desk::new();
    desk.write("tiny.toml", &TURNS.replace("400ms", "4s"));
    let mut stopped = desk.start(RUN);
    until("both under way", || (desk.count("run_started") == 2).then_some(()));
    signal(stopped.id(), Signal::INT);
    stopped.wait().expect("it was running");
    desk.assert_nothing_is_left();
    assert!(desk.runs().is_empty(), "a run that was stopped is made again");
}

#[test]
fn what_cannot_take_turns_is_refused() {
    let desk = Desk::without_server();
    let refused = |text: &str, more: &[&str]| {
        desk.write("tiny.toml", text);
        let said = desk.assay(&[&["plan", "tiny.toml"], more].concat());
        assert_eq!(said.status, 2, "{said:?}");
        said.err
    };
    let many: Vec<String> = (1..=9).map(|n| format!("\"{n} MiB\"")).collect();
    let many = refused(&TURNS.replace("\"32 MiB\", \"64 MiB\"", &many.join(", ")), &[]);
    assert!(many.contains("9 cells would have as many servers up at once, more than 8"), "{many}");
    let turns = TINY.replace("repetitions = 2", "repetitions = 2\ninterleave = true");
    let sought = "users   = 2\nsearch  = { for = \"rate\", keep = \"p99 < 5ms\", from = 100, to = 1000 }";
    let search = refused(&turns.replace("users   = 2", sought).replace("repetitions = 2\n", ""), &[]);
    assert!(search.contains("a search takes its own levels"), "{search}");
    let found = refused(&turns, &["--on", "mysql://root@127.0.0.1:1"]);
    assert!(found.contains("turns need a server of its own for each cell"), "{found}");
}
