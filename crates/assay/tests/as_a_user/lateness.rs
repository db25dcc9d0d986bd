//! Whose lateness it was: a server that is slow in everything, one that stands still for a second, and a replayer that
//! has no CPU of its own are each told by their name.

use crate::desk::{Desk, until};
use crate::shop;
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command};
use std::time::Duration;

const SAME: &[&str] =
    &["upgrade", "--from", "distribution", "--trace", "trace", "--data", "shop.sql", "--json", "--out", "late"];

/// What is loaded into a slow server: it spins when it has heard something.
const SLOW: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <time.h>
ssize_t recv(int fd, void *buf, size_t n, int flags) {
    ssize_t (*real)(int, void *, size_t, int) = dlsym(RTLD_NEXT, "recv");
    ssize_t got = real(fd, buf, n, flags);
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    do clock_gettime(CLOCK_MONOTONIC, &b);
    while ((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec < 500000);
    return got;
}
"#;

fn told(desk: &Desk) -> Value {
    serde_json::from_str(&desk.read("late/upgrade.json")).expect("JSON")
}

fn has(list: &Value, text: &str) -> bool {
    list.as_array().expect("a list").iter().any(|one| one.as_str().is_some_and(|one| one.contains(text)))
}

#[test]
fn a_server_that_is_slow_in_everything_is_slower_without_another_plan() {
    let desk = Desk::new();
    shop::lay(&desk);
    let server = lab::servers::catalogue::find("distribution").expect("the tests have a server").installed;
    desk.write("slow.c", SLOW);
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o", "slow.so", "slow.c"])
        .current_dir(desk.path(""))
        .status();
    assert!(made.expect("cc links what cargo builds").success());
    fs::create_dir_all(desk.path("slow/bin")).expect("a folder");
    for part in ["share", "lib"] {
        std::os::unix::fs::symlink(format!("{}/{part}", server.basedir), desk.path(&format!("slow/{part}")))
            .expect("a link");
    }
    let library = desk.path("slow.so");
    desk.write(
        "slow/bin/mariadbd",
        &format!("#!/bin/sh\nexec env LD_PRELOAD={} {} \"$@\"\n", library.display(), server.binary),
    );
    fs::set_permissions(desk.path("slow/bin/mariadbd"), fs::Permissions::from_mode(0o755)).expect("a file of ours");
    let slow = desk.path("slow");
    let slow = slow.to_str().expect("a UTF-8 path");
    let said = desk.assay(&[SAME, &["--to", slow, "--pairs", "3"]].concat());
    desk.assert_nothing_is_left();
    said.assert_carried_out();
    let upgrade = told(&desk);
    assert!(upgrade["time"]["value"].as_f64().is_some_and(|ratio| ratio > 1.1), "{upgrade:#}");
    let all = upgrade["changes"].as_array().expect("a list");
    assert!(all.iter().all(|change| !has(&change["findings"], "plan:")), "{all:#?}");
}

/// A replay of the desk's trace, five times as slowly as captured, that is under way on the second server.
fn under_way(desk: &Desk) -> Child {
    let child = desk.start(&[SAME, &["--to", "distribution", "--pairs", "1", "--pace", "0.2"]].concat());
    until("the first replay", || desk.path("late/runs/01-from.json").exists().then_some(()));
    until("sessions of the second", || {
        let folders = fs::read_dir(desk.path("")).ok()?.flatten().map(|entry| entry.path());
        let socket = folders.map(|folder| folder.join("s")).find(|socket| socket.exists())?;
        let mut control = Control::connect_with(&SqlEndpoint::root(socket), Duration::from_secs(5)).ok()?;
        let count = control.value("SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'app'").ok()??;
        control.quit();
        (count != "0").then_some(())
    });
    child
}

fn signal(name: &str, pid: u32) {
    assert!(Command::new("kill").args([name, &pid.to_string()]).status().expect("kill is there").success());
}

#[test]
fn a_server_that_stops_for_a_second_and_a_replayer_that_does_are_told_apart() {
    for is_server in [true, false] {
        let desk = Desk::new();
        shop::lay(&desk);
        let mut child = under_way(&desk);
        let pid = if is_server { desk.server().expect("it is up") } else { child.id() };
        signal("-STOP", pid);
        std::thread::sleep(Duration::from_secs(1));
        signal("-CONT", pid);
        assert!(child.wait().expect("it ends").code().is_some());
        let upgrade = told(&desk);
        let of_server = has(&upgrade["notes"], "distribution stood still once: it answered nothing for 1.");
        let of_replayer = has(&upgrade["notes"], "The replayer itself stood still");
        assert_eq!((of_server, of_replayer), (is_server, !is_server), "{upgrade:#}");
    }
}

#[test]
fn a_replayer_without_a_cpu_of_its_own_strikes_the_numbers_in_its_name() {
    let desk = Desk::new();
    shop::lay(&desk);
    let mut child = under_way(&desk);
    // Only the replayer's threads, once both servers have been started: these keep all CPUs and their priority.
    let each_thread = |cpus: &str, nice: &str| {
        for thread in fs::read_dir(format!("/proc/{}/task", child.id())).expect("it runs").flatten() {
            let thread = thread.file_name().into_string().expect("a number");
            for command in [["taskset", "-p", "-c", cpus], ["renice", "-n", nice, "-p"]] {
                // A thread may have ended meanwhile.
                Command::new(command[0]).args(&command[1..]).arg(&thread).output().expect("util-linux is there");
            }
        }
    };
    each_thread("0", "19");
    // For longer than the rest of the replay; whoever judges it afterwards has the machine again. They end by
    // themselves, also where this test is killed.
    let hog = || Command::new("timeout").args(["5", "taskset", "-c", "0", "sh", "-c", "while :; do :; done"]).spawn();
    for mut hog in [hog(), hog()].map(|hog| hog.expect("coreutils are there")) {
        hog.wait().expect("a child of ours");
    }
    each_thread("0-1", "0");
    assert!(child.wait().expect("it ends").code().is_some());
    let upgrade = told(&desk);
    assert!(has(&upgrade["struck"], "The replayer was"), "{upgrade:#}");
}
