//! A memcached that assay did not start: its users are assay's guests. What others keep there stays, what assay set is
//! gone when it leaves, and data that would push others' out are refused.

use crate::desk::Desk;
use crate::skipped;
use lab::backends::endpoint::Address;
use lab::backends::keyed::KeyEndpoint;
use lab::backends::keyed::control::Control;
use lab::os::ports::free_port;
use lab::servers::catalogue;
use serde_json::Value;
use std::process::{Child, Command};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(60);

struct Theirs(Child);

impl Drop for Theirs {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Somebody's cache of the least size that there is; `None`, and a word about it, where none is installed.
fn theirs(at: &Address) -> Option<Theirs> {
    let Ok(build) = catalogue::find("memcached") else {
        skipped::test("memcached", "apt-get install memcached");
        return None;
    };
    let mut command = Command::new(&build.installed.binary);
    match at {
        Address::Unix(socket) => command.arg("-s").arg(socket),
        Address::Tcp { host, port } => command.args(["-l", host, "-p", &port.to_string()]),
    };
    command.args(["-U", "0", "-m", "64"]);
    if rustix::process::geteuid().is_root() {
        command.args(["-u", "root"]);
    }
    Some(Theirs(command.spawn().unwrap()))
}

/// Waits until it is there.
fn control(at: &Address) -> Control {
    let endpoint = KeyEndpoint::of_cache(at.clone());
    loop {
        match Control::connect(&endpoint, PATIENCE) {
            Ok(control) => return control,
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

#[test]
fn a_cache_of_somebody_else_has_a_guest_that_leaves_nothing_and_pushes_nobody_out() {
    let desk = Desk::new();
    let socket = desk.path("s");
    let address = Address::Unix(socket.clone());
    let Some(_theirs) = theirs(&address) else { return };
    let mut control = control(&address);
    control.set(7, b"precious");
    assert_eq!(control.write().unwrap(), 1);
    let dsn = format!("memcached://localhost?socket={}", socket.display());
    let bench = |workload: &str, keys: &str, out: &str| {
        let keys = format!("workload.kv.keys={keys}");
        desk.assay(&["bench", workload, "--on", &dsn, "--for", "200ms", "--users", "1,2", "--set", &keys, "--out", out])
    };

    // A writer's keys are set anew before each run, as the plan says.
    let said = bench("kv.memcached_mix", "500", "written");
    said.assert_carried_out();
    assert!(said.err.contains("load their data anew"), "{}", said.err);
    let notes = desk.read("written/notes.jsonl");
    assert_eq!(notes.matches("\"kind\":\"dataset_ready\"").count(), 2);
    assert!(notes.contains("500 keys that began with assay_kv_"), "{notes}");
    let report: Value = serde_json::from_str(&desk.read("written/report.json")).unwrap();
    let of = |place: &Value| place["verdicts"].as_array().unwrap().clone();
    let verdicts = [of(&report["cells"][0]), of(&report)].concat();
    let told = [("gets_agree", "pass"), ("answers_were_expected", "pass")];
    let unasked = [("schema_as_declared", "not_applicable"), ("plans_were_stable", "not_applicable")];
    for (check, status) in told.into_iter().chain(unasked) {
        let verdict = verdicts.iter().find(|v| v["check"] == check).unwrap();
        assert_eq!(verdict["verdict"], status, "{verdict:#}");
    }

    // More than it has room for, and what it does not speak.
    let full = bench("kv.memcached", "1_000_000", "full");
    assert!(full.status == 3 && full.err.contains("what others keep there would be dropped"), "{full:?}");
    let sql = bench("kv.sql", "500", "sql");
    assert!(sql.status == 2 && sql.err.contains("take kv.memcached there"), "{sql:?}");

    assert_eq!(control.get(&[7]).unwrap(), [(7, b"precious".to_vec())]);
    let stats = control.stats().unwrap();
    let stat = |name: &str| stats.iter().find(|(n, _)| n == name).unwrap().1.as_str();
    assert_eq!((stat("curr_items"), stat("cmd_flush"), stat("evictions")), ("1", "0", "0"));
}

#[test]
fn over_a_port_what_a_killed_lab_left_is_taken_away_and_keys_of_others_stay() {
    let desk = Desk::new();
    let address = Address::Tcp { host: "127.0.0.1".into(), port: free_port().unwrap() };
    let Some(_theirs) = theirs(&address) else { return };
    let mut control = control(&address);
    (1..=100).for_each(|key| control.set(key, b"precious"));
    assert_eq!(control.write().unwrap(), 100);
    let dsn = format!("memcached://{address}");
    let arguments = |time: &'static str, out: &'static str| {
        let fixed = ["bench", "kv.memcached", "--users", "2", "--set", "workload.kv.keys=500"];
        [&fixed[..], &["--for", time, "--out", out]].concat()
    };
    let items = |control: &mut Control| {
        let stats = control.stats().unwrap();
        stats.into_iter().find(|(name, _)| name == "curr_items").unwrap().1
    };

    // Killed once its keys lie there: they stay, and with them what others have.
    let mut killed = desk.start(&[&arguments("60s", "killed")[..], &["--on", &dsn]].concat());
    while items(&mut control) != "600" {
        std::thread::sleep(Duration::from_millis(10));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(items(&mut control), "600");

    // The next lab with the same data has them again, and leaves only what is not its own.
    desk.assay(&[&arguments("200ms", "next")[..], &["--on", &dsn]].concat()).assert_carried_out();
    let notes = desk.read("next/notes.jsonl");
    assert!(notes.contains("500 keys that began with assay_kv_"), "{notes}");
    let report: Value = serde_json::from_str(&desk.read("next/report.json")).unwrap();
    let of = |place: &Value| place["verdicts"].as_array().unwrap().clone();
    let verdicts = [of(&report["cells"][0]), of(&report)].concat();
    for check in ["gets_agree", "answers_were_expected", "observer_was_cheap"] {
        let verdict = verdicts.iter().find(|v| v["check"] == check).unwrap();
        assert!(verdict["verdict"] != "fail" && verdict["verdict"] != "not_evaluable", "{verdict:#}");
    }
    assert_eq!(items(&mut control), "100");
    assert_eq!(control.get(&[100]).unwrap(), [(100, b"precious".to_vec())]);
}
