//! Upgrades decided on real servers: what was planted is found and named, the same build against itself is silent, and
//! what cannot be is refused in a sentence.

use crate::desk::{Desk, Said};
use crate::shop;
use crate::somebody_elses_server::{Ends, theirs};
use serde_json::Value;
use std::fs;
use std::process::Command;

const BOTH: &[&str] =
    &["upgrade", "--from", "distribution", "--to", "distribution", "--trace", "trace", "--data", "shop.sql"];
const QUICK: &[&str] = &["--pace", "fast", "--pairs", "3", "--json"];

fn told(said: &Said) -> Value {
    serde_json::from_str(&said.out).unwrap_or_else(|e| panic!("{e}: {said:#?}"))
}

/// The change of the statement that holds this text.
#[track_caller]
fn change<'a>(upgrade: &'a Value, text: &str) -> &'a Value {
    let all = upgrade["changes"].as_array().expect("a list");
    let found = all.iter().find(|change| change["text"].as_str().is_some_and(|own| own.contains(text)));
    found.unwrap_or_else(|| panic!("nothing is said of {text}: {upgrade:#}"))
}

#[track_caller]
fn assert_found(upgrade: &Value, text: &str, kind: &str, cause: &str) {
    let change = change(upgrade, text);
    let findings = change["findings"].as_array().expect("a list");
    let has = findings.iter().any(|finding| finding.as_str().is_some_and(|finding| finding.contains(cause)));
    // How sure a time is, is the machine's business.
    let is_kind = change["kind"] == kind || kind == "slower" && change["kind"] == "other_plan";
    assert!(is_kind && has, "{text} is not {kind} for {cause}: {change:#}");
}

/// The smoke that ships: a slow log of TPC-C's and LinkBench's kind, its data, and what is planted.
const SMOKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/upgrade");

#[test]
fn what_the_smoke_plants_on_the_new_server_is_found_and_named_and_nothing_else() {
    let desk = Desk::new();
    for file in ["shop.sql", "planted.sql", "slow.log"] {
        fs::copy(format!("{SMOKE}/{file}"), desk.path(file)).expect("it ships");
    }
    let captured = desk.assay(&["capture", "--slow-log", "slow.log", "--out", "trace"]);
    assert_eq!(captured.status, 0, "{captured:#?}");
    let said = desk.assay(&[BOTH, QUICK, &["--to-sql", "planted.sql", "--out", "found"]].concat());
    desk.assert_nothing_is_left();
    said.assert_carried_out();
    let upgrade = told(&said);
    assert_found(&upgrade, "WHERE city = ?", "slower", "index: customer.by_city is not there");
    assert_found(&upgrade, "WHERE city = ?", "slower", "plan: customer index by PRIMARY");
    assert_found(&upgrade, "name = ?", "answers_differently", "collation: customer.name");
    assert_found(&upgrade, "tax(balance)", "answers_differently", "routine tax is written otherwise");
    assert_found(&upgrade, "INSERT INTO stock", "answers_differently", "sql_mode: the new server is without");
    assert_found(&upgrade, "SELECT city, id FROM", "fails", "isn't in GROUP BY");
    assert_found(&upgrade, "a = ? OR b = ?", "slower", "optimizer_switch: index_merge=off");
    let all = upgrade["changes"].as_array().expect("a list");
    let told = |kind: &str| all.iter().filter(|change| change["kind"] == kind).count();
    assert_eq!((told("fails"), told("answers_differently")), (1, 3), "{all:#?}");
    let report = desk.read("found/report.md");
    assert!(report.contains("They answer differently") && report.contains("plan before"), "{report}");
    // All is known: the same command replays nothing, and says it in a screen.
    let again = desk.assay(&[BOTH, &QUICK[..4], &["--to-sql", "planted.sql", "--out", "found"]].concat());
    assert!(!again.err.contains("replay 1") && again.out.lines().count() <= 25, "{again:#?}");
    let other = desk.assay(&[BOTH, &["--pace", "2", "--out", "found"]].concat());
    assert!(other.status == 2 && other.err.contains("is of another question"), "{other:#?}");
}

#[test]
fn rows_made_of_statistics_decide_what_the_rows_themselves_decide_and_hold_none_of_them() {
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (socket, mut control) = theirs(&desk);
    control.execute("CREATE DATABASE shop").unwrap();
    control.quit();
    let mut client = Command::new("mariadb");
    client.args(["--no-defaults", "-u", "root", "-S"]).arg(&socket).arg("shop");
    client.stdin(fs::File::open(format!("{SMOKE}/shop.sql")).expect("it ships"));
    assert!(client.status().expect("MariaDB's client").success());
    fs::copy(format!("{SMOKE}/planted.sql"), desk.path("planted.sql")).expect("it ships");
    let key = "a key of more than sixteen bytes";
    let captured = |arguments: &[&str]| {
        let said =
            Said::of(desk.command(&[&["capture"], arguments].concat()).env("ASSAY_MASK_KEY", key).output().unwrap());
        assert_eq!(said.status, 0, "{said:#?}");
        said
    };
    let log = format!("{SMOKE}/slow.log");
    captured(&["--slow-log", &log, "--out", "trace", "--mask"]);
    let dsn = format!("mysql://root@localhost/shop?socket={}", socket.display());
    let said = captured(&["--statistics", &dsn, "--out", "shape", "--mask"]);
    assert!(said.out.contains("statistics of 5 tables of 12010 rows"), "{said:#?}");
    for file in ["schema.sql", "routines.sql", "statistics.json"] {
        let text = desk.read(&format!("shape/{file}"));
        assert!(!text.contains("Smith") && !text.contains("SMITH") && !text.contains("DEFINER="), "{text}");
    }
    let mut upgrade = vec!["upgrade", "--from", "distribution", "--to", "distribution", "--trace", "trace"];
    upgrade.extend(["--data", "shape", "--to-sql", "planted.sql", "--out", "found"]);
    let said = desk.assay(&[&upgrade[..], QUICK].concat());
    said.assert_carried_out();
    let upgrade = told(&said);
    assert_found(&upgrade, "WHERE city = ?", "slower", "index: customer.by_city is not there");
    assert_found(&upgrade, "tax(balance)", "answers_differently", "routine tax is written otherwise");
    assert_found(&upgrade, "SELECT city, id FROM", "fails", "isn't in GROUP BY");
    assert_found(&upgrade, "a = ? OR b = ?", "slower", "optimizer_switch: index_merge=off");
    let notes = upgrade["notes"].to_string();
    assert!(notes.contains("The rows are synthetic") && !notes.contains("must be masked alike"), "{notes}");
}

#[test]
fn a_build_against_itself_changes_nothing() {
    let desk = Desk::new();
    shop::lay(&desk);
    let said = desk.assay(&[BOTH, QUICK, &["--out", "same"]].concat());
    desk.assert_nothing_is_left();
    said.assert_carried_out();
    let upgrade = told(&said);
    let all = upgrade["changes"].as_array().expect("a list");
    assert!(all.is_empty(), "{all:#?}");
    assert!(upgrade["sentence"].as_str().is_some_and(|s| s.contains("none fails and none answers differently")));
}

#[test]
fn a_torn_trace_is_replayed_as_far_as_it_goes_on_a_data_directory_of_its_own() {
    let desk = Desk::new();
    shop::lay(&desk);
    let one = [BOTH, &["--pace", "fast", "--pairs", "1", "--json", "--out"]].concat();
    desk.assay(&[&one[..], &["first"]].concat()).assert_carried_out();
    fs::remove_file(desk.path("trace/end.json")).expect("it was whole");
    let kept = fs::read_dir(desk.home().join("snapshots")).expect("data are kept").flatten().next().expect("one");
    let data = kept.path().join("data");
    fs::write(data.join("xtrabackup_binlog_info"), "binlog.000012\t1234\n").expect("a folder of the desk's");
    let mut again: Vec<&str> =
        one.iter().map(|word| if *word == "shop.sql" { data.to_str().expect("UTF-8") } else { word }).collect();
    again.push("second");
    let said = desk.assay(&again);
    desk.assert_nothing_is_left();
    said.assert_carried_out();
    let notes = told(&said)["notes"].to_string();
    assert!(notes.contains("The trace was torn"), "{notes}");
    assert!(notes.contains("taken at binlog.000012, position 1234 of the binary log"), "{notes}");
}

#[test]
fn data_that_do_not_fit_the_trace_are_told_of_after_a_thousand_statements() {
    let desk = Desk::new();
    desk.write("shop.sql", "CREATE TABLE other (id INT PRIMARY KEY);\n");
    shop::capture(&desk, "trace", &shop::statements);
    let said = desk.assay(&[BOTH, QUICK, &["--out", "unfit"]].concat());
    desk.assert_nothing_is_left();
    assert!(said.status == 1, "{said:#?}");
    let struck = told(&said)["struck"].to_string();
    assert!(struck.contains("the data do not fit the trace: 10"), "{struck}");
    assert!(!said.err.contains("replay 2"), "it went on: {}", said.err);
}

#[test]
fn what_cannot_be_replayed_is_refused_in_a_sentence() {
    let desk = Desk::without_server();
    shop::lay(&desk);
    desk.write("notes.txt", "nothing");
    for (arguments, what) in [
        (&["--trace", "nowhere", "--data", "shop.sql"][..], "is not a trace"),
        (&["--trace", "trace", "--data", "nowhere"], "cannot be read"),
        (&["--trace", "trace", "--data", "shop.sql", "--pace", "soon"], "write captured, fast, or a number"),
        (&["--trace", "trace", "--data", "shop.sql", "--pairs", "0"], "--pairs takes a number from 1 on"),
    ] {
        let said = desk.assay(&[&["upgrade", "--from", "distribution", "--to", "distribution"], arguments].concat());
        assert!(said.status == 2 && said.err.contains(what), "{said:#?}");
    }
    let head = desk.read("trace/trace.json").replace("\"version\": 1", "\"version\": 7");
    desk.write("trace/trace.json", &head);
    let said = desk.assay(BOTH);
    assert!(said.status == 2 && said.err.contains("version 7"), "{said:#?}");
}
