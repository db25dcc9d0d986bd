//! The page's types are those of what Rust hands it: `page/src/types.ts` is written from the JSON schema of `PageData`,
//! which serde's own attributes shape (`schemars`, behind the feature `types`). The test holds the committed file to
//! what Rust gives today. Not here: what only the page knows, which is `page/src/data.ts`.

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const FILE: &str = "page/src/types.ts";
const RENEWED_BY: &str = "RENEW_TYPES=1 cargo test -p report --test types";
/// Columns of a comment in the written file.
const WIDTH: usize = 116;

#[test]
fn the_page_s_types_are_those_that_rust_gives() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let given = written(&report::page_schema());
    if std::env::var_os("RENEW_TYPES").is_some() {
        fs::write(&path, &given).expect("the page's sources are writable");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let differs = given.lines().zip(committed.lines()).find(|(given, committed)| given != committed);
    assert!(
        given == committed,
        "{FILE} is not what Rust's structs give, so the page would read fields that are not there: run `{RENEWED_BY}`, then \
         `npx tsc --noEmit` in crates/report/page. First line that differs (given, committed): {differs:?}"
    );
}

/// All types by name, so that the order in which Rust comes upon them does not matter.
fn written(schema: &Value) -> String {
    let mut text = format!(
        "// Generated from Rust's structs, what serde makes of them and their doc comments. Never edited by hand:\n\
         //   {RENEWED_BY}\n"
    );
    let mut types: Vec<(&str, &Value)> = schema["$defs"]
        .as_object()
        .expect("definitions")
        .iter()
        .map(|(name, schema)| (name.as_str(), schema))
        .collect();
    types.push(("PageData", schema));
    types.sort_by_key(|(name, _)| *name);
    for (name, schema) in types {
        text += "\n";
        text += &comment(schema, "");
        text += &match schema.get("properties") {
            Some(_) => format!("export interface {name} {}\n", typed(schema, "")),
            None => alias(name, &typed(schema, "")),
        };
    }
    text
}

fn alias(name: &str, kind: &str) -> String {
    let line = format!("export type {name} = {kind};\n");
    if line.len() <= WIDTH { line } else { format!("export type {name} =\n  | {};\n", kind.replace(" | ", "\n  | ")) }
}

/// The type of a schema, as TypeScript.
fn typed(schema: &Value, indent: &str) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return reference.rsplit('/').next().expect("a name").to_string();
    }
    if let Some(only) = schema.get("const") {
        return literal(only);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return union(values.iter().map(literal));
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(of) = schema.get(key).and_then(Value::as_array) {
            assert!(schema.get("properties").is_none(), "fields beside alternatives are not written yet: {schema}");
            return union(of.iter().map(|s| typed(s, indent)));
        }
    }
    match schema.get("type") {
        Some(Value::String(word)) => of_type(word, schema, indent),
        Some(Value::Array(words)) => union(words.iter().filter_map(Value::as_str).map(|w| of_type(w, schema, indent))),
        _ => panic!("a schema of a kind that is not written yet: {schema}"),
    }
}

fn of_type(word: &str, schema: &Value, indent: &str) -> String {
    match word {
        "integer" | "number" => "number".into(),
        "string" | "boolean" | "null" => word.into(),
        "array" => list(schema, indent),
        // A map whose keys are numbers has a pattern for them.
        "object" => match (schema.get("properties"), schema.get("additionalProperties")) {
            (Some(Value::Object(fields)), None | Some(Value::Bool(false))) => object(fields, schema, indent),
            (None, Some(Value::Bool(false))) => {
                let patterns = schema["patternProperties"].as_object().expect("a map has values");
                format!("Record<string, {}>", union(patterns.values().map(|values| typed(values, indent))))
            }
            (None, Some(values)) => format!("Record<string, {}>", typed(values, indent)),
            (_, _) => panic!("an object of a kind that is not written yet: {schema}"),
        },
        other => panic!("no type of TypeScript stands for {other}"),
    }
}

/// A tuple, a list of a fixed length, or a list.
fn list(schema: &Value, indent: &str) -> String {
    let items = schema.get("items");
    if let Some(each) = schema.get("prefixItems").and_then(Value::as_array) {
        return format!("[{}]", each.iter().map(|s| typed(s, indent)).collect::<Vec<_>>().join(", "));
    }
    let item = typed(items.expect("a list has items"), indent);
    match (schema.get("minItems").and_then(Value::as_u64), schema.get("maxItems").and_then(Value::as_u64)) {
        (Some(least), Some(most)) if least == most => format!("[{}]", vec![item; least as usize].join(", ")),
        (_, _) if item.contains(" | ") && !item.starts_with('[') => format!("({item})[]"),
        (_, _) => format!("{item}[]"),
    }
}

fn object(fields: &Map<String, Value>, schema: &Value, indent: &str) -> String {
    let required: BTreeSet<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let deeper = format!("{indent}  ");
    let mut text = "{\n".to_string();
    for (name, field) in fields {
        let is_required = required.contains(name.as_str());
        let whole = typed(field, &deeper);
        // What may be absent is left out when it is `None` (`skip_serializing_if`), and so is never null.
        let kind = if is_required { &whole } else { whole.strip_suffix(" | null").unwrap_or(&whole) };
        text += &comment(field, &deeper);
        text += &format!("{deeper}{name}{}: {kind};\n", if is_required { "" } else { "?" });
    }
    text + indent + "}"
}

/// Each alternative once, in its order; null last.
fn union(alternatives: impl Iterator<Item = String>) -> String {
    let mut each: Vec<String> = Vec::new();
    for alternative in alternatives {
        if !each.contains(&alternative) {
            each.push(alternative);
        }
    }
    each.sort_by_key(|alternative| alternative == "null");
    each.join(" | ")
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("'{text}'"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// The doc comment, in lines that fit.
fn comment(schema: &Value, indent: &str) -> String {
    let Some(text) = schema.get("description").and_then(Value::as_str) else { return String::new() };
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("one at least");
        if !last.is_empty() && indent.len() + last.chars().count() + word.chars().count() > WIDTH - 8 {
            lines.push(word.to_string());
        } else {
            *last += if last.is_empty() { "" } else { " " };
            *last += word;
        }
    }
    match lines.as_slice() {
        [only] => format!("{indent}/** {only} */\n"),
        several => format!("{indent}/**\n{indent} * {}\n{indent} */\n", several.join(&format!("\n{indent} * "))),
    }
}

#[test]
fn the_page_takes_the_same_checks_for_those_of_the_client() {
    let page = include_str!("../page/src/bound.ts");
    let [one, other] = model::verdict::OF_CLIENT;
    assert!(page.contains(&format!("const OF_CLIENT = ['{one}', '{other}'];")), "bound.ts names others");
}
