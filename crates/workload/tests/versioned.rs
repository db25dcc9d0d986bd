//! The steps of the study of system versioning, seen by a session that answers from memory: what they say, in which
//! order their rows come, and what the tables are.

mod memory;

use memory::{Memory, live, parameters, turns};
use model::seed::Seed;
use model::value::Value;
use workload::{Workload, Workloads};

fn step(name: &str) -> std::sync::Arc<dyn Workload> {
    Workloads::built_in().by_name(&format!("versioned.{name}")).expect("it is a step")
}

/// Everything that one user says in that many operations.
fn said(name: &str, replaced: &[(&str, Value)], operations: u32) -> Vec<String> {
    let mut memory = Memory { rows: 1_000_000, log: Some(Vec::new()), ..Memory::default() };
    let mut seat = turns(operations);
    let replaced = [&[("tables", 2.into()), ("rows", 200.into())], replaced].concat();
    live(&*step(name), &parameters(&*step(name), &replaced), &mut memory, &mut seat).expect("nothing refuses");
    memory.log.unwrap_or_default()
}

#[test]
fn every_step_says_what_the_seed_did() {
    let mut all = String::new();
    let steps = [
        "create",
        "insert",
        "point_selects",
        "range_queries",
        "secondary_selects",
        "update_non_index",
        "update_index",
        "delete_all",
        "delete_history",
        "moment",
        "history",
        "access",
    ];
    for name in steps {
        all += &format!("--- {name}\n");
        let operations = if name == "access" { 6 } else { 1 };
        for line in said(name, &[("iteration", 2.into())], operations) {
            all += &format!("{line}\n");
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_tables_of_each_variant_are_the_same_but_for_what_versions_them() {
    let mut all = String::new();
    for variant in ["plain", "timestamp", "transaction", "timestamp_partitioned", "transaction_partitioned"] {
        let replaced = [("tables", 1.into()), ("variant", variant.into()), ("begin", "aged".into())];
        let dataset = step("insert").dataset(&parameters(&*step("insert"), &replaced), "innodb", Seed(1)).unwrap();
        for table in dataset.tables() {
            all += &format!("--- {variant}\n{}\n{}\n", table.create, table.after.join("\n"));
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn all_versions_are_asked_for_where_there_can_be_several() {
    for (variant, period) in [("timestamp", " FOR SYSTEM_TIME ALL"), ("plain", "")] {
        for name in ["point_selects", "range_queries", "secondary_selects"] {
            let said = said(name, &[("variant", variant.into()), ("period", "all".into())], 1);
            let selects: Vec<_> = said.iter().filter(|line| line.contains("SELECT") && line.contains('?')).collect();
            assert!(
                !selects.is_empty() && selects.iter().all(|line| line.contains(&format!("{period} WHERE"))),
                "{said:?}"
            );
        }
    }
    let said = said("delete_history", &[("variant", "timestamp".into())], 1);
    assert!(said.iter().any(|line| line.ends_with("DELETE HISTORY FROM sbtest1")), "{said:?}");
}

#[test]
fn users_together_insert_every_row_of_a_set_once() {
    let ids = |iteration: i64| -> Vec<u64> {
        // 200 rows in each of 2 tables, ten a transaction.
        let said = said("insert", &[("iteration", iteration.into())], 40);
        let first = said.iter().filter(|line| line.starts_with("execute  INSERT INTO sbtest1"));
        first.map(|line| line.rsplit("  ").next().unwrap().split(',').next().unwrap().parse().unwrap()).collect()
    };
    assert_eq!(ids(1), (1..=200).collect::<Vec<u64>>());
    assert_eq!(ids(3), (401..=600).collect::<Vec<u64>>());
}

#[test]
fn a_transaction_updates_ten_different_rows_of_the_current_set() {
    for name in ["update_index", "update_non_index"] {
        let said = said(name, &[("iteration", 2.into())], 200);
        for transaction in said.split(|line| line.ends_with("BEGIN")).skip(1) {
            let updates = transaction.iter().filter(|line| line.starts_with("execute"));
            let id = |line: &String| line.rsplit([' ', ',']).next().unwrap().parse::<u64>().unwrap();
            let mut ids: Vec<u64> = updates.map(id).collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), 10, "{transaction:?}");
            assert!(ids.iter().all(|id| (201..=400).contains(id)), "{ids:?}");
        }
    }
}

#[test]
fn a_table_that_is_not_as_generated_is_counted() {
    const LOOKED: usize = 3;
    let step = step("point_selects");
    let mut memory = Memory { rows: 1_000, ..Memory::default() };
    let parameters = parameters(&*step, &[("tables", 3.into())]);
    live(&*step, &parameters, &mut memory, &mut turns(1)).expect("nothing refuses");
    // This memory keeps no counts that anybody could take for 250,000 rows.
    assert_eq!(memory.facts[LOOKED..LOOKED + 2], [3, 3]);
}

#[test]
fn who_reads_history_wants_a_moment_first() {
    let step = step("history");
    let parameters = parameters(&*step, &[("variant", "timestamp".into()), ("tables", 1.into())]);
    let refused = live(&*step, &parameters, &mut Memory::default(), &mut turns(1)).unwrap_err();
    assert!(refused.to_string().contains("versioned.moment"), "{refused}");
}
