//! Slow logs as the servers write them, and as disks and editors leave them.

use model::Nanos;
use trace::slow_log::{SlowLog, Unreadable};
use trace::{Ask, Item, Lost, Place, Statement};

/// Noon of 2024-02-29 and one second, UTC.
const T: u64 = 1_709_208_001_000_000_000;
const MICRO: u64 = 1_000;

fn items(log: &[u8]) -> Vec<Item> {
    SlowLog::new(log).map(|item| item.unwrap()).collect()
}

fn statements(log: &[u8]) -> Vec<Statement> {
    let one = |item| if let Item::Statement(statement) = item { statement } else { panic!("{item:?}") };
    items(log).into_iter().map(one).collect()
}

fn texts(log: &[u8]) -> Vec<String> {
    let said = |statement: Statement| match statement.ask {
        Ask::Query(text) => String::from_utf8(text.to_vec()).unwrap(),
        other => format!("{other:?}"),
    };
    statements(log).into_iter().map(said).collect()
}

fn refusal(log: &[u8]) -> String {
    let mut log = SlowLog::new(log);
    let Some(Err(why)) = log.find(Result::is_err) else { panic!("it is read") };
    assert!(log.next().is_none(), "nothing comes behind an error");
    why.to_string()
}

#[test]
fn mysqls_log_gives_times_in_microseconds_and_the_database_that_it_named_last() {
    let log = include_bytes!("logs/mysql-8.0.log");
    let found = statements(log);
    let sessions: Vec<(u64, u64)> = found.iter().map(|s| (s.session.0, s.order)).collect();
    assert_eq!(sessions, [(1, 0), (2, 0), (1, 1), (1, 2), (1, 3)]);
    assert_eq!((found[0].start, found[0].took), (Nanos(T), Some(Nanos(500 * MICRO))));
    assert_eq!(found[1].end(), Nanos(T + 100_000 * MICRO));
    assert!(found.iter().all(|s| &*s.database == "shop" && &*s.user == "app"));
    assert_eq!((&*found[0].host, &*found[1].host), ("localhost", "10.0.0.7"));
    assert_eq!(found[1].answer.examined, Some(3));
    let sql = "SELECT a\n# a comment that begins a line\nFROM t\n\nWHERE b = 'x;\n# Time: no header'";
    assert_eq!(texts(log), ["SELECT 1", sql, "use other", "Other(\"Prepare\")", "Quit"]);
    assert_eq!(found[0].answer.error, None, "this log does not know errors");
    let mut log = SlowLog::new(&log[..]);
    assert_eq!(log.by_ref().count(), 5);
    assert_eq!(log.server(), Some("8.0.36 (MySQL Community Server - GPL)"));
    assert!(log.notes().iter().any(|note| note.contains("only when it changes")), "{:?}", log.notes());
}

#[test]
fn log_slow_extra_and_perconas_extras_tell_errors_and_starts() {
    let extra = &statements(include_bytes!("logs/mysql-extra.log"))[0];
    assert_eq!((extra.start, extra.took, extra.answer.error), (Nanos(T), Some(Nanos(500 * MICRO)), Some(1062)));
    assert_eq!((extra.answer.rows, extra.answer.examined), (Some(2), Some(5)));
    let log = include_bytes!("logs/percona-8.0.log");
    let percona = &statements(log)[0];
    assert_eq!((percona.answer.error, percona.answer.affected, &*percona.database), (Some(1213), Some(4), "shop"));
    let mut log = SlowLog::new(&log[..]);
    log.by_ref().for_each(drop);
    assert!(log.notes().iter().any(|note| note.contains("one of 10")), "{:?}", log.notes());
}

#[test]
fn mariadbs_log_has_seconds_and_sessions_follow_each_other_within_them() {
    let log = include_bytes!("logs/mariadb-10.11.log");
    let found = statements(log);
    assert_eq!(texts(log), ["select * from t", "BEGIN", "Quit", "COMMIT"]);
    let sessions: Vec<(u64, u64)> = found.iter().map(|s| (s.session.0, s.order)).collect();
    assert_eq!(sessions, [(1, 0), (1, 1), (2, 0), (3, 0)], "a server that began anew has other sessions");
    assert!(found[1].start >= found[0].end() && found[1].start.0 - T < 1_000_000_000);
    assert_eq!((&*found[0].database, &*found[2].database), ("shop", ""));
    assert_eq!((found[1].answer.affected, found[0].answer.rows), (Some(3), Some(1)));
    assert_eq!(found[1].transaction.map(|t| t.place), Some(Place::Begins));
    assert_eq!(found[3].start, Nanos(T + 599_000_000_000 - 1_000_010 * MICRO));
}

#[test]
fn line_ends_of_another_system_change_nothing() {
    for log in [&include_bytes!("logs/mysql-8.0.log")[..], include_bytes!("logs/mariadb-10.11.log")] {
        let other = String::from_utf8(log.to_vec()).unwrap().replace('\n', "\r\n");
        assert_eq!(items(other.as_bytes()), items(log));
    }
}

#[test]
fn a_log_that_was_cut_anywhere_gives_what_is_whole() {
    for log in [&include_bytes!("logs/mysql-8.0.log")[..], include_bytes!("logs/mariadb-10.11.log")] {
        let whole = statements(log);
        let first = log.windows(2).position(|two| two == b";\n").unwrap();
        for cut in first..log.len() {
            let found = SlowLog::new(&log[..cut]).filter_map(Result::ok);
            let (kept, lost): (Vec<_>, Vec<_>) = found.partition(|item| matches!(item, Item::Statement(_)));
            let is_there = |item: &Item| matches!(item, Item::Statement(statement) if whole.contains(statement));
            // A text that goes on over a `;` at a line's end may have been whole there, as far as anyone can tell.
            let early = kept.iter().filter(|item| !is_there(item)).count();
            assert!(early <= 1 && lost.len() <= 1, "cut at {cut}: {kept:?}");
        }
    }
    let log = include_bytes!("logs/mysql-8.0.log");
    let torn = items(&log[..log.len() - 3]);
    assert!(matches!(torn.last(), Some(Item::Lost(Lost { statements: Some(1), .. }))), "{:?}", torn.last());
    // From the middle on: what has no header is passed over.
    let from = log.windows(8).rposition(|w| w == b"# Time: ").unwrap() - 20;
    assert_eq!(texts(&log[from..]), ["Quit"]);
}

#[test]
fn what_is_no_slow_log_is_refused_with_what_to_do() {
    assert!(refusal(b"").contains("it is empty"), "{}", refusal(b""));
    let general = b"2024-02-29T12:00:01.000500Z\t    8 Query\tSELECT 1\n";
    assert!(refusal(general).contains("general query log"), "{}", refusal(general));
    assert!(refusal(b"hello\nworld\n").contains("no slow log"), "{}", refusal(b"hello\n"));
    let without = b"# User@Host: a[a] @ b []\n# Query_time: 0.1\nSELECT 1;\n";
    assert!(refusal(without).contains("has no time"), "{}", refusal(without));
    let started = b"/usr/sbin/mariadbd, Version: 10.11.6-MariaDB (x). started with:\nTcp port: 0\n";
    assert!(refusal(started).contains("it is empty"), "{}", refusal(started));
    assert!(matches!(SlowLog::new(&b""[..]).next(), Some(Err(Unreadable::Empty))));
}
