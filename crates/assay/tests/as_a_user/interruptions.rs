//! What a record survives: the lab killed at any moment, a wish to stop, the server killed under its users. Afterwards
//! the same command ends with every run exactly once, and nothing of the dead runs on.

use crate::desk::{Desk, RUN, Said, until};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Child;

/// One cell whose runs are long enough to be met in the middle.
const LONG: &[&str] = &["--set", "axes.range_size=[100]", "--set", "load.measure=\"1500ms\""];

pub fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).expect("a pid is positive"), signal).expect("a process of ours");
}

/// Waits until the record tells one more event of that kind, or the lab has ended without.
pub fn await_event(desk: &Desk, lab: &mut Child, kind: &str, seen: usize) {
    until(kind, || (desk.count(kind) > seen || lab.try_wait().expect("a child of ours").is_some()).then_some(()));
}

/// Until the first second that is measured has been told.
pub fn await_a_second(desk: &Desk, lab: &mut Child) {
    await_event(desk, lab, "run_started", 0);
    until("a second of the run", || {
        let intervals = std::fs::read_to_string(desk.path("record/runs/c001-1/intervals.jsonl")).ok()?;
        (intervals.ends_with('\n') && intervals.contains("\"phase\":\"measure\"")).then_some(())
    });
}

/// Runs whose folder was begun and that are not over.
fn unfinished(desk: &Desk) -> BTreeSet<String> {
    let over = desk.runs();
    desk.run_folders().into_iter().filter(|name| !name.contains("interrupted") && !over.contains_key(name)).collect()
}

#[test]
fn a_record_killed_again_and_again_ends_whole_with_no_run_twice() {
    let desk = Desk::new();
    let mut over: BTreeMap<String, String> = BTreeMap::new();
    let mut interrupted = 0;
    for moment in ["instance_starting", "dataset_loading", "run_started", "run_done"] {
        let seen = desk.count(moment);
        let mut lab = desk.start(RUN);
        await_event(&desk, &mut lab, moment, seen);
        lab.kill().unwrap();
        lab.wait().unwrap();
        until("the death of the server with its lab", || desk.processes().is_empty().then_some(()));
        interrupted += unfinished(&desk).len();
        let now = desk.runs();
        assert!(over.iter().all(|(id, text)| now.get(id) == Some(text)), "a run that was over was touched ({moment})");
        over = now;
    }

    desk.assay(RUN).assert_carried_out();
    desk.assert_nothing_is_left();
    let runs = desk.runs();
    assert_eq!(runs.keys().collect::<Vec<_>>(), ["c001-1", "c001-2", "c002-1", "c002-2"]);
    assert!(over.iter().all(|(id, text)| runs[id] == *text), "a run that was over was carried out again");
    let positions: BTreeSet<_> = runs.keys().map(|id| desk.run(id)["position"].as_u64().unwrap()).collect();
    assert_eq!(positions, (0..4).collect());
    assert!(runs.keys().all(|id| desk.run(id)["ending"] == "done"));
    assert_eq!(desk.count("run_interrupted"), interrupted);
    assert_eq!(desk.run_folders().len() - runs.len(), interrupted);
    // A kill may fall between the last file of a run and the word that it is done: then the word is missing. It never
    // comes twice.
    let told: Vec<_> =
        desk.notes().into_iter().filter(|n| n["kind"] == "run_done").map(|n| n["run"].to_string()).collect();
    assert_eq!(told.iter().collect::<BTreeSet<_>>().len(), told.len(), "{told:?}");
}

#[test]
fn what_a_killed_lab_left_is_swept_by_the_next_even_where_all_its_runs_were_done() {
    let desk = Desk::new();
    desk.assay(RUN).assert_carried_out();
    // As a lab leaves it that is killed behind its last run: nobody holds the folder, and the next lab starts no
    // server.
    let left = desk.home().join("instances/left-1-1");
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("owner"), "assay process 1\n").unwrap();
    desk.assay(RUN).assert_carried_out();
    desk.assert_nothing_is_left();
}

#[test]
fn a_lab_that_is_asked_to_stop_stops_and_the_same_command_goes_on() {
    let desk = Desk::new();
    let command = [RUN, LONG].concat();
    for (moment, wish) in
        [("instance_starting", Signal::INT), ("dataset_loading", Signal::TERM), ("run_started", Signal::INT)]
    {
        let seen = desk.count(moment);
        let mut lab = desk.start(&command);
        await_event(&desk, &mut lab, moment, seen);
        if moment == "run_started" {
            let other = desk.assay(&command);
            assert_eq!(other.status, 2, "{other:?}");
            assert!(other.err.contains("is being written by another assay"), "{}", other.err);
        }
        signal(lab.id(), wish);
        until("the end of the lab", || lab.try_wait().unwrap());
        let said = Said::of(lab.wait_with_output().unwrap());
        assert_eq!(said.status, 3, "{moment}: {said:?}");
        assert!(said.err.contains("stopped as asked") && said.err.contains("the same command goes on"), "{}", said.err);
        let last = desk.notes().into_iter().rfind(|n| n["kind"] != "instance_stopped").unwrap();
        assert_eq!((&last["kind"], &last["text"]), (&"lab_stopped".into(), &"asked to stop".into()), "{moment}");
        desk.assert_nothing_is_left();
    }
    assert!(desk.runs().len() < 2, "the stop came too late to interrupt anything");

    desk.assay(&command).assert_carried_out();
    assert_eq!(desk.runs().keys().collect::<Vec<_>>(), ["c001-1", "c001-2"]);
    desk.assert_nothing_is_left();
}

/// A lab that has been measuring its first run for a second, and what a server of its gets then.
fn with_a_signal_to_the_server(desk: &Desk, command: &[&str], to_server: Signal) -> std::process::Child {
    let lab = desk.start(command);
    until("a second of the first run", || {
        let intervals = std::fs::read_to_string(desk.path("record/runs/c001-1/intervals.jsonl")).ok()?;
        intervals.ends_with('\n').then_some(())
    });
    signal(desk.server().expect("a server under load"), to_server);
    lab
}

#[test]
fn a_server_that_somebody_shuts_down_is_waited_for_and_the_next_run_has_a_new_one() {
    let desk = Desk::new();
    let lab = with_a_signal_to_the_server(&desk, &[RUN, LONG].concat(), Signal::TERM);
    let said = Said::of(lab.wait_with_output().unwrap());
    desk.assert_nothing_is_left();
    assert_eq!(said.status, 3, "{said:?}");
    let why = "c001-1 failed: the server was shut down by somebody else (exit status 0";
    assert!(said.err.contains(why), "{}", said.err);
    assert_eq!(desk.run("c001-2")["ending"], "done");
}

#[test]
fn a_server_killed_under_its_users_fails_its_run_and_the_next_has_a_new_server() {
    let desk = Desk::new();
    let command = [RUN, LONG].concat();
    let lab = with_a_signal_to_the_server(&desk, &command, Signal::KILL);
    until("the word of the failed run", || (desk.count("run_failed") == 1).then_some(()));
    let said = Said::of(lab.wait_with_output().unwrap());
    desk.assert_nothing_is_left();

    assert_eq!(said.status, 3, "{said:?}");
    assert!(said.err.contains("c001-1 failed: the server ended by itself (signal 9)"), "{}", said.err);
    assert!(said.err.contains("1 of 2 runs failed; the record is kept in record"), "{}", said.err);
    let failed = desk.run("c001-1");
    assert!(failed["ending"]["failed"]["reason"].as_str().unwrap().contains("signal 9"), "{}", failed["ending"]);
    let done = |phase: &serde_json::Value| {
        let operations = phase["groups"]["users"]["tally"]["operations"].as_object().unwrap().clone();
        operations.values().map(|o| o["done"].as_u64().unwrap()).sum::<u64>()
    };
    let kept: u64 = failed["phases"].as_array().unwrap().iter().map(done).sum();
    assert!(kept > 0, "what was measured is kept");
    let lines = |name: &str| -> Vec<serde_json::Value> {
        let text = desk.read(&format!("record/runs/c001-1/{name}"));
        text.lines().map(|line| serde_json::from_str(line).expect("whole lines")).collect()
    };
    let of_interval = |line: &serde_json::Value| {
        let operations = line["tally"]["operations"].as_object().unwrap().clone();
        operations.values().map(|o| o["done"].as_u64().unwrap()).sum::<u64>()
    };
    let intervals = lines("intervals.jsonl");
    assert_eq!(intervals.iter().map(of_interval).sum::<u64>(), kept, "second by second until then");
    assert!(lines("series.jsonl").iter().any(|line| line["sample"]["source"] == "status"), "and what the server said");
    assert_eq!(desk.run("c001-2")["ending"], "done");
    assert_eq!((desk.count("instance_died"), desk.count("instance_ready")), (1, 3));
    assert_eq!(
        (desk.count("dataset_loading"), desk.count("snapshot_restored")),
        (1, 2),
        "loaded once, restored for each"
    );
    // The later servers are the first one again: nothing but their folders is new.
    let differs = desk.notes().into_iter().find(|n| n["text"].as_str().unwrap().contains("is not what it was"));
    assert_eq!(differs, None);
    assert!(desk.read("record/report.md").contains("the server ended by itself (signal 9)"));

    // A failed run is a result: it is not tried again, and the record says the same as before.
    let again = desk.assay(&command);
    assert_eq!(again.status, 3);
    assert!(again.err.contains("all 2 runs are in record"), "{}", again.err);
}
