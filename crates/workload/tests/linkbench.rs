//! What a user of LinkBench says, by what the server answered, and what the loader writes. The session here answers
//! every statement as the test wants it; that real servers keep their counts is proven where the lab meets them.

mod memory;

use memory::{parameters, turns};
use model::seed::Seed;
use model::value::Value;
use std::task::{Context, Poll, Waker};
use workload::dataset::{ByTable, Dataset, Rows};
use workload::life::{Life, Place};
use workload::rows::{Cell, KeptRows};
use workload::session::{Answer, Class, Fact, Fault, Prepared, Request, Sql, Want};
use workload::{Workload, Workloads};

/// What the server makes of a statement: affected rows, or one row with one number, or an error.
enum Reply {
    Affected(u64),
    Row(i64),
    Error(u16),
}

/// A session that keeps what was said, one line per round trip.
struct Scripted<F: FnMut(&str) -> Reply> {
    script: F,
    said: Vec<String>,
    prepared: Vec<String>,
    answer: Option<Result<Answer, Fault>>,
    kept: KeptRows,
    unexpected: usize,
}

impl<F: FnMut(&str) -> Reply> Sql for Scripted<F> {
    fn start(&mut self, _: Class, request: Request<'_>, _: Want) {
        self.kept.clear(1);
        let mut answer = Answer::default();
        let line = match request {
            Request::Text(sql) => sql.to_string(),
            Request::Prepare(sql) => {
                self.prepared.push(sql.to_string());
                answer.prepared = Some(Prepared(self.prepared.len() as u32 - 1));
                self.answer = Some(Ok(answer));
                return;
            }
            Request::Execute(prepared, params) => {
                let sql = &self.prepared[prepared.0 as usize];
                assert_eq!(sql.matches('?').count(), params.len(), "{sql}");
                format!("execute {sql}")
            }
            Request::Close(_) => return,
        };
        self.answer = Some(match (self.script)(&line) {
            Reply::Affected(affected) => Ok(Answer { affected, ..answer }),
            Reply::Row(number) => {
                self.kept.push(Cell::Int(number));
                Ok(Answer { rows: 1, ..answer })
            }
            Reply::Error(code) => Err(Fault::Server { code, state: *b"HY000", message: "refused".into() }),
        });
        self.said.push(line);
    }
    fn poll_answer(&mut self, _: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        Poll::Ready(self.answer.take().expect("an answer was asked for"))
    }
    fn kept(&self) -> &KeptRows {
        &self.kept
    }
    fn unix_ms(&self) -> u64 {
        memory::NOW_MS
    }
    fn count(&mut self, _: Fact, _: i64) {}
    fn unexpected(&mut self, _: Class) {
        self.unexpected += 1;
    }
    fn start_reconnect(&mut self) {}
    fn poll_reconnect(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }
}

fn linkbench() -> std::sync::Arc<dyn Workload> {
    Workloads::built_in().by_name("linkbench").expect("it is in the list")
}

/// Everything that is said in so many operations, with every word shortened that a draw decides.
fn said(replaced: &[(&str, Value)], operations: u32, script: impl FnMut(&str) -> Reply) -> (Vec<String>, usize) {
    let mut session = Scripted {
        script,
        said: Vec::new(),
        prepared: Vec::new(),
        answer: None,
        kept: KeptRows::default(),
        unexpected: 0,
    };
    let parameters = parameters(&*linkbench(), replaced);
    let mut seat = turns(operations);
    {
        let linkbench = linkbench();
        let Life::Sql(life) = linkbench.life() else { panic!("LinkBench speaks SQL") };
        let place = Place { parameters: &parameters, seed: Seed(42), number: 0, users: 1 };
        let mut life = life.user(place, &mut session, &mut seat);
        let lived = life.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(lived, Poll::Ready(Ok(()))), "{lived:?}");
    }
    assert_eq!(seat.done, operations);
    (session.said, session.unexpected)
}

/// The round trips that begin with one that contains `first`, each with those that follow it, as far as its
/// transaction.
fn transactions(said: &[String], first: &str, trips: usize) -> Vec<Vec<String>> {
    let begins = said.iter().enumerate().filter(|(_, line)| line.contains(first)).map(|(place, _)| place);
    begins.filter(|place| place + trips <= said.len()).map(|place| said[place..place + trips].to_vec()).collect()
}

const UPSERT: &str = "ON DUPLICATE KEY UPDATE visibility";

fn upserts(affected: u64, trips: usize) -> Vec<Vec<String>> {
    let (said, unexpected) = said(&[], 300, |sql| Reply::Affected(if sql.contains(UPSERT) { affected } else { 0 }));
    assert_eq!(unexpected, said.iter().filter(|s| s.starts_with("INSERT INTO nodetable")).count());
    transactions(&said, UPSERT, trips)
}

#[test]
fn a_new_link_is_two_round_trips_and_is_counted() {
    for trips in upserts(1, 2) {
        assert!(trips[0].starts_with("BEGIN; INSERT INTO linktable"), "{}", trips[0]);
        assert!(trips[1].starts_with("INSERT INTO counttable") && trips[1].ends_with("; COMMIT"), "{}", trips[1]);
    }
}

#[test]
fn a_link_that_was_there_gets_new_data_and_no_count() {
    for trips in upserts(0, 2) {
        assert!(trips[1].starts_with("UPDATE linktable SET visibility = 1, data = "), "{}", trips[1]);
        assert!(trips[1].ends_with("; COMMIT"));
    }
}

#[test]
fn a_hidden_link_is_counted_again_and_gets_new_data() {
    for trips in upserts(2, 3) {
        assert!(trips[1].contains("count = count + 1") && !trips[1].contains("COMMIT"), "{}", trips[1]);
        assert!(trips[2].starts_with("UPDATE linktable") && trips[2].ends_with("; COMMIT"), "{}", trips[2]);
    }
}

#[test]
fn deleting_hides_what_is_visible_and_touches_nothing_else() {
    for (visibility, trips) in [(Some(1), 4), (Some(0), 2), (None, 2)] {
        let (said, _) = said(&[], 400, |sql| match visibility {
            Some(v) if sql.contains("FOR UPDATE") => Reply::Row(v),
            _ => Reply::Affected(1),
        });
        let all = transactions(&said, "FOR UPDATE", trips);
        assert!(!all.is_empty());
        for trips in all {
            assert!(trips[0].starts_with("BEGIN; SELECT visibility"));
            assert_eq!(trips.last().map(String::as_str), Some("COMMIT"));
            if visibility == Some(1) {
                assert!(trips[1].starts_with("UPDATE linktable SET visibility = 0"), "{}", trips[1]);
                assert!(trips[2].contains("IF(count = 0, 0, count - 1)"), "{}", trips[2]);
            }
        }
    }
}

#[test]
fn the_fork_inserts_and_updates_where_the_link_is_there_already() {
    let fork = [("statements", "2020".into()), ("protocol", "prepared".into())];
    let (said, _) = said(&fork, 300, |sql| match sql {
        _ if sql.starts_with("execute INSERT INTO linktable") => Reply::Error(1062),
        _ if sql.contains("FOR UPDATE") => Reply::Row(1),
        _ => Reply::Affected(1),
    });
    let all = transactions(&said, "execute INSERT INTO linktable", 6);
    assert!(!all.is_empty());
    for trips in all {
        assert_eq!((trips[1].as_str(), trips[2].as_str(), trips[5].as_str()), ("ROLLBACK", "BEGIN", "COMMIT"));
        assert!(trips[4].starts_with("execute UPDATE linktable"), "{}", trips[4]);
    }
}

#[test]
fn a_retry_says_the_same_link_again_after_a_rollback() {
    let mut refused = false;
    let (said, _) = said(&[], 50, |sql| match sql {
        _ if sql.contains(UPSERT) && !refused => {
            refused = true;
            Reply::Error(1205)
        }
        _ => Reply::Affected(1),
    });
    let trips = &transactions(&said, UPSERT, 3)[0];
    assert_eq!((&trips[0], trips[1].as_str()), (&trips[2], "ROLLBACK"));
}

#[test]
fn every_operation_is_said_as_linkbench_says_it() {
    let mut seen = std::collections::BTreeMap::new();
    for (statements, protocol) in [("2015", "text"), ("2020", "prepared")] {
        let replaced = [("statements", statements.into()), ("protocol", protocol.into()), ("mix", "2017".into())];
        let (said, _) = said(&replaced, 400, |_| Reply::Affected(1));
        for line in said {
            let shape: String =
                line.split("x'").next().unwrap_or("").chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
            seen.entry((statements, shape)).or_insert(line);
        }
    }
    let shown: Vec<_> = seen.into_iter().map(|((statements, _), line)| format!("{statements} {line}")).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

fn by_table(data: &dyn Dataset) -> &dyn ByTable {
    match data.rows() {
        Rows::ByTable(rows) => rows,
        Rows::None | Rows::ByUnit(_) | Rows::ByItself(_) => panic!("linkbench counts its rows by table"),
    }
}

#[test]
fn rows_are_the_same_whoever_loads_them() {
    let small = [("maxid1", 2001.into()), ("most_links", 50.into())];
    let data = linkbench().dataset(&parameters(&*linkbench(), &small), "innodb", Seed(1)).expect("it has data");
    let rows = by_table(&*data);
    for (index, table) in data.tables().iter().enumerate() {
        let mut whole = Vec::new();
        rows.lines(index, 0, table.rows, &mut whole);
        let mut parts = Vec::new();
        for from in (0..table.rows).step_by(333) {
            rows.lines(index, from, (from + 333).min(table.rows), &mut parts);
        }
        assert!(whole == parts, "{}", table.name);
        assert_eq!(whole.iter().filter(|b| **b == b'\n').count() as u64, table.rows);
    }
}

#[test]
fn tables_and_rows_look_like_linkbenchs() {
    let mut shown = String::new();
    for (engine, replaced) in [
        ("innodb", vec![]),
        ("innodb", vec![("partitions", 32.into()), ("partition_all", true.into()), ("key_block_kib", 8.into())]),
        ("rocksdb", vec![("partitions", 0.into())]),
    ] {
        let replaced = [vec![("maxid1", 1001.into())], replaced].concat();
        let data = linkbench().dataset(&parameters(&*linkbench(), &replaced), engine, Seed(1)).expect("it has data");
        for (index, table) in data.tables().iter().enumerate() {
            let mut sql = Vec::new();
            by_table(&*data).insert(index, 5, 7, &mut sql);
            let sql = String::from_utf8(sql).expect("literals are ASCII");
            let spot = data.spot(index, 6).sql;
            shown += &format!("{}\n{}\n{:?}\n{sql}\n{spot}\n\n", table.rows, table.create, table.after);
        }
    }
    insta::assert_snapshot!(shown);
}
