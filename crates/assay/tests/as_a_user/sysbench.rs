//! `assay sysbench` as those meet it who know sysbench: every script of the distribution's package from where the
//! package puts it, and those of the same names that are built in, on MariaDB and PostgreSQL. What they say to a server
//! is compared with what sysbench itself says, where it is installed: the same statements, as often, in the same order.
//! Numbers are not looked at.

use crate::desk::{Desk, Said, until};
use crate::interruptions::signal;
use crate::private_postgres::Postgres;
use crate::skipped;
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub const SYSBENCH: &str = "/usr/bin/sysbench";
pub const SCRIPTS: &str = "/usr/share/sysbench";

/// Each with reads, writes and the rest of one event, where they are certain.
const WORKLOADS: [(&str, Option<[u64; 3]>); 11] = [
    ("oltp_read_write", Some([14, 4, 2])),
    ("oltp_read_only", Some([14, 0, 2])),
    ("oltp_write_only", Some([0, 4, 2])),
    ("oltp_point_select", Some([1, 0, 0])),
    ("oltp_update_index", Some([0, 1, 0])),
    ("oltp_update_non_index", Some([0, 1, 0])),
    ("oltp_insert", Some([0, 1, 0])),
    // The same row is drawn again, and is gone.
    ("oltp_delete", None),
    ("select_random_points", Some([1, 0, 0])),
    ("select_random_ranges", Some([1, 0, 0])),
    // Rows are sent when there are many.
    ("bulk_insert", None),
];
pub const EVENTS: u64 = 10;

fn sysbench(desk: &Desk, words: &[&str]) -> Said {
    desk.assay(&[&["sysbench"], words].concat())
}

/// The same where no installed script is found by its name: those of that name that are built in.
fn built_in(desk: &Desk, words: &[&str]) -> Said {
    let mut command = desk.command(&[&["sysbench"], words].concat());
    Said::of(command.env("LUA_PATH", "./?.lua").output().expect("assay starts"))
}

/// A private MariaDB with a schema for sysbench, and its general log on.
pub struct Server<'a> {
    desk: &'a Desk,
    pub socket: PathBuf,
    pub control: Control,
}

impl<'a> Server<'a> {
    pub fn start(desk: &'a Desk) -> Self {
        let said = desk.assay(&["servers", "start", "distribution", "--detach", "--set", "settings.redo='16 MiB'"]);
        let line = said.out.lines().find_map(|l| l.split_once(" serves at ")).unwrap_or_else(|| panic!("{said:?}"));
        let socket = PathBuf::from(line.1.trim());
        let mut control = Control::connect(&SqlEndpoint::root(socket.clone())).unwrap();
        for sql in ["CREATE DATABASE sbtest", "SET GLOBAL log_output = 'TABLE'", "SET GLOBAL general_log = 1"] {
            control.execute(sql).unwrap();
        }
        Self { desk, socket, control }
    }

    pub fn words(&self) -> [String; 2] {
        [format!("--mysql-socket={}", self.socket.display()), "--mysql-user=root".into()]
    }

    /// What was said since the last time, by session, but closes of statements, which a goodbye behind them makes
    /// needless: each shape of statement in the order of its first, with how often.
    pub fn heard(&mut self) -> Vec<Vec<(String, u64)>> {
        let rows = self
            .control
            .rows(
                "SELECT thread_id, command_type, argument FROM mysql.general_log
                 WHERE thread_id <> CONNECTION_ID() AND command_type IN ('Query', 'Prepare', 'Execute')",
            )
            .unwrap();
        self.control.execute("TRUNCATE TABLE mysql.general_log").unwrap();
        let mut sessions: BTreeMap<u64, Vec<(String, u64)>> = BTreeMap::new();
        for row in rows {
            let [Some(thread), Some(kind), argument] = &row[..] else { panic!("{row:?}") };
            let shape = format!("{kind} {}", shape(argument.as_deref().unwrap_or("")));
            let said = sessions.entry(thread.parse().unwrap()).or_default();
            match said.iter_mut().find(|(known, _)| *known == shape) {
                Some((_, times)) => *times += 1,
                None => said.push((shape, 1)),
            }
        }
        sessions.into_values().collect()
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        self.desk.assay(&["servers", "stop", "distribution"]);
    }
}

/// A statement without its values and without how it is laid out.
fn shape(sql: &str) -> String {
    let (mut shape, mut rest) = (String::new(), sql.split_whitespace().collect::<Vec<_>>().join(" "));
    rest.push(' ');
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                letters.by_ref().find(|c| *c == '\'');
                shape.push_str("'?'");
            }
            digit if digit.is_ascii_digit() => {
                while letters.peek().is_some_and(char::is_ascii_digit) {
                    letters.next();
                }
                shape.push('N');
            }
            other => shape.push(other),
        }
    }
    shape.trim_end().replace("-N", "N")
}

/// Prepares, runs and cleans up; every command must end well.
fn through(mut call: impl FnMut(&[&str]) -> Said, workload: &str) -> String {
    let tables = if workload.starts_with("select") { "--tables=1" } else { "--tables=2" };
    let events = format!("--events={EVENTS}");
    let shared = ["--table-size=100", "--rand-type=uniform", tables, "--time=0"];
    // The one that declares no options takes any.
    let shared = if workload == "bulk_insert" { &["--time=0"][..] } else { &shared[..] };
    let mut out = String::new();
    for command in ["prepare", "run", "cleanup"] {
        let said = call(&[shared, &[events.as_str(), command]].concat());
        assert_eq!(said.status, 0, "{workload} {command}: {said:?}");
        if command == "run" {
            out = said.out;
        }
    }
    out
}

fn assert_counts(workload: &str, of_event: Option<[u64; 3]>, out: &str) {
    let line = |name: &str| out.lines().find_map(|l| l.trim().strip_prefix(name)).unwrap_or_else(|| panic!("{out}"));
    assert_eq!(line("total number of events:").trim(), EVENTS.to_string(), "{workload}: {out}");
    for (name, count) in ["read:", "write:", "other:"].iter().zip(of_event.into_iter().flatten()) {
        assert_eq!(line(name).trim(), (count * EVENTS).to_string(), "{workload}: {out}");
    }
}

#[test]
fn every_workload_says_to_mariadb_what_sysbench_says() {
    let desk = Desk::new();
    let mut server = Server::start(&desk);
    let words = server.words();
    let there = Path::new(SYSBENCH).exists() && Path::new(SCRIPTS).exists();
    if !there {
        skipped::test("sysbench, to compare with", "apt-get install sysbench");
    }
    server.heard();
    for (workload, of_event) in WORKLOADS {
        let path = format!("{SCRIPTS}/{workload}.lua");
        let ours = |call: fn(&Desk, &[&str]) -> Said, script: &str| {
            let out = through(|rest| call(&desk, &[&[script, &words[0], &words[1]], rest].concat()), workload);
            assert_counts(workload, of_event, &out);
        };
        ours(built_in, workload);
        let said = server.heard();
        if there {
            let real = |rest: &[&str]| {
                let mut command = Command::new(SYSBENCH);
                command.arg(&path).args(&words).args(rest).current_dir(SCRIPTS).stdin(Stdio::null());
                Said::of(command.output().expect("sysbench starts"))
            };
            through(real, workload);
            let expected = server.heard();
            assert_eq!(said, expected, "{workload}, built in");
            ours(sysbench, &path);
            assert_eq!(server.heard(), expected, "{path}");
        }
    }
}

#[test]
fn every_workload_runs_on_postgresql() {
    let Some(postgres) = Postgres::start() else { return };
    let desk = Desk::without_server();
    let words = [
        "--db-driver=pgsql".to_string(),
        format!("--pgsql-host={}", postgres.folder().display()),
        format!("--pgsql-port={}", postgres.port),
        "--pgsql-db=postgres".to_string(),
    ];
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for (workload, of_event) in WORKLOADS {
        let out = through(|rest| built_in(&desk, &[&[workload], &words[..], rest].concat()), workload);
        assert_counts(workload, of_event, &out);
    }
    let nobody = sysbench(&desk, &[&["oltp_point_select", "--pgsql-user=nobody", "run"], &words[..]].concat());
    assert_eq!(nobody.status, 1, "{nobody:?}");
    assert!(nobody.out.contains("FATAL: Connection to database failed: "), "{nobody:?}");

    // The body is all that is run, and may ask.
    let body = "c = sysbench.sql.driver():connect() print('seven', c:query_row('SELECT 7')) c:prepare('SELECT * FROM nowhere')";
    desk.write("body.lua", body);
    let said = sysbench(&desk, &[&["body.lua"], &words[..]].concat());
    let (pointed, place) = ("LINE 1: SELECT * FROM nowhere", " ".repeat("LINE 1: SELECT * FROM ".len()));
    let refused = format!("PQprepare() failed: ERROR:  relation \"nowhere\" does not exist\n{pointed}\n{place}^\n\n");
    assert!(said.out.contains(&format!("\nseven\t7\nFATAL: {refused}FATAL: body.lua:1: SQL API error")), "{said:?}");
    assert_eq!(said.status, 1);
}

/// Script, words, status, and the last line of stdout or stderr.
const WRONG: &[(&str, &[&str], i32, &str)] = &[
    ("x = = 1", &["run"], 1, "FATAL: s.lua:1: unexpected symbol near '='"),
    ("x = 1", &["run"], 1, "FATAL: cannot find the event() function in s.lua"),
    ("x = 1", &["foo"], 1, "Unknown command: foo"),
    ("x = 1", &["prepare"], 1, "'s.lua' test does not implement the 'prepare' command."),
    ("x = 1", &["run", "more"], 1, "Unrecognized command line argument: more"),
    ("x = 1", &["--threads=x", "run"], 1, "Invalid value for the 'threads' option: 'x'"),
    ("x = 1", &["--percentile=101", "run"], 1, "FATAL: Invalid value for --percentile: 101"),
    ("sysbench.cmdline.options = {}", &["--foo=1", "run"], 1, "invalid option: --foo=1"),
    ("function prepare() error('p') end", &["prepare"], 1, "FATAL: `prepare' function failed: s.lua:1: p"),
    (
        "function event() end function init() error({}) end",
        &["run"],
        1,
        "FATAL: `init' function failed: (not a string)",
    ),
    ("function event() end function thread_init() error('t') end", &["run"], 1, "FATAL: Thread initialization failed!"),
    (
        "function event() sysbench.sql.driver('foo') end function thread_init() sysbench.sql.driver('foo') end",
        &["run"],
        1,
        "FATAL: Thread initialization failed!",
    ),
    (
        "sysbench.cmdline.commands = {c = {function() error('z') end}}",
        &["c"],
        1,
        "FATAL: `sysbench.cmdline.call_command' function failed: s.lua:1: z",
    ),
    // What was counted until then is told, and the last word is that it is not all.
    (
        "function event() error('e') end",
        &["run"],
        1,
        "FATAL: the run ended before its time, and this report is of a part of it: user 0 gave up: `thread_run' function failed: s.lua:1: e",
    ),
    (
        "function thread_done() error('d') end function event() return true end",
        &["run"],
        1,
        "FATAL: the run ended before its time, and this report is of a part of it: user 0 gave up: `thread_done' function failed: s.lua:1: d",
    ),
    (
        "function done() error('o') end function event() return true end",
        &["run"],
        1,
        "FATAL: `done' function failed: s.lua:1: o",
    ),
    (
        "function cleanup() local x = nil; x() end",
        &["cleanup"],
        1,
        "FATAL: `cleanup' function failed: s.lua:1: attempt to call local 'x' (a nil value)",
    ),
    ("function help() error('h') end", &["help"], 1, "FATAL: `help' function failed: s.lua:1: h"),
    (
        "sysbench.hooks.report_cumulative = function() error('r') end function event() return true end",
        &["run"],
        0,
        "FATAL: `report_cumulative' function failed: s.lua:1: r",
    ),
    (
        "sysbench.hooks.before_restart_event = function() error('b') end function event() error({errcode = 1}) end",
        &["run"],
        1,
        "FATAL: the run ended before its time, and this report is of a part of it: user 0 gave up: `thread_run' function failed: s.lua:1: b",
    ),
    (
        "function event() end",
        &["--db-driver=foo", "--rand-type=none", "run"],
        1,
        "FATAL: Invalid random numbers distribution: none.",
    ),
    (
        "function prepare() sysbench.sql.driver() end",
        &["--db-driver=foo", "prepare"],
        1,
        "FATAL: `prepare' function failed: s.lua:1: failed to initialize the DB driver",
    ),
    ("sysbench.cmdline.commands = {c = {function() return false end}}", &["c"], 1, ""),
    ("sysbench.cmdline.commands = {c = {function() end}}", &["c"], 0, ""),
    ("print('body')", &[], 0, "body"),
];

#[test]
fn what_is_wrong_is_said_and_ends_as_in_sysbench() {
    let desk = Desk::without_server();
    for (script, words, status, last) in WRONG {
        desk.write("s.lua", script);
        let said = sysbench(&desk, &[&["s.lua"], *words].concat());
        let lines = if said.err.is_empty() { &said.out } else { &said.err };
        let line = lines.trim_end().lines().last().unwrap_or_default();
        let line = if last.is_empty() { "" } else { line };
        assert_eq!((said.status, line), (*status, *last), "{script}: {said:?}");
    }
    let nowhere = sysbench(&desk, &["nowhere", "run"]);
    assert!(nowhere.out.ends_with("FATAL: Cannot find benchmark 'nowhere': no such built-in test, file or module\n"));
    assert_eq!(nowhere.status, 1);
}

#[test]
fn a_run_without_any_server_reports_as_sysbench_does() {
    let desk = Desk::without_server();
    let dry = ["oltp_read_write", "--mysql-dry-run", "--events=7", "--threads=2", "--time=0", "run"];
    let out = sysbench(&desk, &dry).out;
    for part in [
        "sysbench 1.0.20 (using bundled LuaJIT",
        "\n\nRunning the test with following options:\nNumber of threads: 2\n",
        "\n\n\nInitializing worker threads...\n\nThreads started!\n\nSQL statistics:\n    queries performed:\n",
        "        other:                           140\n",
        "    transactions:                        7      (",
        "\nGeneral statistics:\n    total time:                          ",
        "\n    total number of events:              7\n",
        "\n         95th percentile:              ",
    ] {
        assert!(out.contains(part), "{part:?} is not in {out}");
    }
    let newer = sysbench(&desk, &[&dry[..], &["--compat=1.1"]].concat()).out;
    assert!(
        newer.starts_with("sysbench 1.1.0 (") && newer.contains("\nThroughput:\n    events/s (eps):     "),
        "{newer}"
    );
    assert_eq!(sysbench(&desk, &["--version"]).out, "sysbench 1.0.20\n");
}

#[test]
fn a_benchmark_that_waits_for_nobody_ends_when_it_is_to() {
    let desk = Desk::without_server();
    let cpu = ["cpu", "--threads=2", "--cpu-max-prime=1000"];
    for limit in ["--time=1", "--events=20"] {
        let said = sysbench(&desk, &[&cpu[..], &[limit, "run"]].concat());
        for part in ["\n\nPrime numbers limit: 1000\n\nInitializing worker", "\nCPU speed:\n    events per second: "] {
            assert!(said.status == 0 && said.out.contains(part), "{said:?}");
        }
    }
    let flooded = sysbench(&desk, &["cpu", "--rate=2000000000", "--verbosity=1", "run"]);
    assert!(flooded.status == 1 && flooded.out.starts_with("FATAL: The event queue is full. "), "{flooded:?}");
    let alone = sysbench(&desk, &["cpu"]);
    assert_eq!(alone.err, "The 'cpu' test requires a command argument. See 'sysbench cpu help'\n");
    let other = sysbench(&desk, &["memory", "run"]);
    assert!(other.status == 1 && other.out.contains("FATAL: The test 'memory' measures no database and"), "{other:?}");
}

#[test]
fn a_script_is_found_on_its_path_and_read_from_the_standard_input() {
    let desk = Desk::without_server();
    std::fs::create_dir(desk.path("modules")).unwrap();
    desk.write("modules/mine.lua", "print('mine', sysbench.cmdline.script_path) function event() end");
    let module = |path: &str| {
        let mut command = desk.command(&["sysbench", "mine", "--events=1", "run"]);
        Said::of(command.env("LUA_PATH", path).output().expect("assay starts"))
    };
    for path in ["./modules/?.lua", "modules/?.lua;;"] {
        let said = module(path);
        assert!(said.status == 0 && said.out.contains("\nmine\tmine\n"), "{path}: {said:?}");
    }
    assert_eq!(module("elsewhere/?.lua").status, 1);

    for words in [&["sysbench"][..], &["sysbench", "-"], &["sysbench", "-", "run"]] {
        let mut child = desk.command(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"print('read', sysbench.tid)").unwrap();
        let said = Said::of(child.wait_with_output().unwrap());
        assert!(said.status == 0 && said.out.ends_with("\nread\t0\n"), "{words:?}: {said:?}");
    }
}

#[test]
fn commands_to_luajit_are_carried_out_in_every_state() {
    let desk = Desk::without_server();
    desk.write("s.lua", "print(sysbench.tid, (jit.status())) function event() end");
    let jit = |command: &str| {
        let command = format!("--luajit-cmd={command}");
        sysbench(&desk, &["s.lua", "--compat=1.1", &command, "--threads=2", "--events=1", "--verbosity=0", "run"])
    };
    let said = jit("off");
    let mut lines: Vec<&str> = said.out.lines().collect();
    lines.sort_unstable();
    assert_eq!((said.status, &lines[..]), (0, &["0\tfalse", "0\tfalse", "1\tfalse"][..]), "{said:?}");
    assert!(jit("on").out.contains("0\ttrue"));
    let said = jit("no-such-command");
    assert!(said.status == 1 && said.out.contains("unknown luaJIT command: no-such-command"), "{said:?}");
}

/// What a run prints, without its numbers.
fn without_numbers(out: &str) -> Vec<String> {
    let masked = |line: &str| line.chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace()).collect::<String>();
    out.lines().map(masked).collect()
}

#[test]
fn a_run_that_is_recorded_prints_the_same_and_leaves_a_record_with_a_page() {
    let desk = Desk::new();
    let server = Server::start(&desk);
    let words = server.words();
    // One thread: two could meet in a deadlock, whose statements are said once more.
    let script = ["oltp_read_write", &words[0], &words[1], "--mysql-password=", "--threads=1", "--table-size=100"];
    let call = |more: &[&str]| built_in(&desk, &[&script[..], more].concat());
    assert_eq!(call(&["prepare"]).status, 0);
    let run = ["--events=40", "--time=0", "run"];
    let plain = call(&run);
    let said = call(&[&["--record=record"][..], &run].concat());
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(without_numbers(&said.out), without_numbers(&plain.out));
    assert!(said.err.ends_with("record/report.html\n"), "{said:?}");
    let of_record = desk.run("c001-1");
    let tally = &of_record["phases"][0]["groups"]["users"]["tally"];
    assert_eq!((&of_record["ending"], &tally["operations"]["event"]["done"]), (&"done".into(), &40.into()), "{tally}");
    assert_eq!(tally["statements"]["SELECT c FROM sbtest? WHERE id=?"]["calls"], 400, "{tally}");
    let plan = desk.read("record/plan.json");
    assert!(plan.contains("lua.oltp_read_write") && plan.contains("script_sha256"), "{plan}");
    assert!(plan.contains("--mysql-password=…"), "{plan}");
    assert!(desk.read("record/report.html").contains("lua.oltp_read_write"));
    // A record is not written over.
    let again = call(&[&["--record=record"][..], &run].concat());
    assert!(again.status == 1 && again.out.contains("is a record already"), "{again:?}");

    // Ctrl-C ends the run and leaves what was measured.
    let endless = [&["sysbench"][..], &script, &["--record=cut", "--time=0", "--events=0", "run"]].concat();
    let child = desk.command(&endless).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("the first second", || {
        std::fs::metadata(desk.path("cut/runs/c001-1/intervals.jsonl")).ok().filter(|file| file.len() > 0)
    });
    signal(child.id(), Signal::INT);
    let said = Said::of(child.wait_with_output().unwrap());
    assert!(said.err.ends_with("cut/report.html\n") && said.out.contains("transactions:"), "{said:?}");
    assert!(desk.read("cut/runs/c001-1/run.json").contains("stopped as asked"), "{said:?}");
    assert!(desk.path("cut/report.html").exists());

    let said = call(&[&["--record=other", "--mysql-dry-run"][..], &run].concat());
    assert!(said.status == 1 && said.out.contains("nothing to record") && !desk.path("other").exists(), "{said:?}");
}

#[test]
fn a_run_on_postgresql_leaves_a_record_that_says_what_it_cannot() {
    let Some(postgres) = Postgres::start() else { return };
    let desk = Desk::without_server();
    let host = format!("--pgsql-host={}", postgres.folder().display());
    let port = format!("--pgsql-port={}", postgres.port);
    let script = ["oltp_read_write", "--db-driver=pgsql", &host, &port, "--pgsql-db=postgres", "--table-size=100"];
    let call = |more: &[&str]| built_in(&desk, &[&script[..], more].concat());
    assert_eq!(call(&["prepare"]).status, 0);
    let said = call(&["--record=record", "--events=40", "--time=0", "run"]);
    assert!(said.status == 0 && said.err.ends_with("record/report.html\n"), "{said:?}");
    let run = desk.run("c001-1");
    let tally = &run["phases"][0]["groups"]["users"]["tally"];
    assert_eq!((&run["ending"], &tally["operations"]["event"]["done"]), (&"done".into(), &40.into()), "{run}");
    assert_eq!(tally["statements"]["SELECT c FROM sbtest? WHERE id=?"]["calls"], 400, "{tally}");
    assert_eq!(run["session"]["authentication"], "trust", "{run}");
    let counters = &run["whole"]["counters"];
    for counter in ["postgres.xact_commit", "postgres.wal_bytes", "server.cpu.user"] {
        assert!(counters[counter].is_array(), "{counter}: {counters}");
    }
    let instance = desk.read(&format!("record/instances/{}.json", run["instance"].as_str().unwrap()));
    assert!(instance.contains("\"kind\": \"postgresql\"") && instance.contains("\"shared_buffers\""), "{instance}");
    let plan = desk.read("record/plan.json");
    assert!(plan.contains("postgres://sbtest@localhost/postgres?socket="), "{plan}");
    assert!(desk.read("record/report.html").contains("lua.oltp_read_write"));
}

#[test]
fn a_program_that_is_called_sysbench_is_sysbench() {
    let desk = Desk::without_server();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_assay"), desk.path("sysbench")).unwrap();
    let said = Said::of(Command::new(desk.path("sysbench")).arg("--version").output().unwrap());
    assert_eq!((said.status, said.out.as_str()), (0, "sysbench 1.0.20\n"));
}
