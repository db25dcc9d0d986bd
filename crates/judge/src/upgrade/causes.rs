//! Why a statement is not what it was: what differs between the two servers that this statement touches. Each is a
//! sentence of what was seen; a cause that was taken away again (`--to-sql`, `--to-set`) is the proof, not this.

use model::upgrade::{Digest, Look, Observed};
use serde_json::Value;
use std::collections::BTreeSet;

/// More rows than this many times as many are worth telling, where they are also so many more.
const MORE: f64 = 1.2;
const ROWS: u64 = 10;

/// What two looks at a statement tell.
pub struct Causes {
    pub sentences: Vec<String>,
    /// The two plans, where they differ.
    pub plans: Option<[String; 2]>,
}

/// The causes of a statement that is slower or has another plan.
pub fn of_time(observed: &Observed, digest: usize) -> Causes {
    let (from, to) = looks(observed, digest);
    let mut sentences = schema(observed, &observed.digests[digest]);
    let has_keys = sentences.is_empty();
    let (before, after) = (plan(&from.plan), plan(&to.plan));
    let differ = !before.is_empty() && !after.is_empty() && before != after;
    if differ {
        sentences.push(format!("plan: {}", plan_change(&before, &after)));
        // Where a key is gone, no switch is needed to explain it.
        sentences.extend(switches(observed).filter(|_| has_keys));
    }
    sentences.extend(rows(from, to));
    for (name, what) in [
        ("Created_tmp_disk_tables", "temporary tables on disk"),
        ("Created_tmp_tables", "temporary tables"),
        ("Sort_merge_passes", "merge passes of a sort"),
    ] {
        let count = |look: &Look| look.counted.get(name).copied().unwrap_or(0);
        if count(to) > count(from) {
            sentences.push(format!("{what}: {} of an execution, {} before", count(to), count(from)));
            break;
        }
    }
    Causes { sentences, plans: differ.then(|| [before.join("\n"), after.join("\n")]) }
}

/// The causes of one that answers otherwise, fails or warns.
pub fn of_answer(observed: &Observed, digest: usize) -> Vec<String> {
    let (own, (_, to)) = (&observed.digests[digest], looks(observed, digest));
    // A key changes no answer.
    let mut sentences = schema(observed, own);
    sentences.retain(|sentence| !sentence.starts_with("index:"));
    if own.writes || sentences.is_empty() {
        sentences.extend(modes(observed));
    }
    if own.any_rows {
        sentences.push("it takes some rows (LIMIT) of an order that it does not say, so each server may choose".into());
    }
    sentences.extend(to.said.first().map(|said| format!("the new server says: {said}")));
    if sentences.is_empty() {
        sentences.push(
            "columns, keys and sql_mode are the same on both: a function or an operator computes otherwise, or triggers \
             and data differ"
                .into(),
        );
    }
    sentences
}

fn looks(observed: &Observed, digest: usize) -> (&Look, &Look) {
    static NONE: Look = Look { plan: String::new(), counted: std::collections::BTreeMap::new(), said: Vec::new() };
    (observed.from.looks.get(digest).unwrap_or(&NONE), observed.to.looks.get(digest).unwrap_or(&NONE))
}

fn rows(from: &Look, to: &Look) -> Option<String> {
    let read = |look: &Look| -> u64 {
        let reads = look.counted.iter().filter(|(name, _)| name.starts_with("Handler_read"));
        reads.map(|(_, count)| count).sum()
    };
    let (before, after) = (read(from), read(to));
    let more = after > before + ROWS && after as f64 > MORE * before as f64;
    more.then(|| format!("rows: an execution reads {after} of them, {before} before"))
}

/// Columns and keys of its tables that are others.
fn schema(observed: &Observed, digest: &Digest) -> Vec<String> {
    let (from, to) = (&observed.from.schema, &observed.to.schema);
    let names: BTreeSet<&String> = from.keys().chain(to.keys()).collect();
    let text = digest.text.to_lowercase();
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let named = |column: &str| words.contains(column) || text.contains("select *") || text.contains(".*");
    let of_table = |rest: &str| {
        rest.starts_with(" key ") || rest.strip_prefix('.').is_some_and(|column| named(&column.to_lowercase()))
    };
    let own = |name: &&&String| {
        let name = name.to_lowercase();
        name.strip_prefix("routine ").is_some_and(|routine| words.contains(routine))
            || digest.tables.iter().any(|table| name.strip_prefix(table.as_str()).is_some_and(of_table))
    };
    let told = |name: &String| match (from.get(name), to.get(name)) {
        (Some(before), Some(after)) if before != after && name.starts_with("routine ") => {
            Some(format!("{name} is written otherwise"))
        }
        (Some(before), Some(after)) if before != after => {
            let what = if collation(before) == collation(after) { "schema" } else { "collation" };
            Some(format!("{what}: {name} is {after}, and was {before}"))
        }
        (Some(before), None) if name.contains(" key ") => {
            Some(format!("index: {} is not there ({before})", name.replace(" key ", ".")))
        }
        (None, Some(after)) if name.contains(" key ") => {
            Some(format!("index: {} is new ({after})", name.replace(" key ", ".")))
        }
        (Some(_), None) => Some(format!("schema: {name} is not there")),
        (None, Some(_)) => Some(format!("schema: {name} is new")),
        (Some(_), Some(_)) | (None, None) => None,
    };
    names.iter().filter(own).filter_map(|name| told(name)).collect()
}

/// `varchar(20) utf8mb4_bin` has one.
fn collation(column: &str) -> Option<&str> {
    column.rsplit_once(' ').map(|(_, collation)| collation)
}

fn both<'a>(observed: &'a Observed, variable: &str) -> Option<(&'a str, &'a str)> {
    let (from, to) = (observed.from.variables.get(variable)?, observed.to.variables.get(variable)?);
    (from != to).then_some((from, to))
}

/// Words of a comma-separated variable that only one has: gone, and new.
fn words(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let set =
        |text: &str| -> BTreeSet<String> { text.split(',').filter(|w| !w.is_empty()).map(String::from).collect() };
    let (before, after) = (set(before), set(after));
    (before.difference(&after).cloned().collect(), after.difference(&before).cloned().collect())
}

fn modes(observed: &Observed) -> Option<String> {
    let (before, after) = both(observed, "sql_mode")?;
    let (gone, new) = words(before, after);
    let told = |what: &str, all: Vec<String>| (!all.is_empty()).then(|| format!("{what} {}", all.join(", ")));
    let parts: Vec<String> = [told("without", gone), told("with", new)].into_iter().flatten().collect();
    Some(format!("sql_mode: the new server is {}", parts.join(" and ")))
}

/// Switches of the optimizer that both have, and differ in.
fn switches(observed: &Observed) -> Option<String> {
    let (before, after) = both(observed, "optimizer_switch")?;
    let (_, new) = words(before, after);
    let known = |word: &&String| {
        word.split_once('=')
            .is_some_and(|(name, _)| before.split(',').any(|w| w.split_once('=').is_some_and(|(n, _)| n == name)))
    };
    let changed: Vec<&String> = new.iter().filter(known).collect();
    let text: Vec<&str> = changed.iter().map(|word| word.as_str()).collect();
    (!text.is_empty()).then(|| format!("optimizer_switch: {} on the new server", text.join(", ")))
}

/// A plan as a line for each table, in order, with what is done beside; empty where nothing was explained.
pub fn plan(explain: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if let Ok(json) = serde_json::from_str(explain) {
        walk(&json, &mut lines);
    }
    lines
}

const BESIDE: &[&str] = &["filesort", "using_filesort", "temporary_table", "using_temporary_table"];

fn walk(json: &Value, lines: &mut Vec<String>) {
    match json {
        Value::Array(all) => all.iter().for_each(|one| walk(one, lines)),
        Value::Object(all) => {
            if let Some(table) = all.get("table_name").and_then(Value::as_str) {
                let text = |name: &str| all.get(name).and_then(Value::as_str);
                let key = text("key").map(|key| format!(" by {key}")).unwrap_or_default();
                let length = text("key_length").map(|long| format!(" ({long} bytes)")).unwrap_or_default();
                lines.push(format!("{table} {}{key}{length}", text("access_type").unwrap_or("-")));
            }
            for (name, value) in all {
                if BESIDE.contains(&name.as_str()) && *value != Value::Bool(false) {
                    lines.push(name.trim_start_matches("using_").replace('_', " "));
                }
                walk(value, lines);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn plan_change(before: &[String], after: &[String]) -> String {
    let gone: Vec<&str> = before.iter().filter(|line| !after.contains(line)).map(String::as_str).collect();
    let new: Vec<&str> = after.iter().filter(|line| !before.contains(line)).map(String::as_str).collect();
    match (gone.is_empty(), new.is_empty()) {
        (true, true) => format!("the order is {}, and was {}", after.join(", "), before.join(", ")),
        (true, false) => format!("{} is new", new.join(", ")),
        (false, true) => format!("{} is gone", gone.join(", ")),
        (false, false) => format!("{}, and was {}", new.join(", "), gone.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_its_tables_with_their_keys_and_no_estimate() {
        let of = |access: &str, rows: u32| {
            format!(
                r#"{{"query_block": {{"filesort": {{"table": {{"table_name": "t", "access_type": "{access}", "key": "k",
                "key_length": "4", "rows": {rows}, "cost": {rows}}}}}}}}}"#
            )
        };
        assert_eq!(plan(&of("ref", 1)), ["filesort", "t ref by k (4 bytes)"]);
        assert_eq!(plan(&of("ref", 1)), plan(&of("ref", 2_000)));
        assert_eq!(
            plan_change(&plan(&of("ref", 1)), &plan(&of("index", 1))),
            "t index by k (4 bytes), and was t ref by k (4 bytes)"
        );
    }

    #[test]
    fn words_of_a_mode_that_only_one_has_are_told() {
        assert_eq!(words("A,B", "B,C"), (vec!["A".to_string()], vec!["C".to_string()]));
    }
}
