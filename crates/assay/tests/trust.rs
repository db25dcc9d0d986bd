//! The table of sabotages (trust/sabotages.toml) is well formed: whoever adds one says what is done, what must be said,
//! and which healthy experiment it is measured against. Doing them is `make sabotage`, which takes an hour and root.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::{Table, Value};

/// Fewer say little of those that nobody thought of.
const FEWEST: usize = 60;
const KINDS: &[&str] = &[
    "settings",
    "data",
    "plans",
    "schema",
    "network",
    "disk",
    "CPU",
    "memory",
    "clocks",
    "strangers",
    "limits",
    "logs",
    "caches",
    "plugins",
    "versions",
    "kernel",
];
const SERVERS: &[&str] = &["mariadb", "mysql"];
const KEYS: &[&str] = &["name", "kind", "twin", "on", "sql", "shell", "moment", "lasts", "word"];

fn table() -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trust/sabotages.toml");
    std::fs::read_to_string(path).expect("the table").parse().expect("TOML")
}

fn text<'a>(of: &'a Value, key: &str) -> Option<&'a str> {
    of.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

#[test]
fn every_sabotage_says_what_is_done_what_must_be_said_and_what_its_healthy_twin_is() {
    let table = table();
    let all = table["sabotage"].as_array().expect("sabotages");
    assert!(all.len() >= FEWEST, "{} sabotages", all.len());
    let mut kinds: BTreeMap<&str, usize> = KINDS.iter().map(|kind| (*kind, 0)).collect();
    let mut names = BTreeSet::new();
    for one in all {
        let name = text(one, "name").expect("a name");
        assert!(names.insert(name), "{name} is the name of two");
        let unknown: Vec<_> = one.as_table().unwrap().keys().filter(|key| !KEYS.contains(&key.as_str())).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
        *kinds.get_mut(text(one, "kind").expect("a kind")).unwrap_or_else(|| panic!("{name}: its kind")) += 1;
        let twin = text(one, "twin").and_then(|twin| table["experiment"].get(twin)).expect(name);
        assert!(text(twin, "toml").is_some_and(|toml| toml.parse::<Table>().is_ok()), "{name}: its twin's experiment");
        assert!(text(one, "word").is_some_and(|word| !"".contains(word)), "{name}: its word");
        assert!(text(one, "sql").is_some() != text(one, "shell").is_some(), "{name}: statements or a script");
        let on = one["on"].as_array().unwrap();
        let is_known = |server: &Value| server.as_str().is_some_and(|server| SERVERS.contains(&server));
        assert!(!on.is_empty() && on.iter().all(is_known), "{name}: its servers");
        assert!(text(one, "moment").is_none_or(|moment| moment == "between"), "{name}: its moment");
        assert!(text(one, "lasts").is_none_or(|lasts| lasts == "record"), "{name}: how long it lasts");
    }
    let missing: Vec<_> = kinds.iter().filter(|(_, count)| **count == 0).collect();
    assert!(missing.is_empty(), "kinds without a sabotage: {missing:?}");
}
