//! What a column that grows from NULL to a date costs InnoDB, on the MariaDB that is installed here: one district of TPC-C, 30,000 lines
//! inserted in order of their key, then 3,000 updates of ten lines each, as Delivery does. The counts were the same on every
//! run that was looked at, save for a few that background threads add; they are the ground of finding P1.

use lab::process::Guard;
use lab::servers::catalogue;
use lab::servers::house::House;
use lab::servers::instance::{Instance, Wish};
use lab::sessions::address::Door;
use lab::sessions::control::Control;
use model::plan::Server;
use model::value::Value;
use std::sync::atomic::AtomicBool;

static GO: AtomicBool = AtomicBool::new(false);

const ORDERS: u64 = 3_000;
const LINES: u64 = 10;

/// Splits, reorganisations, and acquisitions of index locks so far.
fn counted(control: &mut Control) -> [u64; 3] {
    let metric = |name: &str| format!("SELECT count FROM information_schema.INNODB_METRICS WHERE name = '{name}'");
    let lock = "SELECT SUM(COUNT_STAR) FROM performance_schema.events_waits_summary_global_by_event_name WHERE event_name LIKE \
                'wait/synch/%/innodb/index_tree_rw_lock'";
    [metric("index_page_splits"), metric("index_page_reorg_attempts"), lock.to_string()]
        .map(|sql| control.value(&sql).unwrap().expect("a counter that is on").parse().expect("a number"))
}

/// What delivering costs a table of lines whose date is declared so.
fn delivered(control: &mut Control, column: &str, format: &str) -> [u64; 3] {
    control.execute("DROP TABLE IF EXISTS l").unwrap();
    let create = format!(
        "CREATE TABLE l (ol_o_id int not null, ol_d_id tinyint not null, ol_w_id smallint not null, ol_number tinyint not null, ol_i_id \
         int, ol_supply_w_id smallint, ol_delivery_d {column}, ol_quantity tinyint, ol_amount decimal(6,2), ol_dist_info char(24), \
         PRIMARY KEY(ol_w_id, ol_d_id, ol_o_id, ol_number)) ENGINE=InnoDB DEFAULT CHARSET=latin1 {format}"
    );
    control.execute(&create).unwrap();
    for order in 1..=ORDERS {
        let line = |n: u64| format!("({order},1,1,{n},{},1,5,12.34,'abcdefghijklmnopqrstuvwx')", order * LINES + n);
        let lines: Vec<String> = (1..=LINES).map(line).collect();
        let columns = "ol_o_id,ol_d_id,ol_w_id,ol_number,ol_i_id,ol_supply_w_id,ol_quantity,ol_amount,ol_dist_info";
        control.execute(&format!("INSERT INTO l ({columns}) VALUES {}", lines.join(","))).unwrap();
    }
    let before = counted(control);
    for order in 1..=ORDERS {
        let sql = format!("UPDATE l SET ol_delivery_d = NOW() WHERE ol_o_id = {order} AND ol_d_id = 1 AND ol_w_id = 1");
        assert_eq!(control.execute(&sql).unwrap().affected, LINES);
    }
    let after = counted(control);
    [0, 1, 2].map(|n| after[n] - before[n])
}

#[test]
fn a_date_that_begins_as_null_splits_pages_and_takes_the_index_lock_and_a_default_does_not() {
    let place = tempfile::tempdir().unwrap();
    let house = House { home: place.path().join("home"), runtime: place.path().to_path_buf() };
    let settings: [(&str, Value); 5] = [
        ("buffer_pool", (128 << 20).into()),
        ("redo", (64 << 20).into()),
        ("flush_at_commit", 0.into()),
        ("performance_schema", true.into()),
        ("engine_counters", true.into()),
    ];
    let settings = settings.map(|(name, value)| (name.to_string(), value)).into();
    let server = Server { build: "distribution".into(), engine: "innodb".into(), settings, ..Server::default() };
    let (build, guard) = (catalogue::find("distribution").unwrap(), Guard::program(env!("CARGO_BIN_EXE_lab-guard")));
    let wish = Wish { house: &house, guard: &guard, build: &build, server: &server, cpus: &[], tcp: None, stop: &GO };
    let instance = Instance::provision(&wish).unwrap();
    let mut control = Control::connect(&Door::root(instance.socket().to_path_buf())).unwrap();
    control.execute("CREATE DATABASE t").unwrap();
    control.execute("USE t").unwrap();

    // Splits, reorganisations and acquisitions at delivery, as measured before on MariaDB 10.11.
    let default = "datetime NOT NULL DEFAULT '1970-01-01 00:00:00'";
    for (column, format, wanted) in [
        ("datetime", "", [120, 5_296, 66_006]),
        (default, "", [0, 0, 6_000]),
        ("timestamp NULL", "", [0, 4_453, 58_806]),
        ("datetime", "ROW_FORMAT=REDUNDANT", [0, 0, 6_000]),
    ] {
        let seen = delivered(&mut control, column, format);
        for (seen, wanted) in seen.into_iter().zip(wanted) {
            let noise = wanted / 20 + 60;
            assert!(seen.abs_diff(wanted) <= noise, "{column} {format}: {seen} is not {wanted}");
        }
    }
    control.quit();
}
