//! Somebody changes a real server while it is measured: between two runs, or in the middle of one. Whatever it is, the
//! number is struck and one sentence names it; a twin that nobody touched stays quiet. The deeds are many and small, so
//! that several fit into one lab: each has a run of its own.

use crate::desk::{Desk, Said, until};
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use model::record::Record;
use model::{Status, Verdict};
use rustix::process::{Pid, Resource, getrlimit, prlimit, setpriority_process};
use std::collections::BTreeMap;
use std::fs;
use std::process::Child;

fn question(workload: &str, repetitions: usize, measure: &str) -> String {
    format!(
        r#"question = "Does it hold?"

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.oltp.{workload}]
rows = 2_000

[load]
users   = 2
measure = "{measure}"

[repeat]
repetitions = {repetitions}
aa          = false
"#
    )
}

/// Somebody's own way into the private server that is up.
pub(crate) fn somebody(desk: &Desk) -> Control {
    let socket = until("the private server", || {
        let folders = fs::read_dir(desk.path("")).unwrap().flatten().map(|e| e.path());
        folders.map(|folder| folder.join("s")).filter(|socket| socket.exists()).last()
    });
    Control::connect(&SqlEndpoint::root(socket)).unwrap()
}

/// The schema that the lab loaded.
pub(crate) fn schema(control: &mut Control) -> String {
    let named = "SELECT table_schema FROM information_schema.tables WHERE table_name = 'sbtest1'";
    control.value(named).unwrap().expect("the data are loaded")
}

/// Waits until users are at work: what is read and asked before them is a few hundred statements.
pub(crate) fn at_work(control: &mut Control) {
    let asked = "SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'COM_STMT_EXECUTE'";
    let mut asked = || control.value(asked).unwrap().expect("a counter").parse::<u64>().unwrap();
    let before = asked();
    until("the users at work", || (asked() > before + 2_000).then_some(()));
}

/// What somebody does to a server, and how its verdict is to name it.
struct Deed {
    act: fn(&mut Control, &str, u32),
    name: &'static str,
}

const fn deed(name: &'static str, act: fn(&mut Control, &str, u32)) -> Deed {
    Deed { act, name }
}

pub(crate) fn say(control: &mut Control, sql: &str) {
    control.execute(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
}

const DEEDS: &[Deed] = &[
    deed("`innodb_flush_log_at_trx_commit` was 1", |c, _, _| say(c, "SET GLOBAL innodb_flush_log_at_trx_commit = 2")),
    deed("The key `k_1` of sbtest1 was KEY `k_1` (`k`)", |c, schema, _| {
        say(c, &format!("DROP INDEX k_1 ON {schema}.sbtest1"));
    }),
    deed("`optimizer_switch` was", |c, _, _| say(c, "SET GLOBAL optimizer_switch = 'index_merge=off'")),
    deed("`general_log` was OFF", |c, _, _| say(c, "SET GLOBAL general_log = ON")),
    deed("`sql_mode` was", |c, _, _| say(c, "SET GLOBAL sql_mode = 'ANSI_QUOTES'")),
    deed("The trigger t of sbtest1 was absent", |c, schema, _| {
        say(c, &format!("CREATE TRIGGER {schema}.t BEFORE UPDATE ON {schema}.sbtest1 FOR EACH ROW SET NEW.k = 1"));
    }),
    deed("MAX_USER_CONNECTIONS 900", |c, _, _| say(c, "ALTER USER CURRENT_USER() WITH MAX_USER_CONNECTIONS 900")),
    deed("The options of sbtest1 were", |c, schema, _| {
        say(c, &format!("ALTER TABLE {schema}.sbtest1 ROW_FORMAT = COMPACT"));
    }),
    deed("The event ", |c, schema, _| {
        say(c, &format!("CREATE EVENT {schema}.e ON SCHEDULE EVERY 1 DAY DO DELETE FROM {schema}.sbtest1"));
    }),
    deed("The last write to sbtest1 was", |c, schema, _| {
        say(c, &format!("UPDATE {schema}.sbtest1 SET c = 'x' WHERE id = 7"));
    }),
    deed("he engine's number of sbtest1, which changes when a table is made anew or replaced, was", |c, schema, _| {
        say(c, &format!("ALTER TABLE {schema}.sbtest1 FORCE"));
    }),
    deed("erformance_schema's `setup_actors %@%` was", |c, _, _| {
        say(c, "UPDATE performance_schema.setup_actors SET enabled = 'NO'");
    }),
    deed("`nice of the main thread` of the server's process was", |_, _, pid| {
        setpriority_process(Pid::from_raw(pid as i32), 7).unwrap();
    }),
    deed("`Max open files` of the server's process was", |_, _, pid| {
        let mut files = getrlimit(Resource::Nofile);
        files.current = files.current.map(|n| n - 1);
        prlimit(Pid::from_raw(pid as i32), Resource::Nofile, files).unwrap();
    }),
    deed("`innodb_buffer_pool_size` was 67108864", |c, _, _| say(c, "SET GLOBAL innodb_buffer_pool_size = 8388608")),
];

pub(crate) fn end(mut lab: Child) -> Said {
    until("the end of the lab", || lab.try_wait().unwrap());
    Said::of(lab.wait_with_output().unwrap())
}

pub(crate) fn judged(record: &Record, details: &lab::notebook::Folder) -> BTreeMap<String, Verdict> {
    let judgement = judge::judge(record, details);
    judgement.cells.into_iter().flat_map(|cell| cell.verdicts).map(|v| (v.check.clone(), v)).collect()
}

#[test]
fn whatever_somebody_does_to_a_server_during_a_run_is_named_and_strikes_its_number() {
    let desk = Desk::new();
    desk.write("q.toml", &question("point_selects", DEEDS.len(), "3s"));
    let lab = desk.start(&["run", "q.toml", "--out", "record"]);
    for (number, Deed { act, name }) in DEEDS.iter().enumerate() {
        until(name, || (desk.count("run_started") > number).then_some(()));
        let mut control = somebody(&desk);
        let schema = schema(&mut control);
        at_work(&mut control);
        act(&mut control, &schema, desk.server().expect("a server"));
        control.quit();
        assert_eq!(desk.count("run_done"), number, "{name}: done while it was measured");
    }
    let said = end(lab);
    assert_eq!(said.status, 1, "{said:#?}");
    let (record, details) = lab::notebook::read(&desk.path("record")).unwrap();
    for (number, Deed { name, .. }) in DEEDS.iter().enumerate() {
        let mut alone = record.clone();
        alone.runs.retain(|run| run.position as usize == number);
        let told = &judged(&alone, &details)["held_throughout"];
        assert_eq!(told.verdict, Status::Fail, "{name}: {}", told.sentence);
        let is_told = told.sentence.contains(name) && told.sentence.ends_with("the number is struck.");
        assert!(is_told, "{name}: {}", told.sentence);
    }
    let all = judged(&record, &details);
    assert_eq!(all["runs_alike"].verdict, Status::Fail, "{}", all["runs_alike"].sentence);
    let last = judged(&Record { runs: record.runs[DEEDS.len() - 1..].to_vec(), ..record }, &details);
    let cached = &last["regime_was_cached"].sentence;
    assert!(cached.contains("a cache of 8 MiB"), "the size in force then: {cached}");
}

#[test]
fn what_somebody_does_between_two_runs_is_named_with_both() {
    let desk = Desk::new();
    desk.write("q.toml", &question("point_selects", 4, "300ms"));
    let lab = desk.start(&["run", "q.toml", "--out", "record"]);
    until("the second run's end", || (desk.count("run_done") > 1).then_some(()));
    let mut control = somebody(&desk);
    say(&mut control, "SET GLOBAL innodb_flush_log_at_trx_commit = 2");
    control.quit();
    assert_eq!(end(lab).status, 1);
    let (record, details) = lab::notebook::read(&desk.path("record")).unwrap();
    let told = &judged(&record, &details)["runs_alike"];
    assert_eq!(told.verdict, Status::Fail, "{}", told.sentence);
    assert!(told.sentence.starts_with("`innodb_flush_log_at_trx_commit` was 1 at the start of c001-1 and 2 at"));
}

#[test]
fn a_twin_that_nobody_touches_is_not_accused_whether_it_reads_or_writes() {
    for workload in ["point_selects", "read_write"] {
        let desk = Desk::new();
        desk.write("q.toml", &question(workload, 3, "300ms"));
        desk.assay(&["run", "q.toml", "--out", "record"]).assert_carried_out();
        let (record, details) = lab::notebook::read(&desk.path("record")).unwrap();
        for check in ["held_throughout", "runs_alike"] {
            let told = &judged(&record, &details)[check];
            assert_eq!(told.verdict, Status::Pass, "{workload}: {}", told.sentence);
        }
        let kept = fs::read_dir(desk.path("record/states")).unwrap().count();
        let facets = record.runs[0].states.as_ref().unwrap().begin.len();
        assert!(kept < 2 * facets, "kept once per change: {kept} files of {facets} facets for three runs");
    }
}
