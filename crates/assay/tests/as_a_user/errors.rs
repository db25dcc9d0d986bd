//! A server that misbehaves, as far as a real one can be made to: deadlocks between users, a process that stops
//! answering, a limit on connections. What is counted must still agree with what the server counted, and the next run
//! must be sound.

use crate::desk::{Desk, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

fn question(workload: &str, load: &str, more: &str) -> String {
    format!(
        "question = \"What if it misbehaves?\"\n\n[server.settings]\nbuffer_pool = \"64 MiB\"\nredo = \"16 MiB\"\n\n\
         [workload.oltp.{workload}\n\n[load]\n{load}\n\n[repeat]\nrepetitions = 2\naa = false\n\n{more}"
    )
}

/// Growth of a counter of the server over a whole run.
fn grown(run: &Value, counter: &str) -> f64 {
    let ends = &run["whole"]["counters"][counter];
    ends[1].as_f64().expect("the server counts it") - ends[0].as_f64().unwrap()
}

fn sum(run: &Value, part: &str, number: &str) -> u64 {
    let phases = run["phases"].as_array().unwrap();
    let of = |phase: &Value| phase["groups"]["users"]["tally"]["operations"]["transaction"][part][number].as_u64();
    phases.iter().filter_map(of).sum()
}

#[test]
fn deadlocks_between_users_are_retried_and_every_count_still_agrees() {
    let desk = Desk::new();
    // Two rows, updated twice in a transaction by four users in either order: they meet crosswise all the time.
    let workload = "write_only]\nrows = 2\nindex_updates = 2\nnon_index_updates = 0\ndelete_inserts = 0";
    let load = "users = 4\nwarm_up = \"100ms\"\nmeasure = \"800ms\"\nreconnect_every = 20\n\
                errors = { retry = { deadlock = 1000 }, back_off = \"1ms\" }";
    desk.write("errors.toml", &question(workload, load, ""));
    desk.assay(&["run", "errors.toml", "--out", "record"]).assert_carried_out();
    for id in ["c001-1", "c001-2"] {
        let run = desk.run(id);
        assert_eq!(run["ending"], "done", "{}", run["ending"]);
        assert!(sum(&run, "retried", "1213") > 0, "nobody met a deadlock in {id}");
        assert_eq!(sum(&run, "failed", "1213"), 0);
        let whole = &run["whole"];
        let counted = |name: &str| whole[name].as_u64().unwrap() as f64;
        assert_eq!(counted("questions"), grown(&run, "status.Questions") - grown(&run, "sampler.statements"));
        assert_eq!(counted("commits"), grown(&run, "status.Com_commit"));
        assert_eq!(counted("rollbacks"), grown(&run, "status.Com_rollback"));
        assert_eq!(whole["writes"]["rows"].as_u64().unwrap() as f64, grown(&run, "status.Handler_update"));
        assert!(counted("connects") > 4.0 && whole["reconnects"] == 0, "sessions are opened anew, and none broke");
    }
    let told = |n: &Value| n["text"].as_str().unwrap().contains("tried again after 1213 (deadlock)");
    assert!(desk.notes().iter().any(told));
    let report = desk.read("record/report.md");
    assert!(report.contains("## Errors and retries") && report.contains("1213 (deadlock): "), "{report}");
}

#[test]
fn a_server_that_stops_answering_ends_its_run_and_the_next_has_a_new_one() {
    let desk = Desk::new();
    let workload = "point_selects]\nrows = 1_000";
    desk.write(
        "errors.toml",
        &question(workload, "users = 3\nwarm_up = \"0s\"\nmeasure = \"4s\"\ndeadline = \"700ms\"", ""),
    );
    let lab = desk.start(&["run", "errors.toml", "--out", "record"]);
    until("a second of the first run", || {
        let intervals = std::fs::read_to_string(desk.path("record/runs/c001-1/intervals.jsonl")).ok()?;
        intervals.ends_with('\n').then_some(())
    });
    let server = desk.server().expect("a server under load");
    kill_process(Pid::from_raw(server as i32).unwrap(), Signal::STOP).expect("a process of ours");
    let said = crate::desk::Said::of(lab.wait_with_output().unwrap());
    assert_eq!(said.status, 3, "{said:?}");
    let reason = desk.run("c001-1")["ending"]["failed"]["reason"].as_str().unwrap().to_string();
    assert!(reason.starts_with("the server has stalled: "), "{reason}");
    assert_eq!(desk.run("c001-2")["ending"], "done");
    let by_force = |n: &&Value| n["kind"] == "instance_stopped" && n["text"].as_str().unwrap().contains("signal 9");
    assert_eq!(desk.notes().iter().filter(by_force).count(), 1, "who does not answer is not asked to stop");
    desk.assert_nothing_is_left();
}

#[test]
fn a_server_without_room_for_all_users_says_its_limit_and_the_way_out() {
    let desk = Desk::new();
    let workload = "point_selects]\nrows = 1_000";
    let room = "[server.native]\nmax_connections = 10\n";
    desk.write("errors.toml", &question(workload, "users = 20\nwarm_up = \"0s\"\nmeasure = \"1s\"", room));
    let said = desk.assay(&["run", "errors.toml", "--out", "record"]);
    assert_eq!(said.status, 3, "{said:?}");
    let reason = desk.run("c001-1")["ending"]["failed"]["reason"].as_str().unwrap().to_string();
    assert!(reason.contains(" of 20 was refused with ") && reason.contains("error 1040"), "{reason}");
    assert!(reason.ends_with("raise its max_connections = 10, or ask for fewer users"), "{reason}");
}
