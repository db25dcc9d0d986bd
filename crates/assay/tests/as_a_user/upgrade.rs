//! Upgrades decided on real servers: what was planted is found and named, the same build against itself is silent, and
//! what cannot be is refused in a sentence.

use crate::desk::{Desk, Said};
use crate::shop;
use serde_json::Value;

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
    assert!(change["kind"] == kind && has, "{text} is not {kind} for {cause}: {change:#}");
}

#[test]
fn what_was_planted_on_the_new_server_is_found_and_named_and_nothing_else() {
    let desk = Desk::new();
    shop::lay(&desk);
    desk.write(
        "planted.sql",
        "ALTER TABLE shop.customer DROP KEY by_city;\n\
         ALTER TABLE shop.customer MODIFY name VARCHAR(40) COLLATE utf8mb4_general_ci NOT NULL;\n\
         SET GLOBAL sql_mode = 'ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION';\n\
         SET GLOBAL optimizer_switch = 'index_merge=off';\n\
         DROP FUNCTION shop.tax;\n\
         CREATE FUNCTION shop.tax(x DECIMAL(12,2)) RETURNS DECIMAL(12,2) DETERMINISTIC RETURN x * 0.2;\n",
    );
    let said = desk.assay(&[BOTH, QUICK, &["--to-sql", "planted.sql", "--out", "found"]].concat());
    desk.assert_nothing_is_left();
    said.assert_carried_out();
    let upgrade = told(&said);
    assert_found(&upgrade, "city = ?", "slower", "index: customer.by_city is not there");
    assert_found(&upgrade, "city = ?", "slower", "plan: customer index by PRIMARY");
    assert_found(&upgrade, "name = ?", "answers_differently", "collation: customer.name");
    assert_found(&upgrade, "tax(balance)", "answers_differently", "routine tax is written otherwise");
    assert_found(
        &upgrade,
        "INSERT INTO stock",
        "answers_differently",
        "sql_mode: the new server is without STRICT_TRANS_TABLES",
    );
    assert_found(&upgrade, "a = ? OR b = ?", "slower", "optimizer_switch: index_merge=off");
    for innocent in ["WHERE id = ?", "UPDATE stock", "FROM link", "COMMIT"] {
        let all = upgrade["changes"].as_array().expect("a list");
        let blamed = all.iter().find(|change| {
            let text = change["text"].as_str().unwrap_or_default();
            text.contains(innocent)
                && !text.contains("tax(")
                && ["fails", "answers_differently"].contains(&change["kind"].as_str().unwrap_or_default())
        });
        assert!(blamed.is_none(), "{blamed:#?}");
    }
    let report = desk.read("found/report.md");
    assert!(report.contains("They answer differently") && report.contains("plan before"), "{report}");
    // All is known: the same command replays nothing, and says it in a screen.
    let again = desk.assay(&[BOTH, &QUICK[..4], &["--to-sql", "planted.sql", "--out", "found"]].concat());
    assert!(!again.err.contains("replay 1") && again.out.lines().count() <= 25, "{again:#?}");
    let other = desk.assay(&[BOTH, &["--pace", "2", "--out", "found"]].concat());
    assert!(other.status == 2 && other.err.contains("is of another question"), "{other:#?}");
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
