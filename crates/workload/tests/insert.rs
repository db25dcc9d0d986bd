//! The insert benchmark seen by a session that answers from memory: what its users say, in which order rows come and
//! go, and that there are as many as the public script makes of the same parameters.

mod memory;

use memory::{Memory, Turns, live, parameters, turns, user};
use model::seed::Seed;
use model::value::Value;
use std::task::{Context, Poll, Waker};
use workload::{Workload, Workloads};

fn step(name: &str) -> std::sync::Arc<dyn Workload> {
    Workloads::built_in().by_name(&format!("insert.{name}")).expect("it is a step")
}

/// Everything that one user of so many says in that many operations.
fn said_by(name: &str, replaced: &[(&str, Value)], operations: u32, place: (u32, u32)) -> Vec<String> {
    said_so(name, replaced, &mut turns(operations), place, None)
}

/// The same in this seat, with the request of this number refused.
fn said_so(
    name: &str,
    replaced: &[(&str, Value)],
    seat: &mut Turns<fn(u32)>,
    (number, users): (u32, u32),
    refused: Option<usize>,
) -> Vec<String> {
    let step = step(name);
    let refuse = refused.map(|request| (request, 1_205));
    let mut memory = Memory { rows: 300, log: Some(Vec::new()), refuse, ..Memory::default() };
    let replaced = [&[("rows", 300.into()), ("rows_per_transaction", 3.into())], replaced].concat();
    let parameters = parameters(&*step, &replaced);
    let mut life = user(&*step, &parameters, (number, users), &mut memory, seat);
    match life.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(end) => end.expect("nothing refuses"),
        Poll::Pending => panic!("a life waited, and nothing would ever wake it"),
    }
    drop(life);
    memory.log.unwrap_or_default()
}

fn said(name: &str, operations: u32) -> Vec<String> {
    said_by(name, &[], operations, (0, 1))
}

#[test]
fn every_step_says_what_the_public_script_says() {
    let mut all = String::new();
    for name in ["load", "create_indexes", "insert", "range_queries", "point_queries"] {
        all += &format!("--- {name}\n");
        let operations = if name == "range_queries" { 6 } else { 1 };
        for line in said(name, operations) {
            all += &format!("{line}\n");
        }
    }
    let one = [("one_table", true.into()), ("clients", 4.into()), ("partitions", 3.into())];
    let dataset = step("load").dataset(&parameters(&*step("load"), &one), "innodb", Seed(1)).unwrap();
    for table in dataset.tables() {
        all += &format!("--- one table for four clients\n{}\n", table.create);
    }
    insta::assert_snapshot!(all);
}

/// The keys of the rows that a statement names in its VALUES.
fn keys(sql: &str) -> Vec<u64> {
    let rows = sql.split_once("VALUES ").map_or("", |(_, rows)| rows);
    rows.split("),(").map(|row| row.trim_start_matches('(').split(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn rows_go_in_behind_the_last_and_out_before_the_first() {
    let said = said("insert", 3);
    let inserts: Vec<Vec<u64>> = said.iter().filter(|line| line.contains("INSERT")).map(|line| keys(line)).collect();
    assert_eq!(inserts, [[301, 302, 303], [304, 305, 306], [307, 308, 309]]);
    let deletes: Vec<&str> =
        said.iter().filter_map(|line| line.split_once("transactionid >= ")).map(|(_, d)| d).collect();
    let by_order = |key: u64| format!("{key} ORDER BY transactionid ASC LIMIT 3");
    assert_eq!(deletes, [by_order(1), by_order(4), by_order(7)]);
}

/// What one user says of INSERTs in turns of these numbers, of two users, with that request refused.
fn loaded(form: &str, numbers: &'static [u64], refused: Option<usize>) -> Vec<String> {
    let mut seat = Turns { numbers, ..turns(numbers.len() as u32) };
    let mut said = said_so("load", &[("protocol", form.into())], &mut seat, (0, 2), refused);
    said.retain(|line| line.starts_with("execute") || (line.contains("INSERT") && !line.contains('?')));
    said
}

#[test]
fn rows_that_were_drawn_ahead_are_those_of_the_turn_or_drawn_anew() {
    let first = |line: &String| match line.strip_prefix("execute") {
        Some(values) => {
            values.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).nth(1).unwrap().parse().unwrap()
        }
        None => keys(line)[0],
    };
    for form in ["text", "prepared"] {
        for numbers in [&[0, 2, 4, 6], &[0, 7, 1, 3]] {
            let said = loaded(form, numbers, None);
            let expected: Vec<u64> = numbers.iter().map(|turn| 1 + 3 * turn).collect();
            assert_eq!(said.iter().map(first).collect::<Vec<_>>(), expected, "{said:#?}");
        }
    }
}

#[test]
fn a_refused_insert_says_the_same_rows_again() {
    for form in ["text", "prepared"] {
        let whole = loaded(form, &[0, 2, 4], None);
        for refused in 2..6 {
            let mut said = loaded(form, &[0, 2, 4], Some(refused));
            said.dedup();
            assert_eq!(said, whole, "request {refused} was refused, {form}");
        }
    }
}

#[test]
fn users_together_load_every_row_once_in_the_order_of_its_key() {
    for one_table in [false, true] {
        let load = |users: u32| -> Vec<(String, u64)> {
            let mut all = Vec::new();
            for number in 0..users {
                // Four clients of a hundred transactions, shared out evenly.
                let replaced = [("clients", 4.into()), ("one_table", one_table.into())];
                for line in said_by("load", &replaced, 400 / users, (number, users)) {
                    let Some(table) = line.split("INSERT INTO ").nth(1).and_then(|rest| rest.split(' ').next()) else {
                        continue;
                    };
                    all.extend(keys(&line).into_iter().map(|key| (table.to_string(), key)));
                }
            }
            all.sort();
            all
        };
        let (alone, together) = (load(1), load(4));
        assert_eq!(alone, together);
        assert_eq!(alone.len(), 1_200);
        let tables: std::collections::BTreeSet<&String> = alone.iter().map(|(table, _)| table).collect();
        for table in &tables {
            let keys: Vec<u64> = alone.iter().filter(|(t, _)| t == *table).map(|(_, key)| *key).collect();
            assert_eq!(keys, (1..=1_200 / tables.len() as u64).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_row_that_is_loaded_by_the_lab_is_the_row_that_a_user_inserts() {
    for one_table in [false, true] {
        let replaced =
            [("clients", 2.into()), ("one_table", one_table.into()), ("begin", "loaded".into()), ("rows", 300.into())];
        let parameters = parameters(&*step("load"), &replaced);
        let dataset = step("load").dataset(&parameters, "innodb", Seed(1)).unwrap();
        let workload::dataset::Rows::ByTable(rows) = dataset.rows() else { panic!("rows go table by table") };
        let mut sql = Vec::new();
        rows.insert(0, 0, 6, &mut sql);
        let by_lab = String::from_utf8(sql).unwrap();
        let by_users = said_by("load", &[("clients", 2.into()), ("one_table", one_table.into())], 4, (0, 1));
        for row in by_lab.split_once("VALUES").unwrap().1.split("),(") {
            let row = row.trim_matches(['(', ')']);
            assert!(
                by_users.iter().any(|line| line.contains(&format!("({row})"))),
                "{row} is in none of {by_users:#?}"
            );
        }
    }
}

#[test]
fn a_table_that_lacks_rows_is_counted() {
    const LOOKED: usize = 2;
    let step = step("point_queries");
    let mut memory = Memory { rows: 299, ..Memory::default() };
    let parameters = parameters(&*step, &[("rows", 300.into()), ("looks", "ends".into())]);
    live(&*step, &parameters, &mut memory, &mut turns(1)).expect("nothing refuses");
    assert_eq!(memory.facts[LOOKED..LOOKED + 2], [1, 1]);
}
