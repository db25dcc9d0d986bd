//! Real traffic written down: what sessions asked of a real server is what the trace holds, whichever way it was
//! captured; what a trace must not hold is not in it; what cannot be captured is refused with what to do.

use crate::desk::Desk;
use crate::somebody_elses_server::{Ends, theirs};
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use lab::traces::Trace;
use std::path::Path;
use trace::{Item, Statement};

/// Every statement of a trace, of which nothing is missing.
fn statements(folder: &Path) -> Vec<Statement> {
    let trace = Trace::open(folder).unwrap();
    assert!(trace.closing.is_some(), "the capture ended");
    let one = |item| match item {
        Ok(Item::Statement(statement)) => statement,
        other => panic!("{other:?}"),
    };
    trace.statements().unwrap().map(one).collect()
}

/// The texts of a session, in its order.
fn texts(all: &[Statement], session: u64) -> Vec<String> {
    let text = |statement: &Statement| statement.text().map(|text| String::from_utf8_lossy(text).into_owned());
    all.iter().filter(|statement| statement.session.0 == session).filter_map(text).collect()
}

/// What one client asks, in which a comment, a second line, a database and a failure stand.
const ASKED: [&str; 9] = [
    "USE theirs",
    "BEGIN",
    "INSERT INTO precious VALUES (43), (44)",
    "SELECT a /* not a comment's end: ; */\nFROM precious\n# Time: none\nWHERE a = 43",
    "SELECT 'it''s; \\' a', \"#\", '-- '",
    "COMMIT",
    "SELECT * FROM nowhere",
    "CREATE USER guest@localhost IDENTIFIED BY 'sesame-2'",
    "SELECT COUNT(*) FROM precious",
];

/// A session that asks all that.
fn ask(socket: &Path) {
    let mut control = Control::connect(&SqlEndpoint::root(socket.to_path_buf())).unwrap();
    for sql in ASKED {
        assert_eq!(control.execute(sql).is_ok(), !sql.contains("nowhere"), "{sql}");
    }
    control.execute("DROP USER guest@localhost").unwrap();
    control.quit();
}

#[test]
fn a_slow_log_of_a_real_server_is_the_statements_that_were_asked() {
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (socket, mut control) = theirs(&desk);
    let log = desk.path("slow.log");
    control.execute(&format!("SET GLOBAL slow_query_log_file = '{}'", log.display())).unwrap();
    control.execute("SET GLOBAL log_output = 'FILE', long_query_time = 0, slow_query_log = 1").unwrap();
    ask(&socket);
    control.execute("SET GLOBAL slow_query_log = 0").unwrap();

    let said = desk.assay(&["capture", "--slow-log", "slow.log", "--out", "trace"]);
    assert_eq!(said.status, 0, "{said:?}");
    let all = statements(&desk.path("trace"));
    let session = all.iter().find(|statement| statement.text().is_some_and(|text| text.starts_with(b"USE"))).unwrap();
    let found = texts(&all, session.session.0);
    let expected: Vec<String> = ASKED.iter().map(|sql| sql.replace("sesame-2", "<secret>")).collect();
    let from = found.iter().position(|text| text == ASKED[0]).unwrap();
    assert_eq!(found[from..from + ASKED.len()], expected[..]);
    let last = all.iter().rfind(|statement| statement.session == session.session).unwrap();
    // MariaDB's log does not tell that a client left.
    assert_eq!((&*last.database, &*last.user), ("theirs", "root"));
    let selected = all.iter().find(|s| s.text().is_some_and(|text| text.starts_with(b"SELECT a"))).unwrap();
    assert_eq!((selected.answer.rows, selected.answer.affected), (Some(1), Some(0)));
    assert!(said.out.contains("whole seconds"), "what the log cannot know is said: {}", said.out);

    // The same behind a key: other values of the same digests, and no password, no name, no number of it.
    desk.write("key", "a key of thirty-two bytes or so\n");
    let said = desk.assay(&["capture", "--slow-log", "slow.log", "--out", "masked", "--mask", "--mask-key", "key"]);
    assert_eq!(said.status, 0, "{said:?}");
    let masked = statements(&desk.path("masked"));
    let digests = |all: &[Statement]| -> Vec<Option<u64>> {
        all.iter().map(|statement| statement.text().map(|text| trace::digest(text).hash)).collect()
    };
    assert_eq!(digests(&masked), digests(&all));
    for (folder, is_masked) in [("trace", false), ("masked", true)] {
        let head = desk.read(&format!("{folder}/trace.json"));
        assert!(!head.contains("thirty-two") && head.contains("\"masked\": null") != is_masked, "{head}");
    }
    assert!(
        masked.iter().all(|s| s.text().is_none_or(|text| !String::from_utf8_lossy(text).contains("not a comment")))
    );
    control.quit();
}

#[test]
fn what_cannot_be_captured_is_refused_in_one_sentence() {
    let desk = Desk::without_server();
    desk.write("general.log", "2024-02-29T12:00:01.000500Z\t    8 Query\tSELECT 1\n");
    desk.write("timeless.log", "# User@Host: a[a] @ b []\n# Query_time: 0.1\nSELECT 1;\n");
    desk.write("letter.txt", "Dear server\n");
    desk.write("short", "guess me");
    let refusals: [(&[&str], &str); 6] = [
        (&["--slow-log", "nowhere.log"], "opening nowhere.log"),
        (&["--slow-log", "general.log"], "general query log, which has no durations"),
        (&["--slow-log", "timeless.log"], "has no time"),
        (&["--slow-log", "letter.txt"], "it is no slow log"),
        (&["--slow-log", "letter.txt", "--mask"], "has 0 bytes"),
        (&["--slow-log", "letter.txt", "--mask", "--mask-key", "short"], "can be guessed"),
    ];
    for (arguments, sentence) in refusals {
        let said = desk.assay(&[&["capture", "--out", "trace"], arguments].concat());
        assert!(said.status >= 2 && said.err.contains(sentence), "{arguments:?}: {said:?}");
        assert!(!desk.path("trace").exists(), "{arguments:?} leaves nothing behind");
    }
    std::fs::create_dir(desk.path("trace")).unwrap();
    desk.write("trace/trace.json", "{\"version\": 9}");
    let said = desk.assay(&["capture", "--slow-log", "letter.txt", "--out", "trace"]);
    assert!(said.status >= 2, "{said:?}");
    let Err(why) = Trace::open(&desk.path("trace")) else { panic!("version 9 is read") };
    assert!(why.to_string().contains("version 9"), "{why}");
}
