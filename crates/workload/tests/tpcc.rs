//! What a user of TPC-C says and what the loader writes: sysbench-tpcc's statements in `compat`, the specification's
//! work in `faithful`, and a population that is the same for ever. That real servers keep the laws is proven where the
//! lab meets them.

mod memory;

use memory::{Memory, live, parameters, turns};
use model::record::audit::Rule;
use model::seed::Seed;
use model::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use workload::dataset::{ByUnit, Dataset, Rows};
use workload::{Workload, Workloads};

fn tpcc(name: &str) -> std::sync::Arc<dyn Workload> {
    Workloads::built_in().by_name(name).expect("it is in the list")
}

/// The statements of some operations, values taken out.
fn said(name: &str, replaced: &[(&str, Value)], operations: u32) -> Vec<String> {
    let workload = tpcc(name);
    let mut memory = Memory { rows: 1, log: Some(Vec::new()), ..Memory::default() };
    live(&*workload, &parameters(&*workload, replaced), &mut memory, &mut turns(operations)).expect("nothing refuses");
    assert_eq!(memory.unexpected, [], "answers of a healthy server are expected");
    memory.log.unwrap()
}

/// A statement without its values.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    let mut rest = line.strip_prefix("text     ").unwrap_or(line);
    while let Some(at) = rest.find(['\'', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
        let (head, tail) = rest.split_at(at);
        let is_name = head.ends_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        shape += head.strip_suffix('-').unwrap_or(head);
        let length = match tail.strip_prefix('\'') {
            Some(text) => text.find('\'').map_or(tail.len(), |end| end + 2),
            None => tail.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(tail.len()),
        };
        shape += if is_name { &tail[..length] } else { "?" };
        rest = &tail[length..];
    }
    shape + rest
}

#[test]
fn compat_says_what_sysbench_tpcc_says() {
    let shapes: BTreeSet<String> =
        said("tpcc.compat", &[], 400).iter().map(|l| shape(l)).map(|s| s.replace("s_dist_10", "s_dist_0x")).collect();
    let mut shapes: Vec<String> = shapes.into_iter().collect();
    // Ten districts say the same.
    shapes.iter_mut().for_each(|s| {
        if let Some(at) = s.find("s_dist_0") {
            s.replace_range(at..at + 9, "s_dist_xx");
        }
    });
    shapes.dedup();
    insta::assert_snapshot!(shapes.join("\n"));
}

#[test]
fn faithful_counts_stock_and_payments_and_reads_the_last_order() {
    let log = said("tpcc.faithful", &[("protocol", "text".into())], 400).join("\n");
    for part in [
        "s_ytd = s_ytd + ",
        "s_order_cnt = s_order_cnt + 1",
        "c_payment_cnt = c_payment_cnt + 1",
        "ORDER BY o_id DESC LIMIT 1",
    ] {
        assert!(log.contains(part), "{part}");
    }
    assert!(!log.contains("namecnt") && !log.contains("ol_delivery_d) VALUES"));
    let broken =
        said("tpcc.faithful", &[("protocol", "text".into()), ("date_columns", "broken".into())], 20).join("\n");
    assert!(broken.contains("ol_dist_info, ol_delivery_d) VALUES") && broken.contains(",NULL)"));
}

#[test]
fn prepared_or_as_text_the_work_is_the_same() {
    let names = |protocol: &str| -> Vec<String> {
        let log = said("tpcc.faithful", &[("protocol", protocol.into())], 50);
        log.iter()
            .filter(|l| !l.starts_with("prepare"))
            .map(|l| l.split_whitespace().skip(1).take(2).collect::<Vec<_>>().join(" "))
            .collect()
    };
    assert_eq!(names("prepared"), names("text"));
}

#[test]
fn a_swallowed_error_is_a_rollback_and_a_shown_one_fails() {
    let workload = tpcc("tpcc.compat");
    let rollbacks = workload.facts().iter().position(|fact| *fact == "user_rollbacks").unwrap();
    for (columns, counted) in [("broken", 0), ("broken+swallowed", 1)] {
        let replaced = [("date_columns", columns.into()), ("mix", "deck".into())];
        // The first insert of the first order.
        let mut memory = Memory { rows: 1, log: Some(Vec::new()), refuse: Some((4, 1364)), ..Memory::default() };
        let mut seat = turns(1);
        seat.decision = workload::user::Decision::GiveUp;
        live(&*workload, &parameters(&*workload, &replaced), &mut memory, &mut seat).expect("the user goes on");
        let log = memory.log.unwrap();
        assert_eq!(log.last().map(String::as_str), Some("text     ROLLBACK"), "{log:?}");
        assert_eq!((seat.done, memory.facts[rollbacks]), (0, counted));
    }
}

#[test]
fn a_transaction_that_is_tried_again_is_counted_and_has_the_same_inputs_save_in_compat() {
    let workload = tpcc("tpcc.compat");
    let of = |refuse, anew: bool| {
        let mut memory = Memory { rows: 1, log: Some(Vec::new()), refuse, ..Memory::default() };
        live(
            &*workload,
            &parameters(&*workload, &[("mix", "deck".into()), ("retried_anew", anew.into())]),
            &mut memory,
            &mut turns(1),
        )
        .expect("the user goes on");
        let place = workload.facts().iter().position(|fact| *fact == "retries").unwrap();
        (memory.facts[place], memory.log.unwrap())
    };
    let (plain, deadlocked, anew) = (of(None, false), of(Some((2, 1213)), false), of(Some((2, 1213)), true));
    assert_eq!((plain.0, deadlocked.0), (0, 1));
    let (before, again) = deadlocked.1.split_at(4);
    assert_eq!((before[3].as_str(), again), ("text     ROLLBACK", plain.1.as_slice()));
    assert_eq!(anew.0, 1);
    assert_ne!(anew.1[4..], plain.1, "sysbench-tpcc draws another one");
}

fn units(dataset: &dyn Dataset) -> &dyn ByUnit {
    match dataset.rows() {
        Rows::ByUnit(rows) => rows,
        Rows::None | Rows::ByTable(_) | Rows::ByItself(_) => panic!("tpcc loads by warehouse"),
    }
}

#[test]
fn tables_indexes_and_rows_are_the_same_for_ever() {
    let mut shown = String::new();
    for (name, replaced) in [
        ("tpcc.faithful", vec![]),
        ("tpcc.compat", vec![("date_columns", Value::from("default+carrier"))]),
        ("tpcc.compat", vec![("date_columns", "redundant".into()), ("foreign_keys", "none".into())]),
    ] {
        let workload = tpcc(name);
        let data = workload.dataset(&parameters(&*workload, &replaced), "InnoDB", Seed(1)).expect("it has data");
        for (index, table) in data.tables().iter().enumerate() {
            shown += &format!("{}\n{}\n{:?}\n", table.rows, table.create, data.spot(index, table.rows - 1));
        }
        let mut sample = Vec::new();
        units(&*data).sample(&mut sample);
        shown += &format!("{}\n\n", String::from_utf8(sample).expect("ASCII"));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_warehouse_has_the_rows_of_the_specification() {
    let workload = tpcc("tpcc.faithful");
    let replaced = [("warehouses", 2.into()), ("table_sets", 2.into())];
    let data = workload.dataset(&parameters(&*workload, &replaced), "InnoDB", Seed(1)).expect("it has data");
    let units = units(&*data);
    assert_eq!(units.units(), 2 + 2 * 4);
    let mut rows: BTreeMap<usize, u64> = BTreeMap::new();
    for unit in 0..units.units() {
        let (mut of_unit, mut tables) = (0, BTreeSet::new());
        for piece in 0..units.pieces(unit) {
            let mut text = Vec::new();
            let made = units.piece(unit, piece, &mut text);
            assert_eq!(text.iter().filter(|b| **b == b'\n').count() as u64, made.rows);
            assert!(text.len() < 9 << 20, "a piece is a few megabytes");
            *rows.entry(made.table).or_default() += made.rows;
            of_unit += made.rows;
            tables.insert(made.table);
        }
        assert_eq!(tables, units.tables_of(unit).into_iter().collect(), "{}", units.name(unit));
        assert_eq!(of_unit, units.rows_of(unit));
    }
    for (index, table) in data.tables().iter().enumerate() {
        assert_eq!(rows[&index], table.rows, "{}", table.name);
    }
    let lines = rows[&7] as f64 / 2.0;
    assert!((lines / 300_000.0 - 1.0).abs() < 0.01, "{lines} lines in a warehouse");
}

#[test]
fn compat_discloses_every_defect_that_is_on_and_faithful_none() {
    let told = |name: &str, replaced: &[(&str, Value)]| tpcc(name).disclosures(&parameters(&*tpcc(name), replaced));
    assert_eq!(told("tpcc.faithful", &[]), [""; 0]);
    let compat = told("tpcc.compat", &[("never_remote", false.into())]).concat();
    assert!(!compat.contains("never_remote") && !compat.contains("history_key"), "{compat}");
    for defect in ["flat_nurand", "wrong_order_read", "payments_not_counted", "retried_anew"] {
        assert!(compat.contains(defect), "{defect}: {compat}");
    }
}

#[test]
fn every_law_asks_what_is_asked() {
    for name in ["tpcc.faithful", "tpcc.compat"] {
        for depth in ["full", "sample", "quick"] {
            let workload = tpcc(name);
            let audit = workload.audit(&parameters(&*workload, &[("audit", depth.into()), ("warehouses", 40.into())]));
            let asked: BTreeSet<&str> = audit.questions.iter().map(|q| q.name.as_str()).collect();
            assert_eq!(asked.len(), audit.questions.len());
            for law in &audit.laws {
                let (Rule::Equal { left, right, .. } | Rule::Share { part: left, whole: right, .. }) = &law.rule else {
                    continue;
                };
                for term in left.iter().chain(right) {
                    use model::record::audit::Quantity::{After, Before, Fact, Growth};
                    match &term.of {
                        Fact(fact) => assert!(workload.facts().contains(&fact.as_str()), "{fact}"),
                        Growth(question) | Before(question) | After(question) => {
                            assert!(asked.contains(question.as_str()), "{question} of {}", law.code);
                        }
                    }
                }
            }
            let lines = audit.questions.iter().find(|q| q.name == "C6").map_or(0, |q| q.sql.len());
            assert_eq!(
                lines,
                if depth == "full" {
                    14
                } else if depth == "sample" {
                    4
                } else {
                    0
                }
            );
            let whole = audit.questions.iter().find(|q| q.name == "next_order_ids").expect("it is always asked");
            assert!(
                whole.watched && whole.sql.len() == 14 && whole.sql[13].ends_with("BETWEEN 40 AND 40"),
                "{:?}",
                whole.sql
            );
        }
        assert_eq!(
            tpcc(name).audit(&parameters(&*tpcc(name), &[("audit", "off".into())])),
            workload::audit::Audit::default()
        );
    }
}
