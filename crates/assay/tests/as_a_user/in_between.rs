//! What comes in between users and their answers and is in no counter of the server, done to a real one on purpose:
//! a proxy that delays each request from the second run on, statements that warn, a server that is stopped for a while,
//! or frozen, or held back by a quota. Each is named in a sentence, and a twin to which nothing is done is not.

use crate::desk::{Desk, until};
use crate::interruptions::{await_a_second, await_event};
use crate::somebody_elses_server::{Ends, SECRET, theirs};
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// The worst verdict of a check in the record: its status and sentence.
fn told(desk: &Desk, check: &str) -> (String, String) {
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    let cell = report["cells"].as_array().unwrap().iter().find_map(|cell| {
        let verdicts = cell["verdicts"].as_array()?;
        verdicts.iter().find(|v| v["check"] == check)
    });
    let verdict = cell.unwrap_or_else(|| panic!("no {check}"));
    (verdict["verdict"].as_str().unwrap().into(), verdict["sentence"].as_str().unwrap().into())
}

/// Somebody between users and server: what goes towards the server waits so many microseconds.
fn proxy(at: &Path, server: &Path) -> Arc<AtomicU64> {
    let (listener, server) = (UnixListener::bind(at).unwrap(), server.to_path_buf());
    let delay = Arc::new(AtomicU64::new(0));
    let micros = Arc::clone(&delay);
    std::thread::spawn(move || {
        while let Ok((user, _)) = listener.accept() {
            let server = UnixStream::connect(&server).unwrap();
            let (user_too, server_too) = (user.try_clone().unwrap(), server.try_clone().unwrap());
            let micros = Arc::clone(&micros);
            std::thread::spawn(move || carry(user, server, &micros));
            std::thread::spawn(move || carry(server_too, user_too, &AtomicU64::new(0)));
        }
    });
    delay
}

fn carry(mut from: UnixStream, mut to: UnixStream, micros: &AtomicU64) {
    let mut bytes = [0; 1 << 14];
    while let Ok(n @ 1..) = from.read(&mut bytes) {
        std::thread::sleep(Duration::from_micros(micros.load(Relaxed)));
        if to.write_all(&bytes[..n]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// Users of one who is slow to answer; a machine that is busy moves the floor by less than the limit that is set here.
fn through(socket: &Path) -> String {
    format!(
        r#"question = "What stands between?"

[server]
on = "mysql://tester@localhost/?socket={}"

[workload.oltp.point_selects]
tables = 1
rows   = 1_000

[load]
users   = 1
measure = "300ms"

[repeat]
repetitions = 3
aa          = false

[limits]
way_noise = 0.004
way_here  = 0.004
"#,
        socket.display()
    )
}

/// Runs that experiment, with the delay from the end of the first run on.
fn delayed(micros: u64) -> (String, String) {
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (server, control) = theirs(&desk);
    let between = desk.path("between");
    let delay = proxy(&between, &server);
    desk.write("q.toml", &through(&between));
    let mut lab = desk.command(&["run", "q.toml", "--out", "record"]).env("ASSAY_PASSWORD", SECRET).spawn().unwrap();
    await_event(&desk, &mut lab, "run_done", 0);
    delay.store(micros, Relaxed);
    until("the end of the lab", || lab.try_wait().unwrap());
    control.quit();
    told(&desk, "way_was_short")
}

#[test]
fn what_comes_to_stand_between_users_and_server_is_named_with_its_time() {
    let (verdict, sentence) = delayed(20_000);
    assert!(verdict == "fail" && sentence.contains("The way to the server changed"), "{verdict}: {sentence}");
    let (verdict, sentence) = delayed(0);
    assert!(verdict == "pass" && sentence.contains("`SELECT 1`"), "{verdict}: {sentence}");
}

const SCRIPT: &str = r#"
function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT CAST('VALUE' AS SIGNED)") end
"#;

const PRIVATE: &str = r#"
[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[repeat]
repetitions = 1
aa          = false
"#;

#[test]
fn a_statement_that_warns_in_each_execution_is_named() {
    for (value, expected) in [("none", "warn"), ("12", "pass")] {
        let desk = Desk::new();
        desk.write("mine.lua", &SCRIPT.replace("VALUE", value));
        desk.write("q.toml", &format!(
            "question = \"Does it warn?\"\n[workload]\nlua = \"mine.lua\"\n[load]\nusers = 1\nmeasure = \"300ms\"\n{PRIVATE}"
        ));
        desk.assay(&["run", "q.toml", "--out", "record"]).assert_carried_out();
        let (verdict, sentence) = told(&desk, "statements_warned_nothing");
        assert_eq!(verdict, expected, "{sentence}");
        assert!(expected == "pass" || sentence.contains("1 warning per execution"), "{sentence}");
    }
}

const RAN: &str = "server_ran_throughout";

/// What is done to the server while a run of 5 s goes on, as a check tells it.
fn meanwhile(check: &str, act: impl FnOnce(u32)) -> (String, String) {
    let desk = Desk::new();
    desk.write("q.toml", &format!(
        "question = \"Does it stand still?\"\n[workload.oltp.point_selects]\nrows = 1_000\n[load]\nusers = 2\nwarm_up = \"100ms\"\nmeasure = \"5s\"\n{PRIVATE}"
    ));
    let mut lab = desk.start(&["run", "q.toml", "--out", "record"]);
    await_a_second(&desk, &mut lab);
    act(desk.server().expect("a server of ours"));
    until("the end of the lab", || lab.try_wait().unwrap());
    told(&desk, check)
}

#[test]
fn a_server_that_was_stopped_for_a_while_is_named() {
    use rustix::process::{Pid, Signal, kill_process};
    let (verdict, sentence) = meanwhile(RAN, |pid| {
        let pid = Pid::from_raw(pid as i32).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        std::thread::sleep(Duration::from_millis(700));
        kill_process(pid, Signal::CONT).unwrap();
    });
    assert!(verdict == "fail" && sentence.contains("The server stood still once"), "{verdict}: {sentence}");
    let (_, sentence) = meanwhile(RAN, |_| ());
    assert!(!sentence.contains("stood still"), "{sentence}");
}

#[test]
fn who_writes_to_a_file_by_which_the_server_is_set_is_seen_though_it_is_as_it_was() {
    let (verdict, sentence) = meanwhile("held_throughout", |pid| {
        let file = format!("/proc/{pid}/coredump_filter");
        let filter = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("0x{}", filter.trim())).unwrap();
    });
    let wrote =
        verdict == "warn" && sentence.contains("Somebody wrote to `/proc/") && sentence.contains("coredump_filter`");
    assert!(wrote, "{verdict}: {sentence}");
}

/// A group of that controller for one process; `None` where this machine lets nobody make one.
struct Group(PathBuf);

impl Group {
    fn of(controller: &str, pid: u32) -> Option<Self> {
        let group = Self(Path::new("/sys/fs/cgroup").join(controller).join(format!("assay-test-{pid}")));
        fs::create_dir(&group.0).ok()?;
        fs::write(group.0.join("cgroup.procs"), pid.to_string()).ok()?;
        Some(group)
    }
    fn set(&self, name: &str, value: &str) {
        fs::write(self.0.join(name), value).unwrap();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_server_that_was_frozen_or_held_back_by_a_quota_is_named() {
    let mut group = None;
    let (verdict, sentence) = meanwhile(RAN, |pid| {
        group = Group::of("freezer", pid);
        let Some(group) = &group else { return };
        group.set("freezer.state", "FROZEN");
        std::thread::sleep(Duration::from_millis(700));
        group.set("freezer.state", "THAWED");
    });
    if group.is_none() {
        return crate::skipped::test("control groups of version 1 that can be made", "a mount of them, and root");
    }
    assert!(verdict == "fail" && sentence.contains("The server stood still once"), "{verdict}: {sentence}");
    let (verdict, sentence) = meanwhile(RAN, |pid| {
        group = Group::of("cpu", pid);
        if let Some(group) = &group {
            group.set("cpu.cfs_quota_us", "10000");
        }
    });
    assert!(verdict == "fail" && sentence.contains("The server was kept from its CPUs"), "{verdict}: {sentence}");
}

/// A server that is to have each commit on the disk.
fn writing(home: Option<&Path>, act: impl FnOnce(&Desk, &mut std::process::Child)) -> (String, String) {
    let desk = Desk::new();
    desk.write("q.toml", &format!(
        "question = \"Is it on the disk?\"\n[workload.oltp.update_non_index]\nrows = 1_000\n[load]\nusers = 2\nwarm_up = \"100ms\"\nmeasure = \"3s\"\n{}",
        PRIVATE.replace("redo ", "flush_at_commit = 1\nredo ")
    ));
    let mut lab = desk.command(&["run", "q.toml", "--out", "record"]);
    if let Some(home) = home {
        lab.env("ASSAY_HOME", home);
    }
    let mut lab = lab.spawn().unwrap();
    act(&desk, &mut lab);
    until("the end of the lab", || lab.try_wait().unwrap());
    told(&desk, "commits_were_durable")
}

#[test]
fn commits_that_are_acknowledged_before_they_are_on_the_disk_are_named() {
    let (verdict, sentence) = writing(None, |_, _| ());
    assert!(verdict == "pass" && sentence.contains("a sync takes"), "{verdict}: {sentence}");
    // Somebody makes the server careless while it runs, which its settings as they were read do not tell.
    let (verdict, sentence) = writing(None, |desk, lab| {
        await_event(desk, lab, "run_started", 0);
        let socket = until("the private server", || {
            let folders = fs::read_dir(desk.path("")).unwrap().flatten().map(|e| e.path());
            folders.map(|folder| folder.join("s")).filter(|socket| socket.exists()).last()
        });
        let mut control = Control::connect(&SqlEndpoint::root(socket)).unwrap();
        control.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 0").unwrap();
        control.quit();
    });
    assert!(verdict == "fail" && sentence.contains("Commits were not durable"), "{verdict}: {sentence}");
    // In memory a sync does nothing.
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        return crate::skipped::test("a file system in memory", "a mount of tmpfs at /dev/shm");
    };
    let (verdict, sentence) = writing(Some(memory.path()), |_, _| ());
    assert!(verdict == "warn" && sentence.contains("a file system in memory"), "{verdict}: {sentence}");
}
