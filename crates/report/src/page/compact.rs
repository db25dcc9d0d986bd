//! Makes the page's data small enough to inline, without a compressor in either language: numbers keep six digits,
//! and a text that occurs more than once is written once, in a table, and referred to as `~` and its number. The page
//! undoes the second in a dozen lines (`page/src/data.ts`).

use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Shorter texts are not worth a reference.
const SHORTEST: usize = 5;
const DIGITS: usize = 6;

/// `{texts: [...], data}`.
pub fn compact(value: &Value) -> Value {
    let mut seen = HashMap::new();
    count(value, &mut seen);
    let mut table = Table { seen, numbers: HashMap::new(), texts: Vec::new() };
    let data = table.shorten(value);
    json!({ "texts": table.texts, "data": data })
}

fn count<'a>(value: &'a Value, seen: &mut HashMap<&'a str, u32>) {
    match value {
        Value::String(s) => *seen.entry(s).or_default() += 1,
        Value::Array(items) => items.iter().for_each(|v| count(v, seen)),
        Value::Object(map) => map.values().for_each(|v| count(v, seen)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

struct Table<'a> {
    seen: HashMap<&'a str, u32>,
    numbers: HashMap<&'a str, usize>,
    texts: Vec<&'a str>,
}

impl<'a> Table<'a> {
    fn shorten(&mut self, value: &'a Value) -> Value {
        match value {
            Value::String(s) => Value::String(self.text(s)),
            Value::Number(n) if n.is_f64() => n.as_f64().map_or(Value::Null, rounded),
            Value::Array(items) => items.iter().map(|v| self.shorten(v)).collect(),
            Value::Object(map) => {
                Value::Object(map.iter().map(|(k, v)| (k.clone(), self.shorten(v))).collect::<Map<_, _>>())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn text(&mut self, text: &'a str) -> String {
        if text.len() >= SHORTEST && self.seen[text] > 1 {
            let next = self.texts.len();
            let number = *self.numbers.entry(text).or_insert(next);
            if number == next {
                self.texts.push(text);
            }
            return format!("~{number}");
        }
        if text.starts_with('~') { format!("~{text}") } else { text.to_string() }
    }
}

/// A whole number when it is one, so that 12.0 costs two characters.
fn rounded(x: f64) -> Value {
    let near: f64 = format!("{x:.*e}", DIGITS - 1).parse().expect("a float printed by us");
    if near.fract() == 0.0 && near.abs() < 1e15 { json!(near as i64) } else { json!(near) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_text_is_written_once_and_a_tilde_survives() {
        let small = compact(&json!({ "a": "a long sentence", "b": ["a long sentence", "~0", 1.23456789, 40.0] }));
        assert_eq!(
            small,
            json!({ "texts": ["a long sentence"], "data": { "a": "~0", "b": ["~0", "~~0", 1.23457, 40] } })
        );
    }
}
