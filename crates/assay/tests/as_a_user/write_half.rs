//! The members of `oltp` that write, and the two that read many values at once, as a server hears them: the same
//! statements as sysbench's scripts of the distribution, as often, in the same order. What differs is said: sysbench
//! prepares before each kind what others prepare, so prepared texts are compared as a set, and SET NAMES belongs to
//! assay's sessions.

use crate::desk::{Desk, Said};
use crate::skipped;
use crate::sysbench::{EVENTS, SCRIPTS, SYSBENCH, Server};
use std::path::Path;
use std::process::{Command, Stdio};

const MEMBERS: [(&str, &str); 8] = [
    ("read_write", "oltp_read_write"),
    ("write_only", "oltp_write_only"),
    ("insert", "oltp_insert"),
    ("delete", "oltp_delete"),
    ("update_index", "oltp_update_index"),
    ("update_non_index", "oltp_update_non_index"),
    ("random_points", "select_random_points"),
    ("random_ranges", "select_random_ranges"),
];

/// What one session said: its prepared texts, sorted, and what it executed, in the order of the first of each; each
/// with how often.
type Heard = [Vec<(String, u64)>; 2];

fn heard(server: &mut Server) -> Vec<Heard> {
    let apart = |said: Vec<(String, u64)>| {
        let (mut prepared, done): (Vec<_>, Vec<_>) = said
            .into_iter()
            .filter(|(text, _)| !text.starts_with("Query SET "))
            .partition(|(text, _)| text.starts_with("Prepare"));
        prepared.sort();
        [prepared, done]
    };
    server.heard().into_iter().map(apart).collect()
}

fn real(server: &Server, script: &str, rest: &[&str]) -> Said {
    let mut command = Command::new(SYSBENCH);
    let shared = ["--table-size=100", "--rand-type=uniform", "--time=0"];
    // It declares no options.
    let shared = if script == "bulk_insert" { &shared[2..] } else { &shared[..] };
    command.arg(format!("{SCRIPTS}/{script}.lua")).args(server.words()).args(shared).args(rest);
    let said = Said::of(command.current_dir(SCRIPTS).stdin(Stdio::null()).output().expect("sysbench starts"));
    assert_eq!(said.status, 0, "{script} {rest:?}: {said:?}");
    said
}

/// One user, so many operations of each, on a server that is there.
fn ours(desk: &Desk, server: &Server, record: &str, members: &[&str], count: u64, parameters: &str) {
    let phases = members
        .iter()
        .map(|name| format!("[[phases]]\nname = \"{name}\"\nworkload = \"oltp.{name}\"\ncount = {count}\n"));
    let text = format!(
        "question = \"What does a server hear?\"\n[server]\non = \"mysql://root@localhost?socket={}\"\n[workload.oltp]\n{parameters}\n\
         [load]\nusers = 1\n{}[repeat]\nrepetitions = 1\naa = false\n",
        server.socket.display(),
        phases.collect::<String>()
    );
    desk.write("heard.toml", &text);
    desk.assay(&["run", "heard.toml", "--out", record]).assert_carried_out();
}

#[test]
fn the_write_half_says_to_a_server_what_sysbench_says() {
    if !(Path::new(SYSBENCH).exists() && Path::new(SCRIPTS).exists()) {
        return skipped::test("sysbench", "apt-get install sysbench");
    }
    let desk = Desk::new();
    let mut server = Server::start(&desk);
    transactions(&desk, &mut server);
    bulk(&desk, &mut server);
}

fn transactions(desk: &Desk, server: &mut Server) {
    real(server, "oltp_read_write", &["--tables=2", "prepare"]);
    heard(server);
    let expected = MEMBERS.map(|(_, script)| {
        let tables = if script.starts_with("select") { "--tables=1" } else { "--tables=2" };
        real(server, script, &[tables, &format!("--events={EVENTS}"), "run"]);
        // The first session looks at the server only.
        heard(server).pop().unwrap_or_else(|| panic!("{script} says nothing"))
    });

    let names = MEMBERS.map(|(name, _)| name);
    ours(desk, server, "own", &names, EVENTS, "tables = 2\nrows = 100\ndistribution = \"uniform\"");
    let said = heard(server);
    for ((name, script), expected) in MEMBERS.iter().zip(&expected) {
        assert!(!expected[1].is_empty(), "{script} executes nothing");
        assert!(
            said.contains(expected),
            "no session of oltp.{name} says what {script} says:\n{expected:#?}\nbut\n{said:#?}"
        );
    }
}

/// An operation of ours is a whole statement, and one of sysbench's a row; the statements must be the same to the last
/// letter.
fn bulk(desk: &Desk, server: &mut Server) {
    /// More than one statement of half a megabyte.
    const ROWS: &str = "--events=40000";
    let first = |server: &mut Server| {
        let sql = "SELECT argument FROM mysql.general_log WHERE argument LIKE 'INSERT INTO sbtest1 VALUES%' ORDER BY event_time LIMIT 1";
        let text = server.control.value(sql).unwrap().expect("a statement of many rows");
        server.heard();
        text
    };
    real(server, "oltp_read_write", &["--tables=2", "cleanup"]);
    real(server, "bulk_insert", &["prepare"]);
    real(server, "bulk_insert", &[ROWS, "run"]);
    let expected = first(server);
    ours(desk, server, "bulk", &["bulk_insert"], 1, "");
    let said = first(server);
    assert_eq!((said.len(), said == expected), (expected.len(), true), "{said:.200} and {expected:.200}");
}
