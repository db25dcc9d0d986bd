//! What a column that grows from NULL to a date costs InnoDB, on the MariaDB that is installed here: one district of
//! TPC-C, 30,000 lines inserted in order of their key, then 3,000 updates of ten lines each, as Delivery does. The
//! counts were the same on every run that was looked at, save for a few that background threads add; they are the
//! ground of finding `page_splits`.

use lab::backends::endpoint::SqlEndpoint;
use lab::backends::kinds;
use lab::backends::mysql::control::Control;
use lab::os::process::Guard;
use lab::servers::catalogue;
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, Wish};
use model::plan::Server;
use model::value::Value;
use std::sync::atomic::AtomicBool;

static GO: AtomicBool = AtomicBool::new(false);

const ORDERS: u64 = 3_000;
const LINES: u64 = 10;

/// Splits, reorganisations, and acquisitions of index locks so far; these by this session alone, for purge takes the
/// locks, too, when it likes.
fn counted(control: &mut Control) -> [u64; 3] {
    let metric = |name: &str| format!("SELECT count FROM information_schema.INNODB_METRICS WHERE name = '{name}'");
    let lock = "SELECT SUM(COUNT_STAR) FROM performance_schema.events_waits_summary_by_thread_by_event_name JOIN \
                performance_schema.threads USING (THREAD_ID) WHERE PROCESSLIST_ID = CONNECTION_ID() AND EVENT_NAME LIKE \
                'wait/synch/%/innodb/index_tree_rw_lock'";
    [metric("index_page_splits"), metric("index_page_reorg_attempts"), lock.to_string()]
        .map(|sql| control.value(&sql).unwrap().expect("a counter that is on").parse().expect("a number"))
}

/// Every order is inserted, then delivered. Splits at insert and at delivery, leaf pages at the end, and at delivery
/// reorganisations and acquisitions of the index lock.
fn grown(
    control: &mut Control,
    create: &str,
    insert: impl Fn(u64) -> String,
    update: impl Fn(u64) -> String,
) -> [u64; 5] {
    control.execute("DROP TABLE IF EXISTS l").unwrap();
    control.execute(create).unwrap();
    let empty = counted(control);
    for order in 1..=ORDERS {
        control.execute(&insert(order)).unwrap();
    }
    let filled = counted(control);
    for order in 1..=ORDERS {
        assert!(control.execute(&update(order)).unwrap().affected > 0, "order {order} is there");
    }
    let after = counted(control);
    control.rows("ANALYZE TABLE l").unwrap();
    let leaves = "SELECT stat_value FROM mysql.innodb_index_stats WHERE database_name = 't' AND table_name = 'l' AND index_name = \
                  'PRIMARY' AND stat_name = 'n_leaf_pages'";
    let leaves = control.value(leaves).unwrap().expect("statistics").parse().expect("a number");
    [filled[0] - empty[0], after[0] - filled[0], leaves, after[1] - filled[1], after[2] - filled[2]]
}

/// Lines of a district, whose integers and date are declared so.
fn lines(control: &mut Control, [tiny, small]: [&str; 2], date: &str, format: &str) -> [u64; 5] {
    let create = format!(
        "CREATE TABLE l (ol_o_id int not null, ol_d_id {tiny} not null, ol_w_id {small} not null, ol_number {tiny} not null, ol_i_id \
         int, ol_supply_w_id {small}, ol_delivery_d {date}, ol_quantity {tiny}, ol_amount decimal(6,2), ol_dist_info char(24), \
         PRIMARY KEY(ol_w_id, ol_d_id, ol_o_id, ol_number)) ENGINE=InnoDB DEFAULT CHARSET=latin1 {format}"
    );
    let insert = |order| {
        let line = |n: u64| format!("({order},1,1,{n},{},1,5,12.34,'abcdefghijklmnopqrstuvwx')", order * LINES + n);
        let lines: Vec<String> = (1..=LINES).map(line).collect();
        let columns = "ol_o_id,ol_d_id,ol_w_id,ol_number,ol_i_id,ol_supply_w_id,ol_quantity,ol_amount,ol_dist_info";
        format!("INSERT INTO l ({columns}) VALUES {}", lines.join(","))
    };
    let update =
        |order| format!("UPDATE l SET ol_delivery_d = NOW() WHERE ol_o_id = {order} AND ol_d_id = 1 AND ol_w_id = 1");
    grown(control, &create, insert, update)
}

/// Orders of a district, whose carrier is declared so: the placebo.
fn orders(control: &mut Control, carrier: &str) -> [u64; 5] {
    let create = format!(
        "CREATE TABLE l (o_id int not null, o_d_id tinyint not null, o_w_id smallint not null, o_c_id int, o_entry_d datetime, \
         o_carrier_id {carrier}, o_ol_cnt tinyint, o_all_local tinyint, PRIMARY KEY(o_w_id, o_d_id, o_id)) ENGINE=InnoDB DEFAULT \
         CHARSET=latin1"
    );
    let columns = "o_id,o_d_id,o_w_id,o_c_id,o_entry_d,o_ol_cnt,o_all_local";
    let insert = |order| format!("INSERT INTO l ({columns}) VALUES ({order},1,1,{order},NOW(),10,1)");
    let update = |order| format!("UPDATE l SET o_carrier_id = 5 WHERE o_id = {order} AND o_d_id = 1 AND o_w_id = 1");
    grown(control, &create, insert, update)
}

#[test]
fn a_date_that_begins_as_null_splits_pages_and_takes_the_index_lock_and_a_default_does_not() {
    let place = tempfile::tempdir().unwrap();
    let folders = Folders { home: place.path().join("home"), runtime: place.path().to_path_buf() };
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
    let wish = Wish {
        folders: &folders,
        guard: &guard,
        kind: kinds::of(&build),
        build: &build,
        server: &server,
        cpus: &[],
        tcp: None,
        stop: &GO,
    };
    let instance = Instance::provision(&wish).unwrap();
    let mut control = Control::connect(&SqlEndpoint::root(instance.socket().to_path_buf())).unwrap();
    control.execute("CREATE DATABASE t").unwrap();
    control.execute("USE t").unwrap();

    const SYSBENCH: [&str; 2] = ["tinyint", "smallint"];
    const GO_TPC: [&str; 2] = ["int", "int"];
    const NAMES: [&str; 5] =
        ["splits at insert", "splits at delivery", "leaf pages", "reorganisations", "index-lock acquisitions"];
    let [old, oldest] = ["1970-01-01", "1000-01-01"].map(|d| format!("datetime NOT NULL DEFAULT '{d} 00:00:00'"));
    let fixed = "ROW_FORMAT=REDUNDANT";
    for (what, seen, wanted) in [
        ("NULL", lines(&mut control, SYSBENCH, "datetime", ""), [121, 120, 242, 5_296, 66_006]),
        ("DEFAULT", lines(&mut control, SYSBENCH, &old, ""), [132, 0, 133, 0, 6_000]),
        ("oldest DEFAULT", lines(&mut control, SYSBENCH, &oldest, ""), [132, 0, 133, 0, 6_000]),
        ("TIMESTAMP", lines(&mut control, SYSBENCH, "timestamp NULL", ""), [121, 0, 122, 4_453, 58_806]),
        ("REDUNDANT", lines(&mut control, SYSBENCH, "datetime", fixed), [155, 0, 156, 0, 6_000]),
        ("go-tpc, NULL", lines(&mut control, GO_TPC, "datetime", ""), [147, 0, 148, 6_134, 59_564]),
        ("go-tpc, DEFAULT", lines(&mut control, GO_TPC, &old, ""), [157, 0, 158, 0, 6_000]),
    ] {
        for ((name, seen), wanted) in NAMES.iter().zip(seen).zip(wanted) {
            let noise = wanted / 20 + if *name == "index-lock acquisitions" { 60 } else { 3 };
            assert!(seen.abs_diff(wanted) <= noise, "{what}: {seen} {name}, and not {wanted}");
        }
    }
    // An update in place takes one acquisition for each order; these are what its growth takes more.
    for (carrier, splits, more) in [("tinyint", 0, 406), ("tinyint NOT NULL DEFAULT 0", 0, 0), ("int", 6, 3_052)] {
        let [_, seen, _, _, acquisitions] = orders(&mut control, carrier);
        assert!(seen.abs_diff(splits) <= 3, "{carrier}: {seen} splits at delivery, and not {splits}");
        let seen = acquisitions.abs_diff(ORDERS);
        assert!(
            seen.abs_diff(more) <= more / 20 + 60,
            "{carrier}: {seen} index-lock acquisitions more, and not {more}"
        );
    }
    control.quit();
}
