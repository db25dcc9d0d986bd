//! What a reader looks for in the text of an EXPLAIN, taken apart: how the first table is read, by which key and how
//! much of it, how many rows that is thought to be, under which conditions, and what is done beside. Unlike a
//! fingerprint it keeps the estimate, because a plan that does the same and expects a hundred times the rows is what an
//! optimizer goes by.

use serde_json::Value;
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// `range`, or what is said instead of a plan.
    pub access: String,
    pub key: String,
    pub key_length: String,
    pub rows: String,
    pub partitions: String,
    /// Each condition that rows are held against.
    pub conditions: BTreeSet<String>,
    /// Sorting, buffers, temporary tables.
    pub beside: BTreeSet<String>,
}

const ROWS: &[&str] = &["rows", "rows_examined_per_scan"];
const CONDITIONS: &[&str] = &["attached_condition", "index_condition"];
const BESIDE: &[&str] = &[
    "using_index",
    "buffer",
    "filesort",
    "using_filesort",
    "temporary_table",
    "using_temporary_table",
    "duplicate_removal",
    "duplicates_removal",
    "read_sorted_file",
];
/// Where the twelve columns of an EXPLAIN with partitions, and the ten without, have what is compared: type, key,
/// length, rows, Extra.
const COLUMNS: &[(usize, [usize; 5])] = &[(10, [3, 5, 6, 8, 9]), (12, [4, 6, 7, 9, 11])];

/// `None` for a text that explains nothing.
pub fn of(explain: &str) -> Option<Parts> {
    if explain.is_empty() || explain.starts_with("not explained") {
        return None;
    }
    let mut parts = Parts::default();
    match serde_json::from_str::<Value>(explain) {
        Ok(json) => parts.read(&json),
        Err(_) => parts.read_row(explain.lines().next()?)?,
    }
    (!parts.access.is_empty()).then_some(parts)
}

impl Parts {
    /// The first table of the text, and all that is done around any.
    fn read(&mut self, json: &Value) {
        match json {
            Value::Array(all) => all.iter().for_each(|one| self.read(one)),
            Value::Object(all) => {
                for (name, value) in all {
                    if BESIDE.contains(&name.as_str()) && *value != Value::Bool(false) {
                        self.beside.insert(name.replace('_', " "));
                    }
                    self.read_word(name, value);
                    self.read(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn read_word(&mut self, name: &str, value: &Value) {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
            Value::Null | Value::Bool(_) | Value::Object(_) => return,
        };
        let place = match name {
            "access_type" | "message" => &mut self.access,
            "key" => &mut self.key,
            "key_length" => &mut self.key_length,
            "partitions" => &mut self.partitions,
            name if ROWS.contains(&name) => &mut self.rows,
            name if CONDITIONS.contains(&name) => {
                self.conditions.extend(conditions(&text));
                return;
            }
            _ => return,
        };
        if place.is_empty() {
            *place = text;
        }
    }

    fn read_row(&mut self, line: &str) -> Option<()> {
        let cells: Vec<&str> = line.split('\t').collect();
        let (_, at) = COLUMNS.iter().find(|(width, _)| *width == cells.len())?;
        let [access, key, length, rows, extra] = at.map(|at| if cells[at] == "NULL" { "" } else { cells[at] });
        self.access = if access.is_empty() { extra } else { access }.to_string();
        (self.key, self.key_length, self.rows) = (key.into(), length.into(), rows.into());
        let notes = extra.split("; ").filter(|note| !note.is_empty() && *note != self.access && *note != "Using where");
        self.beside = notes.map(str::to_lowercase).collect();
        Some(())
    }
}

/// A condition's parts; the AND of a BETWEEN joins none.
fn conditions(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in text.split(" and ") {
        match found.last_mut().filter(|last| last.contains(" between ") && !last.contains(" and ")) {
            Some(between) => *between = format!("{between} and {part}"),
            None => found.push(part.to_string()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSIONED: &str = r#"{"query_block": {"select_id": 1, "nested_loop": [{"table": {"table_name": "sbtest1",
        "partitions": ["p_history", "p_current"], "access_type": "range", "possible_keys": ["PRIMARY"], "key": "PRIMARY",
        "key_length": "11", "used_key_parts": ["id"], "rows": 100, "filtered": 100,
        "attached_condition": "sbtest1.row_end = TIMESTAMP'2038-01-19 03:14:07.999999' and sbtest1.`id` between 5 and 104",
        "using_index": true}}]}}"#;

    #[test]
    fn a_plan_is_read_with_what_it_expects_and_each_of_its_conditions() {
        let parts = of(VERSIONED).unwrap();
        assert_eq!((&*parts.access, &*parts.key, &*parts.key_length, &*parts.rows), ("range", "PRIMARY", "11", "100"));
        assert_eq!(parts.partitions, "p_history, p_current");
        assert_eq!(
            parts.conditions.iter().map(String::as_str).collect::<Vec<_>>(),
            ["sbtest1.`id` between 5 and 104", "sbtest1.row_end = TIMESTAMP'2038-01-19 03:14:07.999999'"]
        );
        assert_eq!(parts.beside.iter().map(String::as_str).collect::<Vec<_>>(), ["using index"]);
        let nothing = r#"{"query_block": {"table": {"message": "Impossible WHERE"}}}"#;
        assert_eq!(of(nothing).unwrap().access, "Impossible WHERE");
        let row = of("1\tSIMPLE\tt1\trange\tPRIMARY\tPRIMARY\t4\tNULL\t7\tUsing where; Using index").unwrap();
        assert_eq!((&*row.key_length, &*row.rows), ("4", "7"));
        assert_eq!(row.beside.iter().map(String::as_str).collect::<Vec<_>>(), ["using index"]);
        assert_eq!(of("not explained by this server: 1064"), None);
    }
}
