//! The first place where two JSON values differ, named as a reader would: `cells[3].parameters.range_size: 10 there,
//! 100 here`. One is enough: whoever resumes with a changed experiment needs to know that it is another one.

use serde_json::Value;

pub(super) fn first(there: &Value, here: &Value) -> Option<String> {
    at("", Some(there), Some(here))
}

fn at(path: &str, there: Option<&Value>, here: Option<&Value>) -> Option<String> {
    match (there, here) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let dot = if path.is_empty() { "" } else { "." };
            let keys = a.keys().chain(b.keys().filter(|k| !a.contains_key(*k)));
            keys.into_iter().find_map(|k| at(&format!("{path}{dot}{k}"), a.get(k), b.get(k)))
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => {
            (0..a.len().max(b.len())).find_map(|i| at(&format!("{path}[{i}]"), a.get(i), b.get(i)))
        }
        _ if there == here => None,
        _ => Some(format!("{path}: {} there, {} here", shown(there), shown(here))),
    }
}

/// A value short enough for a sentence.
fn shown(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_string(),
        Some(Value::Object(_) | Value::Array(_)) => "something".to_string(),
        Some(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::first;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        let there = json!({"name": "a", "cells": [{"p": {"rows": 10}}, {"p": {}}]});
        let here = json!({"name": "a", "cells": [{"p": {"rows": 100}}, {"p": {}}]});
        assert_eq!(first(&there, &here).as_deref(), Some("cells[0].p.rows: 10 there, 100 here"));
        assert_eq!(first(&there, &there), None);
        assert_eq!(
            first(&json!({"a": 1}), &json!({"a": 1, "b": [1]})).as_deref(),
            Some("b: nothing there, something here")
        );
    }
}
