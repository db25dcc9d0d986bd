//! The data of the OLTP family: the same rows for ever, however they are cut into INSERTs.

mod memory;

use memory::parameters;
use model::charset;
use model::protocol::Protocol;
use model::seed::Seed;
use model::value::Value;
use proptest::prelude::*;
use workload::Workloads;
use workload::dataset::{ByTable, Dataset, Rows};

fn dataset(replaced: &[(&str, Value)], seed: u64) -> Box<dyn Dataset> {
    let workload = Workloads::built_in().by_name("oltp.mixed").expect("it is in the list");
    workload.dataset(&parameters(&*workload, replaced), "InnoDB", Seed(seed)).expect("oltp has data")
}
fn by_table(dataset: &dyn Dataset) -> &dyn ByTable {
    match dataset.rows() {
        Rows::ByTable(rows) => rows,
        Rows::None | Rows::ByUnit(_) | Rows::ByItself(_) => panic!("oltp counts its rows by table"),
    }
}
fn insert(dataset: &dyn Dataset, table: usize, from: u64, to: u64) -> String {
    let mut sql = Vec::new();
    by_table(dataset).insert(table, from, to, &mut sql);
    String::from_utf8(sql).expect("digits and punctuation")
}

#[test]
fn tables_and_rows_are_the_same_for_ever() {
    let dataset = dataset(&[("tables", 2.into()), ("charset", "utf8mb4-unicode".into())], 42);
    let table = &dataset.tables()[1];
    let text = format!(
        "{}\n{}\n{}\n{:#?}",
        table.create,
        insert(&*dataset, 1, 0, 3),
        table.after.join("\n"),
        dataset.spot(0, 9999)
    );
    insta::assert_snapshot!(text);
}

#[test]
fn charset_and_collation_are_said_of_table_columns_and_session() {
    for wanted in charset::of(Protocol::MySql) {
        let replaced = [("charset", wanted.label.into())];
        let create = &dataset(&replaced, 1).tables()[0].create;
        assert_eq!(create.matches(&format!("SET {} COLLATE {} ", wanted.character_set, wanted.collation)).count(), 2);
        assert!(create.ends_with(&format!("CHARSET={} COLLATE={}", wanted.character_set, wanted.collation)));
        let workload = Workloads::built_in().by_name("oltp.mixed").expect("it is in the list");
        let setup = workload.session_setup(&parameters(&*workload, &replaced));
        assert_eq!(setup, [format!("SET NAMES {} COLLATE {}", wanted.character_set, wanted.collation)]);
    }
}

#[test]
fn tables_of_postgresql_say_their_collation_and_are_indexed_behind_their_rows() {
    let all: Vec<String> = charset::of(Protocol::PostgreSql)
        .map(|wanted| {
            let dataset = dataset(&[("charset", wanted.label.into())], 1);
            let table = &dataset.tables()[0];
            format!("{}\n{}\n{}", table.create, table.after.join("\n"), dataset.spot(0, 0).sql)
        })
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn the_secondary_index_can_be_left_out() {
    assert_eq!(dataset(&[("secondary_index", false.into())], 1).tables()[0].after, Vec::<String>::new());
}

#[test]
fn the_runs_distribution_does_not_change_the_data() {
    let special = dataset(&[("distribution", "special".into())], 1);
    assert_eq!(insert(&*special, 0, 0, 100), insert(&*dataset(&[], 1), 0, 0, 100));
}

#[test]
fn tables_differ_and_seeds_differ() {
    let values = |seed, table| {
        insert(&*dataset(&[("tables", 2.into())], seed), table, 0, 1).split_once("VALUES").map(|(_, v)| v.to_string())
    };
    assert_ne!(values(1, 0), values(1, 1));
    assert_ne!(values(1, 0), values(2, 0));
}

#[test]
fn the_promised_row_length_holds_a_row_and_little_more() {
    let dataset = dataset(&[], 1);
    let row = insert(&*dataset, 0, 0, 10_000).len() / 10_000;
    let promised = by_table(&*dataset).row_text_bytes(0);
    assert!((row..row + 8).contains(&promised), "{row} against {promised}");
}

proptest! {
    #[test]
    fn any_cut_into_inserts_makes_the_same_rows(seed: u64, mut cuts in prop::collection::btree_set(1_u64..300, 0..20)) {
        let dataset = dataset(&[("rows", 300.into())], seed);
        let whole = insert(&*dataset, 0, 0, 300);
        cuts.extend([0, 300]);
        let cuts: Vec<u64> = cuts.into_iter().collect();
        let parts: Vec<String> = cuts.windows(2).map(|w| insert(&*dataset, 0, w[0], w[1])).collect();
        let rows: Vec<&str> = parts.iter().filter_map(|part| part.split_once("VALUES")).map(|(_, rows)| rows).collect();
        prop_assert_eq!(format!("INSERT INTO sbtest1(id, k, c, pad) VALUES{}", rows.join(",")), whole);
    }

    #[test]
    fn a_spot_is_the_row_that_was_inserted(seed: u64, row in 0_u64..10_000) {
        let dataset = dataset(&[], seed);
        let cells: Vec<String> = dataset.spot(0, row).expected.into_iter().flatten().collect();
        let [id, k, c, pad] = &cells[..] else { panic!("four columns, none of them NULL: {cells:?}") };
        let wanted = format!("INSERT INTO sbtest1(id, k, c, pad) VALUES({id}, {k}, '{c}', '{pad}')");
        prop_assert_eq!(insert(&*dataset, 0, row, row + 1), wanted);
    }
}
