//! PostgreSQL through the front door: private servers that are loaded, kept, asked and ended as all others are, and one
//! of somebody else in which assay touches only what it made.

use crate::desk::{Desk, Said, until};
use crate::interruptions::await_event;
use crate::private_postgres::Postgres;
use crate::skipped;
use lab::backends::endpoint::{Address, SqlEndpoint};
use lab::backends::postgres::session::control::Control;
use lab::servers::catalogue;
use serde_json::Value;
use std::fs;
use std::time::Duration;

/// Reads and writes over each way to compare texts, on one server.
const EVERY_MEMBER: &str = r#"question = "Does every statement of sysbench's find its rows on PostgreSQL?"

[axes]
workload = ["oltp.read_write", "oltp.insert", "oltp.delete", "oltp.random_points", "oltp.in_list_updates", "oltp.distinct_ranges"]
protocol = ["prepared", "text"]
charset  = ["latin1", "utf8-icu"]

[server]
build    = "postgresql"
settings = { buffer_pool = "64 MiB", redo = "64 MiB" }

[workload.oltp]
tables = 2
rows   = 1_000

[load]
users = 2

[[phases]]
name  = "measure"
kind  = "measure"
count = 40

[repeat]
repetitions = 1
aa          = false
"#;

pub fn is_here() -> bool {
    let found = catalogue::find("postgresql").is_ok();
    if !found {
        skipped::test("PostgreSQL", "apt-get install postgresql");
    }
    found
}

pub fn report(desk: &Desk) -> Value {
    serde_json::from_str(&desk.read("record/report.json")).expect("a report")
}

/// What a check says of each cell.
pub fn verdicts(report: &Value, check: &str) -> Vec<String> {
    let cells = report["cells"].as_array().expect("cells").iter();
    let verdict = |cell: &Value| {
        let all = cell["verdicts"].as_array().expect("verdicts");
        let found = all.iter().find(|v| v["check"] == check).unwrap_or_else(|| panic!("no {check}"));
        found["verdict"].as_str().expect("a word").to_string()
    };
    cells.map(verdict).collect()
}

#[test]
fn every_statement_of_sysbenchs_is_answered_and_the_data_are_loaded_once() {
    if !is_here() {
        return;
    }
    let desk = Desk::new();
    desk.write("members.toml", EVERY_MEMBER);
    let said = desk.assay(&["run", "members.toml", "--out", "record"]);
    said.assert_carried_out();
    // MySQL's charset is none of this server's.
    let runs = desk.runs();
    assert_eq!(runs.len(), 12, "{said:?}");
    assert!(runs.values().all(|run| run.contains("\"ending\": \"done\"")), "{said:?}");
    assert!((1..=4).contains(&desk.count("snapshot_kept")), "loaded once, and restored for those who write");
    let report = report(&desk);
    for check in ["schema_as_declared", "data_as_generated", "answers_were_expected", "operations_succeeded"] {
        assert!(verdicts(&report, check).iter().all(|verdict| verdict == "pass"), "{check}");
    }
    let kept_up = verdicts(&report, "purge_kept_up");
    assert!(kept_up.iter().all(|verdict| ["pass", "not_applicable"].contains(&verdict.as_str())), "{kept_up:?}");
    let files = fs::read_dir(desk.path("record/datasets")).expect("datasets").filter_map(Result::ok);
    let texts: Vec<String> = files.map(|file| fs::read_to_string(file.path()).expect("a dataset")).collect();
    assert!(texts.iter().any(|text| text.contains("COLLATE \\\"und-x-icu\\\"")), "{texts:?}");
    let session = runs["c001-1"].clone();
    assert!(session.contains("Index Scan using sbtest"), "{session}");
    desk.assert_nothing_is_left();
}

const ORDERS: &str = r#"question = "Do the conditions of TPC-C hold on PostgreSQL?"

# The third is of MySQL's family and takes no part.
[axes]
date_columns = ["default", "null+room", "redundant"]

[server]
build    = "postgresql"
settings = { buffer_pool = "128 MiB", redo = "256 MiB" }

[workload.tpcc.faithful]
warehouses = 1
isolation  = "read-committed"

[load]
users = 2

[[phases]]
name  = "measure"
kind  = "measure"
count = 200

[repeat]
repetitions = 1
aa          = false
"#;

#[test]
fn the_conditions_of_tpcc_hold_around_its_transactions() {
    if !is_here() {
        return;
    }
    let desk = Desk::new();
    desk.write("orders.toml", ORDERS);
    let said = desk.assay(&["run", "orders.toml", "--out", "record"]);
    said.assert_carried_out();
    let run = desk.run("c001-1");
    assert_eq!(run["ending"], "done", "{said:?}");
    let answers = run["audits"][0]["answers"].as_array().expect("answers").clone();
    for answer in &answers {
        assert!(answer["unanswered"].is_null(), "{answer}");
        let is_condition = answer["name"].as_str().is_some_and(|name| name.starts_with('C'));
        assert!(!is_condition || answer["after"] == 0, "{answer}");
    }
    assert!(answers.iter().any(|answer| answer["name"] == "C12"), "{answers:?}");
    assert!(run["audits"][0]["facts"]["new_orders"].as_i64() > Some(0), "{}", run["audits"]);
    let report = report(&desk);
    assert!(!verdicts(&report, "data_obeyed_its_laws").contains(&"fail".to_string()));
    assert_eq!(verdicts(&report, "schema_as_declared"), ["pass", "pass"]);
    let files = fs::read_dir(desk.path("record/datasets")).expect("datasets").filter_map(Result::ok);
    let texts: Vec<String> = files.map(|file| fs::read_to_string(file.path()).expect("a dataset")).collect();
    assert_eq!(texts.iter().filter(|text| text.contains("fillfactor")).count(), 1, "pages of the second keep room");
    let series = desk.read("record/runs/c001-1/series.jsonl");
    for counter in ["postgres.wal_syncs", "postgres.dead_rows", "postgres.checkpoints_requested", "db.redo_written"] {
        assert!(series.contains(counter), "{counter}");
    }
}

#[test]
fn values_are_found_by_their_keys() {
    if !is_here() {
        return;
    }
    let desk = Desk::new();
    let few = ["bench", "kv.sql_mix", "--on", "postgresql", "--users", "2", "--for", "300ms", "--out", "record"];
    let depths = ["--set", "keys=500", "--set", "verify_every=1", "--set", "axes.depth=[1, 32]"];
    let said = desk.assay(&[&few[..], &depths].concat());
    for run in ["c001-1", "c002-1"] {
        assert_eq!(desk.run(run)["ending"], "done", "{said:?}");
    }
    assert_eq!(verdicts(&report(&desk), "answers_were_expected"), ["pass", "pass"]);
}

fn over_socket(desk: &Desk, postgres: &Postgres, user: &str, database: &str) -> Said {
    let dsn = format!("postgres://{user}@localhost/{database}?socket={}", postgres.socket().display());
    let few = ["bench", "oltp.point_selects", "--on", &dsn, "--users", "2", "--for", "300ms"];
    desk.assay(&[&few[..], &["--set", "rows=500", "--out", "record"]].concat())
}

fn connect(postgres: &Postgres) -> Control {
    let endpoint = SqlEndpoint {
        address: Address::Unix(postgres.socket()),
        user: "sbtest".into(),
        password: String::new(),
        schema: Some("postgres".into()),
        tls: None,
    };
    Control::connect(&endpoint, Duration::from_secs(60)).expect("it lets the lab in")
}

#[test]
fn whoever_keeps_vacuum_away_is_named() {
    let Some(postgres) = Postgres::start() else { return };
    let desk = Desk::new();
    let dsn = format!("postgres://sbtest@localhost/?socket={}", postgres.socket().display());
    let update = |record: &str| {
        let few = ["bench", "oltp.update_non_index", "--on", &dsn, "--users", "2", "--for", "3s", "--set", "rows=500"];
        // A disk that is busy lets a user commit a few hundred times in that time.
        desk.assay(&[&few[..], &["--set", "limits.start_history=10", "--out", record]].concat());
        let report: Value = serde_json::from_str(&desk.read(&format!("{record}/report.json"))).expect("a report");
        let all = report["cells"][0]["verdicts"].as_array().expect("verdicts");
        all.iter().find(|v| v["check"] == "purge_kept_up").expect("it is there").clone()
    };
    assert_eq!(update("alone")["verdict"], "pass");
    let mut control = connect(&postgres);
    for sql in ["BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM pg_class"] {
        control.execute(sql).expect("a server of ours");
    }
    let held = update("held");
    let sentence = held["sentence"].as_str().expect("a sentence");
    assert_eq!(held["verdict"], "fail", "{sentence}");
    assert!(sentence.contains("and sbtest@localhost, process "), "{sentence}");
    control.quit();
}

#[test]
fn in_a_server_of_others_a_database_of_its_own_is_made_and_what_is_theirs_stays() {
    let Some(postgres) = Postgres::start() else { return };
    let desk = Desk::new();
    let mut control = connect(&postgres);
    for sql in ["CREATE DATABASE theirs", "CREATE ROLE poor LOGIN"] {
        control.execute(sql).expect("a server of ours");
    }
    let refused = over_socket(&desk, &postgres, "sbtest", "theirs");
    let whose = "the database theirs is not assay's to fill, and it has no table sbtest1";
    assert!(refused.status != 0 && format!("{refused:?}").contains(whose), "{refused:?}");
    fs::remove_dir_all(desk.path("record")).expect("a record");
    let refused = over_socket(&desk, &postgres, "poor", "");
    let mend = "the role poor may create no database for the data; let it: ALTER ROLE poor CREATEDB";
    assert!(refused.status != 0 && format!("{refused:?}").contains(mend), "{refused:?}");
    fs::remove_dir_all(desk.path("record")).expect("a record");
    let said = over_socket(&desk, &postgres, "sbtest", "");
    assert!(desk.run("c001-1")["ending"] == "done", "{said:?}");
    let kept = control.value("SELECT count(*) FROM pg_database WHERE datname LIKE 'assay%'").expect("an answer");
    assert_eq!(kept.as_deref(), Some("1"));
    // Found as it lies.
    fs::remove_dir_all(desk.path("record")).expect("a record");
    let said = over_socket(&desk, &postgres, "sbtest", "");
    assert!(desk.notes().iter().any(|note| note.to_string().contains("found as wanted")), "{said:?}");
}

#[test]
fn a_private_server_dies_with_its_lab_and_what_it_cannot_be_asked_is_told_before_it_starts() {
    if !is_here() {
        return;
    }
    let desk = Desk::new();
    let refused = |arguments: &[&str]| {
        let said = desk.assay(arguments);
        assert_eq!(said.status, 2, "{said:?}");
        said.err
    };
    let few = ["--on", "postgresql", "--users", "1", "--for", "300ms"];
    let told = refused(&[&["bench", "versioned.insert"][..], &few].concat());
    assert!(told.contains("build `postgresql` is PostgreSQL, which this workload cannot ask"), "{told}");
    let told = refused(&[&["bench", "oltp.mixed", "--set", "charset=\"latin1\""][..], &few].concat());
    assert!(told.contains("the charset latin1 is of MySQL's family\n      take utf8-default, utf8-c or"), "{told}");
    let told = refused(&[&["bench", "tpcc.faithful", "--set", "date_columns=\"redundant\""][..], &few].concat());
    assert!(told.contains("`date_columns = \"redundant\"` is of MySQL's family\n      take another, or"), "{told}");
    let told =
        refused(&["bench", "kv.sql", "--set", "depth=8", "--on", "distribution", "--users", "1", "--for", "300ms"]);
    assert!(told.contains("`depth = 8` is PostgreSQL's\n      take another, or ask a server that knows it"), "{told}");
    let told = refused(&[&["bench", "oltp.mixed", "--set", "server.engine=\"rocksdb\""][..], &few].concat());
    assert!(told.contains("build `postgresql` has no engine `rocksdb`; it has: heap"), "{told}");
    let lab = ["bench", "oltp.point_selects", "--users", "1", "--for", "60s", "--on", "postgresql", "--out", "record"];
    let mut lab = desk.start(&lab);
    await_event(&desk, &mut lab, "run_started", 0);
    let server = until("the server", || desk.server());
    let all = [vec![server], children(server)].concat();
    assert!(all.len() > 2, "a session each, and some of its own: {all:?}");
    lab.kill().expect("it runs");
    lab.wait().expect("a child of ours");
    let is_there = |pid: &u32| fs::metadata(format!("/proc/{pid}")).is_ok();
    until("the death of all with their lab", || (!all.iter().any(is_there)).then_some(()));
}

#[test]
fn a_server_by_hand_lets_in_whoever_reaches_its_socket() {
    if !is_here() {
        return;
    }
    let desk = Desk::new();
    let said = desk.assay(&["servers", "start", "postgresql", "--detach", "--set", "settings.buffer_pool='64 MiB'"]);
    let line = said.out.lines().find_map(|line| line.split_once(" serves at ")).unwrap_or_else(|| panic!("{said:?}"));
    let endpoint = SqlEndpoint {
        address: Address::Unix(line.1.trim().into()),
        user: "root".into(),
        password: String::new(),
        schema: Some("postgres".into()),
        tls: None,
    };
    let mut control = Control::connect(&endpoint, Duration::from_secs(60)).expect("it lets the lab in");
    assert_eq!(control.value("SHOW shared_buffers").expect("an answer").as_deref(), Some("64MB"));
    control.quit();
    assert_eq!(desk.assay(&["servers", "stop", "postgresql"]).status, 0);
    desk.assert_nothing_is_left();
}

const ACROSS: &str = include_str!("../../../../experiments/across-servers.toml");

/// Two servers of one experiment: each with its own engine and charset, and the syncs of both told.
#[test]
fn the_same_writes_are_committed_on_two_families_of_servers() {
    if !is_here() {
        return;
    }
    let desk = Desk::new();
    desk.write("across.toml", ACROSS);
    let few =
        ["--scale", "smoke", "--set", "axes.users=[4]", "--set", "repeat.repetitions=1", "--set", "repeat.aa=false"];
    let said = desk.assay(&[&["run", "across.toml", "--out", "record"][..], &few].concat());
    said.assert_carried_out();
    let report = report(&desk);
    let durable = verdicts(&report, "commits_were_durable");
    assert!(durable.len() == 2 && !durable.contains(&"not_applicable".to_string()), "{durable:?}");
    let plan = desk.read("record/plan.json");
    for word in ["\"heap\"", "\"innodb\"", "utf8-default", "latin1"] {
        assert!(plan.contains(word), "{word}");
    }
}

fn children(parent: u32) -> Vec<u32> {
    let pids =
        fs::read_dir("/proc").expect("processes").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_child = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // Behind the name: the state, and the parent.
        stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)) == Some(&parent.to_string())
    };
    pids.filter(is_child).collect()
}
