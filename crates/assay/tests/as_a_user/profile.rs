//! Profiles on a real server: its functions are named, stand beside the numbers, and a record without them says so.

use crate::desk::{Desk, RUN};
use crate::skipped;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

#[test]
fn profile_runs_name_the_servers_functions_and_are_in_no_number() {
    let desk = Desk::new();
    let sets = ["repeat.profiles=3", "repeat.repetitions=1", "repeat.profile_hz=999"];
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", *set]).collect();
    desk.assay(&[RUN, &sets].concat()).assert_carried_out();
    assert_eq!(desk.run_folders().len(), 8);
    let run = desk.run("c001-profile-1");
    if run["ending"] != "done" {
        // A machine that forbids it: the run says so in one sentence with its mend, and the verb repeats it.
        let said = desk.assay(&["profile", "record"]);
        assert!(run["ending"].to_string().contains("no profile: ") && said.err.contains("no profile: "), "{run}");
        return skipped::test("perf_event_open", "running as root, outside of a container");
    }
    assert!(run["profile"]["samples"].as_u64().unwrap() > 50, "{}", run["profile"]);
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    assert_eq!(report["cells"][0]["runs"], serde_json::json!(["c001-1"]));

    let table = desk.assay(&["profile", "record", "c001"]);
    assert_eq!(table.status, 0, "{table:?}");
    assert!(table.out.contains("not unwound") && table.out.contains("own µs"), "{}", table.out);
    let json: Value = serde_json::from_str(&desk.assay(&["profile", "record", "--json"]).out).unwrap();
    let sampled = &json[0]["sampled"];
    assert!(
        sampled["not_unwound"].as_f64().unwrap() < 0.1 && sampled["not_named"].as_f64().unwrap() < 0.5,
        "{sampled}"
    );
    let names: Vec<&str> = json[0]["functions"].as_array().unwrap().iter().filter_map(|f| f["name"].as_str()).collect();
    assert!(names.contains(&"dispatch_command") && names.iter().any(|name| name.ends_with("_[k]")), "{names:?}");

    let diff = desk.assay(&["profile", "record", "--diff", "c001", "c002"]);
    assert!(diff.out.contains("an operation takes") && diff.out.contains("c002: "), "{}", diff.out);
    let folded = desk.assay(&["profile", "record", "c002", "--as", "folded"]).out;
    let root = |line: &str| line.starts_with("c002;") && line.rsplit(' ').next().unwrap().parse::<u64>().is_ok();
    assert!(folded.lines().count() > 20 && folded.lines().all(root), "{folded}");
}

#[test]
fn a_record_without_profiles_says_how_to_get_some() {
    let desk = Desk::new();
    let sets = ["--set", "repeat.repetitions=1", "--set", "axes.range_size=[10]"];
    desk.assay(&[RUN, &sets].concat()).assert_carried_out();
    let said = desk.assay(&["profile", "record"]);
    assert_eq!(said.status, 2);
    assert!(said.err.contains("--set repeat.profiles=3"), "{}", said.err);
    let said = desk.assay(&["profile", "nowhere"]);
    assert!(said.status == 2 && said.err.contains("nowhere is not a record"), "{}", said.err);
}

/// Eight users who change one row each time, durably and not.
const COMMITS: &str = r#"question = "What does a durable commit wait for?"

[axes]
"settings.flush_at_commit" = [2, 1]

[server.settings]
buffer_pool = "64 MiB"
redo        = "64 MiB"

[workload.oltp.update_index]
rows = 1_000

[load]
users   = 8
warm_up = "200ms"
measure = "1s"

[repeat]
repetitions   = 1
profile_waits = 3
profile_hz    = 999
aa            = false
"#;

#[test]
fn what_a_durable_commit_waits_for_is_named_and_adds_up() {
    let desk = Desk::new();
    desk.write("q.toml", COMMITS);
    desk.assay(&["run", "q.toml", "--out", "record"]).assert_carried_out();
    let runs: Vec<Value> = ["c001-waits-1", "c001-waits-2", "c001-waits-3"].map(|id| desk.run(id)).to_vec();
    if runs[0]["ending"] != "done" {
        return skipped::test("perf_event_open", "running as root, outside of a container");
    }
    let said = desk.assay(&["profile", "record"]);
    assert!(said.status == 2 && said.err.contains("or see with --waits"), "{}", said.err);
    let json: Value = serde_json::from_str(&desk.assay(&["profile", "record", "--waits", "--json"]).out).unwrap();
    // Little's law: each user has a thread that waits or is on a CPU, so that an operation has users ÷ rate of both.
    // Waits are drawn, and the lab's own session, whose thread is left out, would be an eighth more.
    let measured = |run: &Value| {
        let phases = run["phases"].as_array().unwrap().iter().filter(|phase| phase["kind"] == "measure");
        let (mut time, mut done) = (0.0, 0.0);
        for phase in phases {
            time += (phase["to"].as_f64().unwrap() - phase["from"].as_f64().unwrap()) / 1e3;
            let tally = &phase["groups"]["users"]["tally"]["operations"];
            done += tally.as_object().unwrap().values().map(|o| o["done"].as_f64().unwrap()).sum::<f64>();
        }
        (time, done)
    };
    let (time, done) = runs.iter().map(measured).fold((0.0, 0.0), |sum, run| (sum.0 + run.0, sum.1 + run.1));
    let all = 8.0 * time / done;
    let waited = json[0]["sampled"]["operation"]["value"].as_f64().unwrap();
    assert!((0.5 * all..1.25 * all).contains(&waited), "{waited} of {all} µs: {}", json[0]["sampled"]);

    let diff = desk.assay(&["profile", "record", "--waits", "--diff", "c001", "c002"]).out;
    assert!(diff.contains("µs of waiting in the server instead of"), "{diff}");
    let diff = desk.assay(&["profile", "record", "--waits", "--diff", "c001", "c002", "--json"]).out;
    let diff: Value = serde_json::from_str(&diff).unwrap();
    let more = |is_it: &dyn Fn(&str) -> bool| -> f64 {
        let functions = diff["functions"].as_array().unwrap().iter();
        let found = functions.filter(|function| is_it(function["name"].as_str().unwrap()));
        found.map(|function| function["total"]["difference"]["value"].as_f64().unwrap()).sum()
    };
    // The commit itself, and the answer that is held back until its log is on the disk.
    let commit = more(&|name| name == "ha_commit_trans" || name == "Protocol::end_statement");
    let all = diff["operation"]["difference"]["value"].as_f64().unwrap();
    assert!(all > 0.0 && commit > all / 2.0, "{commit} of {all} µs: {diff}");
    assert!(more(&|name| name.contains("fdatasync") || name.contains("fsync")) > 0.0, "{diff}");
}

/// A library that burns time in a function of its own each time the server sends to a session: once a statement.
const PLANTED: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static uint64_t cycles, nowhere, *calls = &nowhere;

static uint64_t nanos(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

__attribute__((constructor)) static void begin(void) {
    uint64_t from = nanos(), ticks = __rdtsc();
    while (nanos() - from < 10000000) {}
    cycles = (__rdtsc() - ticks) * NANOS / (nanos() - from);
    int file = open(COUNTED, O_RDWR | O_CREAT, 0666);
    if (file >= 0 && ftruncate(file, 8) == 0) {
        void *at = mmap(0, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (at != MAP_FAILED) calls = at;
    }
}

__attribute__((noinline)) void planted_burn(void) {
    uint64_t from = __rdtsc();
    while (__rdtsc() - from < cycles) {}
}

ssize_t send(int fd, const void *buffer, size_t size, int flags) {
    planted_burn();
    __atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
    return syscall(SYS_sendto, fd, buffer, size, flags, 0, 0);
}
"#;

/// What it burns at each call: enough for five runs to tell where waking a CPU is dear and statements are few.
const BURNED_NANOS: f64 = 2000.0;
/// How far a time may be from it at least: what a host takes from this machine counts as time of whoever runs.
const LENT: f64 = 0.25;

const SAME_WORK: &str = r#"question = "Does the other build take longer?"

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.oltp.point_selects]
rows = 1_000

[load]
users   = 2
warm_up = "200ms"
measure = "2s"

[repeat]
repetitions = 1
profiles    = 5
profile_hz  = 999
aa          = true
"#;

/// The distribution's server behind a script that brings the library along.
fn planted(desk: &Desk) -> String {
    fs::create_dir_all(desk.path("planted/sbin")).unwrap();
    fs::create_dir_all(desk.path("planted/share")).unwrap();
    symlink("/usr/share/mysql", desk.path("planted/share/mysql")).unwrap();
    desk.write("planted.c", PLANTED);
    let (library, counted) = (desk.path("planted.so"), desk.path("calls"));
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(desk.path("planted.c"));
    cc.arg(format!("-DNANOS={BURNED_NANOS:.0}")).arg(format!("-DCOUNTED=\"{}\"", counted.display()));
    assert!(cc.status().expect("a C compiler").success());
    let script = format!("#!/bin/sh\nLD_PRELOAD={} exec /usr/sbin/mariadbd \"$@\"\n", library.display());
    desk.write("planted/sbin/mariadbd", &script);
    fs::set_permissions(desk.path("planted/sbin/mariadbd"), fs::Permissions::from_mode(0o755)).unwrap();
    desk.path("planted").display().to_string()
}

#[test]
fn a_planted_slowdown_is_found_as_its_function_with_its_time_and_nothing_is_between_equal_cells() {
    let desk = Desk::new();
    desk.write("q.toml", SAME_WORK);
    let builds = format!("axes.build=[\"distribution\", \"{}\"]", planted(&desk));
    desk.assay(&["run", "q.toml", "--out", "record", "--set", &builds]).assert_carried_out();
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    let cells = report["cells"].as_array().unwrap();
    // The A/A arm repeats one of both.
    let twin = cells.iter().find_map(|cell| cell["repeats"].as_str()).expect("an A/A arm");
    let is_planted = |id: &String| id.starts_with("c002-") || (twin == "c002" && id.starts_with("c003-"));
    let runs: Vec<Value> = desk.run_folders().iter().filter(|id| is_planted(id)).map(|id| desk.run(id)).collect();
    if runs.iter().any(|run| run["ending"] != "done") {
        return skipped::test("perf_event_open", "running as root, outside of a container");
    }
    let statements: f64 = runs.iter().map(|run| run["whole"]["questions"].as_f64().unwrap()).sum();
    let calls = u64::from_ne_bytes(fs::read(desk.path("calls")).unwrap().try_into().unwrap()) as f64;
    // Beside them stand those of whoever loaded the data and sampled.
    assert!((0.98..1.1).contains(&(calls / statements)), "{calls} of {statements}");
    let truth = BURNED_NANOS / 1e3;
    let diff = |pair: [&str; 2]| -> Value {
        let said = desk.assay(&["profile", "record", "--diff", pair[0], pair[1], "--json"]);
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"))
    };
    let found = diff(["c001", "c002"]);
    let functions = found["functions"].as_array().unwrap();
    let burn = functions.iter().find(|f| f["name"] == "planted_burn").unwrap_or_else(|| panic!("{functions:?}"));
    let difference = &burn["own"]["difference"];
    let [value, low, high] = ["value", "low", "high"].map(|key| difference[key].as_f64().unwrap());
    // One in twenty intervals of 95 % lies elsewhere: half as wide again, one in three hundred.
    let reach = (1.5 * (high - low) / 2.0).max(LENT * truth);
    assert!(burn["own"]["is_significant"] == true && (value - truth).abs() < reach, "{truth} µs: {burn}");
    let findings = report["findings"].as_array().unwrap();
    // Of a cell that a neighbour of this machine struck nothing is found, and that is right.
    let is_struck = cells[..2].iter().any(|cell| cell["status"] == "fail");
    match findings.iter().find(|f| f["name"] == "cpu_moved") {
        Some(moved) => assert!(moved["sentence"].as_str().unwrap().contains("`planted_burn` +"), "{moved}"),
        None => assert!(is_struck, "{findings:?} of {:?}", &cells[..2]),
    }

    let same = diff([twin, "c003"]);
    let sure = |f: &&Value| f["own"]["is_significant"] == true || f["total"]["is_significant"] == true;
    assert!(!same["functions"].as_array().unwrap().iter().any(|f| sure(&f)), "{same}");
}
