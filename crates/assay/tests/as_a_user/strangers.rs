//! Who else is at a real server while it is measured, named by user and host: whose transaction holds old versions,
//! and who sends statements. And who is no stranger: a script that changes tables in its own events.

use crate::desk::{Desk, until};
use crate::held::{at_work, end, judged, say, schema, somebody};
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use model::{Status, Verdict};
use std::collections::BTreeMap;
use std::fs;

/// Statements of the stranger.
const SENT: u32 = 1_200;

fn question(workload: &str, settings: &str) -> String {
    format!(
        "question = \"Who else is there?\"\n[server.settings]\nbuffer_pool = \"64 MiB\"\nredo = \"16 MiB\"\n{settings}\n\
         {workload}\n[load]\nusers = 2\nmeasure = \"6s\"\n[repeat]\nrepetitions = 1\naa = false\n"
    )
}

fn verdicts(desk: &Desk) -> BTreeMap<String, Verdict> {
    let (record, details) = lab::notebook::read(&desk.path("record")).unwrap();
    judged(&record, &details)
}

#[test]
fn who_left_a_transaction_open_is_named_where_purge_did_not_keep_up() {
    let desk = Desk::new();
    desk.write("q.toml", &question("[workload.oltp.update_index]\nrows = 2_000", "flush_at_commit = 0"));
    let lab = desk.start(&["run", "q.toml", "--out", "record"]);
    until("the run", || (desk.count("run_started") > 0).then_some(()));
    let mut control = somebody(&desk);
    at_work(&mut control);
    let schema = schema(&mut control);
    let thread = control.value("SELECT CONNECTION_ID()").unwrap().unwrap();
    say(&mut control, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    control.rows(&format!("SELECT COUNT(*) FROM {schema}.sbtest1")).unwrap();
    let said = end(lab);
    drop(control);
    assert_eq!(said.status, 1, "{said:#?}");
    let told = verdicts(&desk);
    let who = format!("root@localhost, thread {thread}, had a transaction open for ");
    for check in ["purge_kept_up", "held_throughout"] {
        let told = &told[check];
        assert!(told.verdict >= Status::Warn && told.sentence.contains(&who), "{check}: {}", told.sentence);
    }
}

#[test]
fn who_sends_statements_beside_the_load_is_named_where_the_server_counts_by_account() {
    let desk = Desk::new();
    desk.write("q.toml", &question("[workload.oltp.point_selects]\nrows = 2_000", "performance_schema = true"));
    let lab = desk.start(&["run", "q.toml", "--out", "record"]);
    until("the run", || (desk.count("run_started") > 0).then_some(()));
    let mut control = somebody(&desk);
    at_work(&mut control);
    say(&mut control, "CREATE USER app@localhost");
    let folders = fs::read_dir(desk.path("")).unwrap().flatten().map(|e| e.path().join("s"));
    let socket = folders.filter(|socket| socket.exists()).last().expect("a private server");
    let endpoint = SqlEndpoint { user: "app".into(), ..SqlEndpoint::root(socket) };
    let mut app = Control::connect(&endpoint).unwrap();
    (0..SENT).for_each(|_| say(&mut app, "DO 1"));
    app.quit();
    control.quit();
    assert_eq!(desk.count("run_done"), 0, "done while it was measured");
    end(lab);
    let told = &verdicts(&desk)["counts_agree"];
    assert!(told.verdict >= Status::Warn, "{}", told.sentence);
    assert!(told.sentence.contains("User app@localhost sent 12"), "{}", told.sentence);
}

const SCRIPT: &str = r#"
function thread_init() con = sysbench.sql.driver():connect() end
function event()
    con:query("CREATE TABLE IF NOT EXISTS mine (id INT PRIMARY KEY, n INT)")
    con:query("CREATE INDEX IF NOT EXISTS of_n ON mine (n)")
    con:query("REPLACE INTO mine VALUES (1, 1)")
end
"#;

#[test]
fn what_a_script_does_to_its_own_tables_is_no_change_from_outside() {
    for is_touched in [false, true] {
        let desk = Desk::new();
        desk.write("mine.lua", SCRIPT);
        desk.write("q.toml", &question("[workload]\nlua = \"mine.lua\"", ""));
        let lab = desk.start(&["run", "q.toml", "--out", "record"]);
        until("the run", || (desk.count("run_started") > 0).then_some(()));
        if is_touched {
            let mut control = somebody(&desk);
            let find = "SELECT table_schema FROM information_schema.tables WHERE table_name = 'mine'";
            let schema = until("the table", || control.value(find).unwrap());
            say(&mut control, &format!("CREATE TABLE {schema}.yours (id INT)"));
            control.quit();
        }
        end(lab);
        let told = &verdicts(&desk)["held_throughout"];
        let expected = if is_touched { Status::Fail } else { Status::Pass };
        assert_eq!(told.verdict, expected, "{}", told.sentence);
        assert!(!is_touched || told.sentence.contains("yours"), "{}", told.sentence);
    }
}
