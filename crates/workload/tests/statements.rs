//! What the users of each workload say, and what they make of the answers, seen by a session that answers from memory.

mod memory;

use memory::{Memory, live, parameters, turns};
use model::seed::Seed;
use model::value::Value;
use std::sync::Arc;
use workload::user::Decision;
use workload::{Workload, Workloads};

fn named(name: &str) -> Arc<dyn Workload> {
    Workloads::built_in().by_name(name).unwrap_or_else(|| panic!("there is no workload {name}"))
}

/// Those whose tables are sbtest, which is what the memory of this session is about.
fn sysbench() -> Vec<Arc<dyn Workload>> {
    let workloads = Workloads::built_in();
    let names = workloads.words().into_iter().filter(|w| matches!(w.family(), "oltp" | "noop"));
    names.map(|words| workloads.planned(&words.name)).collect()
}

/// Everything that one user says in that many operations.
fn said(workload: &dyn Workload, replaced: &[(&str, Value)], operations: u32) -> Vec<String> {
    let mut memory = Memory { rows: 10_000, log: Some(Vec::new()), ..Memory::default() };
    let mut seat = turns(operations);
    live(workload, &parameters(workload, replaced), &mut memory, &mut seat).expect("nothing refuses");
    assert_eq!((seat.done, memory.unexpected), (operations, Vec::new()));
    memory.log.unwrap_or_default()
}

#[test]
fn every_workload_says_what_sysbench_says() {
    let mut all = String::new();
    for workload in sysbench() {
        // A bulk insert is as long as sysbench's buffer, which a test of its own looks at.
        let operations = match &*workload.words().name {
            "oltp.mixed" | "oltp.read_write" => 1,
            "oltp.bulk_insert" => continue,
            _ => 2,
        };
        for protocol in ["prepared", "text"] {
            all += &format!("--- {} {protocol}\n", workload.words().name);
            for line in said(&*workload, &[("tables", 2.into()), ("protocol", protocol.into())], operations) {
                all += &format!("{line}\n");
            }
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn without_transactions_nothing_stands_around_the_statements() {
    let said = said(&*named("oltp.mixed"), &[("transactions", false.into()), ("protocol", "text".into())], 3);
    assert_eq!(said.len(), 3 * 14);
    assert!(said.iter().all(|line| line.starts_with("text     SELECT")));
}

#[test]
fn the_point_selects_of_a_transaction_read_one_table() {
    let replaced = [("tables", 50.into()), ("protocol", "text".into()), ("transactions", false.into())];
    let said = said(&*named("oltp.mixed"), &replaced, 20);
    let table = |line: &str| line.split("sbtest").nth(1).and_then(|rest| rest.split(' ').next()).map(String::from);
    let mut of_transactions = std::collections::BTreeSet::new();
    for transaction in said.chunks(14) {
        assert!(transaction[..10].iter().all(|line| table(line) == table(&transaction[0])), "{transaction:?}");
        of_transactions.insert(table(&transaction[0]));
    }
    assert!(of_transactions.len() > 10, "twenty transactions draw among fifty tables, and drew {of_transactions:?}");
}

#[test]
fn ranges_that_run_past_the_end_are_expected_to_be_shorter() {
    for workload in Workloads::built_in().iter().filter(|w| w.words().family() == "oltp") {
        let parameters = parameters(workload, &[("rows", 120.into())]);
        let mut memory = Memory { rows: 120, ..Memory::default() };
        live(workload, &parameters, &mut memory, &mut turns(500)).expect("nothing refuses");
        assert_eq!(memory.unexpected, [], "{}", workload.words().name);
    }
}

/// How many answers of ten operations are reported when each has so many rows too many, or too few.
fn reported(surplus: i64) -> Vec<(std::borrow::Cow<'static, str>, usize)> {
    let of = |workload: Arc<dyn Workload>| {
        let mut memory = Memory { rows: 10_000, surplus, ..Memory::default() };
        live(&*workload, &parameters(&*workload, &[]), &mut memory, &mut turns(10)).expect("nothing refuses");
        (workload.words().name, memory.unexpected.len() / 10)
    };
    sysbench().into_iter().map(of).filter(|(_, reported)| *reported != 1).collect()
}

#[test]
fn every_answer_with_too_many_rows_is_reported() {
    // How many rows have one of ten values of k is not known.
    let but = [
        ("oltp.mixed", 14),
        ("oltp.read_write", 18),
        ("oltp.write_only", 4),
        ("oltp.random_points", 0),
        ("oltp.points_covered_si", 0),
        ("oltp.points_notcovered_si", 0),
        ("oltp.range_covered_si", 0),
        ("oltp.range_notcovered_si", 0),
    ];
    assert_eq!(reported(1), but.map(|(name, times)| (name.into(), times)));
}

#[test]
fn every_answer_with_too_few_rows_is_reported_where_their_number_is_known() {
    let but = [
        ("oltp.mixed", 13),
        ("oltp.distinct_ranges", 0),
        ("oltp.read_write", 17),
        ("oltp.write_only", 4),
        ("oltp.delete", 0),
        ("oltp.random_points", 0),
        ("oltp.points_covered_si", 0),
        ("oltp.points_notcovered_si", 0),
        ("oltp.range_covered_si", 0),
        ("oltp.range_notcovered_si", 0),
        // Fewer than none.
        ("oltp.scan", 0),
    ];
    assert_eq!(reported(-1), but.map(|(name, times)| (name.into(), times)));
}

#[test]
fn a_row_that_another_user_deleted_is_no_surprise_without_transactions() {
    let workload = named("oltp.read_write");
    let mut memory = Memory { rows: 10_000, surplus: -1, ..Memory::default() };
    let replaced = [("transactions", false.into())];
    live(&*workload, &parameters(&*workload, &replaced), &mut memory, &mut turns(10)).expect("nothing refuses");
    // A sum is one row whatever it sums up, and an insert is one row or an error.
    assert_eq!(memory.unexpected.len(), 20);
}

#[test]
fn a_bulk_insert_fills_sysbenchs_buffer_and_no_two_users_write_the_same_row() {
    let workload = named("oltp.bulk_insert");
    let mut seen = std::collections::BTreeSet::new();
    for number in 0..3 {
        let mut memory = Memory { log: Some(Vec::new()), ..Memory::default() };
        let (parameters, mut seat) = (parameters(&*workload, &[("tables", 2.into())]), turns(2));
        let mut life = memory::user(&*workload, &parameters, (number, 3), &mut memory, &mut seat);
        let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
        assert_eq!(life.as_mut().poll(context), std::task::Poll::Ready(Ok(())));
        drop(life);
        assert_eq!(memory.unexpected, []);
        for said in memory.log.expect("it was asked for") {
            let sql = said.strip_prefix("text     ").expect("it is never prepared");
            assert!((524_260..524_288).contains(&sql.len()), "{} bytes", sql.len());
            let (head, rows) = sql.split_once(" VALUES").expect("an INSERT");
            for row in rows.trim_matches(['(', ')']).split("),(") {
                let (id, k) = row.split_once(',').expect("two values");
                assert!(id == k && seen.insert((head.to_string(), row.to_string())), "{head}: {row}");
            }
        }
    }
}

#[test]
fn a_row_that_is_deleted_is_inserted_again_in_its_table() {
    let replaced = [("tables", 50.into()), ("protocol", "text".into()), ("delete_inserts", 3.into())];
    let said = said(&*named("oltp.write_only"), &replaced, 20);
    for transaction in said.chunks(10) {
        let table = transaction[3].split(' ').nth(7).map(String::from);
        for pair in transaction[3..9].chunks(2) {
            let (delete, insert) = (&pair[0], &pair[1]);
            let (table_of_delete, id) =
                delete.split_once("FROM ").and_then(|(_, r)| r.split_once(" WHERE id=")).unwrap();
            assert!(
                insert.contains(&format!("INSERT INTO {table_of_delete} (id, k, c, pad) VALUES ({id}, ")),
                "{pair:?}"
            );
            assert_eq!(delete.split(' ').nth(7).map(String::from), table, "one table for the group");
        }
    }
}

#[test]
fn a_retry_rolls_back_and_says_the_same_again() {
    let workload = named("oltp.mixed");
    let text = parameters(&*workload, &[("protocol", "text".into())]);
    let mut memory = Memory { rows: 10_000, log: Some(Vec::new()), refuse: Some((5, 1213)), ..Memory::default() };
    live(&*workload, &text, &mut memory, &mut turns(1)).expect("the retry succeeds");
    let said = memory.log.expect("it was asked for");
    assert_eq!(said[6], "text     ROLLBACK");
    assert_eq!((said[0].as_str(), &said[..6]), ("text     BEGIN", &said[7..13]));
    assert_eq!(said.len(), 6 + 1 + 16);
}

#[test]
fn a_broken_session_is_opened_and_prepared_again_before_the_next_try() {
    let workload = named("oltp.point_selects");
    for (decision, again) in [(Decision::Retry, true), (Decision::GiveUp, false)] {
        let mut memory = Memory { rows: 10_000, log: Some(Vec::new()), lose: Some(1), ..Memory::default() };
        let mut seat = turns(2);
        seat.decision = decision;
        live(&*workload, &parameters(&*workload, &[]), &mut memory, &mut seat).expect("the second session works");
        let said = memory.log.expect("it was asked for");
        assert_eq!((said[2].as_str(), &said[0]), ("reconnect", &said[3]));
        assert_eq!((seat.done, said[1] == said[4]), (if again { 2 } else { 1 }, again));
    }
}

#[test]
fn a_session_that_breaks_at_its_rollback_is_opened_again() {
    let workload = named("oltp.mixed");
    let text = parameters(&*workload, &[("protocol", "text".into())]);
    let (refuse, lose) = (Some((5, 1213)), Some(6));
    let mut memory = Memory { rows: 10_000, log: Some(Vec::new()), refuse, lose, ..Memory::default() };
    live(&*workload, &text, &mut memory, &mut turns(1)).expect("the retry succeeds");
    let said = memory.log.expect("it was asked for");
    assert_eq!(
        (said[6].as_str(), said[7].as_str(), said[8].as_str()),
        ("text     ROLLBACK", "reconnect", "text     BEGIN")
    );
}

#[test]
fn a_new_session_for_each_operation_prepares_anew() {
    let workload = named("oltp.point_selects");
    let mut memory = Memory { rows: 10_000, log: Some(Vec::new()), ..Memory::default() };
    let mut seat = turns(3);
    seat.renew = true;
    live(&*workload, &parameters(&*workload, &[]), &mut memory, &mut seat).expect("nothing refuses");
    let said = memory.log.expect("it was asked for");
    let of = |word: &str| said.iter().filter(|line| line.starts_with(word)).count();
    assert_eq!((of("execute"), of("reconnect"), of("prepare")), (3, 3, 4));
}

#[test]
fn a_server_that_cannot_prepare_begin_hears_it_as_text() {
    let workload = named("oltp.mixed");
    let mut memory = Memory { rows: 10_000, log: Some(Vec::new()), refuse: Some((0, 1295)), ..Memory::default() };
    live(&*workload, &parameters(&*workload, &[]), &mut memory, &mut turns(1)).expect("the refusal is foreseen");
    let said = memory.log.expect("it was asked for");
    assert_eq!((said[0].as_str(), said[1].as_str()), ("prepare  BEGIN", "prepare  COMMIT"));
    assert_eq!((said[7].as_str(), said[22].as_str()), ("text     BEGIN", "execute  COMMIT"));
}

#[test]
fn statements_of_many_tables_are_prepared_when_first_needed() {
    let prepares = |tables: i64, operations| {
        let said = said(&*named("oltp.point_selects"), &[("tables", tables.into())], operations);
        said.iter().filter(|line| line.starts_with("prepare")).count()
    };
    assert_eq!((prepares(64, 0), prepares(64, 500)), (64, 64));
    assert_eq!((prepares(65, 0), prepares(65, 2000)), (0, 65));
}

#[test]
fn users_draw_streams_of_their_own() {
    let workload = named("oltp.point_selects");
    let parameters = parameters(&*workload, &[("protocol", "text".into())]);
    let said = |number| {
        let mut memory = Memory { rows: 10_000, log: Some(Vec::new()), ..Memory::default() };
        let mut seat = turns(5);
        let mut life = memory::user(&*workload, &parameters, (number, 2), &mut memory, &mut seat);
        let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
        assert_eq!(life.as_mut().poll(context), std::task::Poll::Ready(Ok(())));
        drop(life);
        memory.log
    };
    assert_eq!(said(0), said(0));
    assert_ne!(said(0), said(1));
}

#[test]
fn probes_are_the_statements_with_values() {
    let mut all = String::new();
    for workload in sysbench() {
        for probe in workload.probes(&parameters(&*workload, &[("rows", 1000.into()), ("tables", 3.into())]), Seed(1)) {
            all += &format!("{} {}: {} -> {:?}\n", workload.words().name, probe.statement, probe.sql, probe.rows);
        }
    }
    insta::assert_snapshot!(all);
}
