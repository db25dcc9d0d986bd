//! TPC-C on a real server: one warehouse keeps all its laws, a column that refuses New-Orders is named whether its
//! errors are shown or swallowed, and a load into a server that stays goes on behind the warehouses that are in,
//! however it was ended.

use crate::desk::{Desk, until};
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::PathBuf;

/// Three cells of one warehouse each.
const ORDERS: &str = r#"question = "Are orders that were refused found out?"

[axes]
date_columns = ["null", "broken", "broken+swallowed"]
workload     = ["tpcc.faithful"]

[server.settings]
buffer_pool = "256 MiB"
redo        = "64 MiB"

[load]
users = 2

[[phases]]
name  = "measure"
kind  = "measure"
count = 400

[repeat]
repetitions = 1
aa          = false
"#;

fn verdict<'a>(cell: &'a Value, check: &str) -> &'a Value {
    let verdicts = cell["verdicts"].as_array().expect("a cell has verdicts");
    verdicts.iter().find(|v| v["check"] == check).unwrap_or_else(|| panic!("{check} on {cell:#}"))
}

#[test]
fn a_healthy_benchmark_keeps_its_laws_and_a_broken_one_is_named_however_it_hides() {
    let desk = Desk::new();
    desk.write("orders.toml", ORDERS);
    let said = desk.assay(&["run", "orders.toml", "--out", "record"]);
    assert_eq!(said.status, 1, "a broken benchmark is not valid: {said:#?}");
    let report: Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    for cell in report["cells"].as_array().unwrap() {
        let axis = |name: &str| cell["axes"][name].as_str().unwrap().to_string();
        let laws = verdict(cell, "data_obeyed_its_laws");
        let told = verdict(cell, "errors_were_told");
        if axis("date_columns") == "null" {
            for check in [
                "data_obeyed_its_laws",
                "errors_were_told",
                "answers_were_expected",
                "counts_agree",
                "schema_as_declared",
            ] {
                assert_eq!(verdict(cell, check)["verdict"], "pass", "{:#}", verdict(cell, check));
            }
            let nopm = |name: &str| cell["metrics"][name]["value"].as_f64().unwrap();
            assert!(nopm("nopm") > 0.0 && nopm("nopm_server") > 0.0);
            continue;
        }
        assert_eq!((&laws["verdict"], cell["status"].as_str()), (&Value::from("fail"), Some("fail")), "{laws:#}");
        assert!(laws["sentence"].as_str().unwrap().contains("ol_delivery_d"), "{laws:#}");
        let swallowed = axis("date_columns") == "broken+swallowed";
        assert_eq!(told["verdict"], if swallowed { "fail" } else { "pass" }, "{told:#}");
        let who = if swallowed { told } else { verdict(cell, "operations_succeeded") };
        assert!(who["sentence"].as_str().unwrap().contains("ol_delivery_d"), "{who:#}");
    }
    desk.assert_nothing_is_left();
}

/// Ends the server that the test started, however it goes.
struct Ends<'a>(&'a Desk);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.assay(&["servers", "stop", "distribution"]);
    }
}

#[test]
fn an_interrupted_load_goes_on_behind_the_warehouses_that_are_in() {
    let desk = Desk::new();
    let said = desk.assay(&["servers", "start", "distribution", "--detach", "--set", "settings.redo='64 MiB'"]);
    let line = said.out.lines().find_map(|l| l.split_once(" serves at ")).unwrap_or_else(|| panic!("{said:?}"));
    let socket = PathBuf::from(line.1.trim());
    let _ends = Ends(&desk);
    let dsn = format!("mysql://root@localhost/orders?socket={}", socket.display());
    let bench = [
        "bench",
        "tpcc.faithful",
        "--users",
        "1",
        "--for",
        "100ms",
        "--on",
        &dsn,
        "--set",
        "warehouses=3",
        "--out",
        "record",
    ];

    let mut lab = desk.start(&bench);
    let mut control = Control::connect(&SqlEndpoint::root(socket)).unwrap();
    let units = |control: &mut Control| -> Option<u64> {
        let tables = control.rows("SHOW TABLES FROM orders LIKE 'made_by_assay_units_%'").ok()?;
        let name = tables.first()?.first()?.clone()?;
        control.value(&format!("SELECT COUNT(*) FROM orders.{name}")).ok()??.parse().ok()
    };
    until("a first warehouse", || units(&mut control).filter(|n| *n > 0));
    kill_process(Pid::from_raw(lab.id() as i32).unwrap(), Signal::KILL).unwrap();
    lab.wait().unwrap();
    let kept = units(&mut control).expect("what is in stays in");
    assert!((1..=7).contains(&kept), "{kept} of 7 units");

    let gone_on = |n: &Value| n["text"].as_str().is_some_and(|t| t.contains("interrupted load is gone on with"));
    let mut lab = desk.start(&bench);
    until("a load that is gone on with", || desk.notes().iter().any(gone_on).then_some(()));
    kill_process(Pid::from_raw(lab.id() as i32).unwrap(), Signal::INT).unwrap();
    lab.wait().unwrap();
    desk.assay(&bench).assert_carried_out();
    assert_eq!(units(&mut control), None, "the table of progress goes when the load is over");
    let customers = control.value("SELECT COUNT(*) FROM orders.customer1").unwrap();
    assert_eq!(customers.as_deref(), Some("90000"), "no warehouse is in twice, and none is missing");
    control.quit();
}
