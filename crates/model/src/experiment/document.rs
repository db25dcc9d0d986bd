//! TOML text as a flat list of key paths with their lines. Flat because every later step wants to ask about one path at
//! a time: a scale replaces the value at a path, a problem names a path, an axis stands for a path. Tables of an
//! array are numbered from one (`phases[2].measure`). A scale and the command line's `--set` are lists of entries, too.
//! What the values mean is not known here.

use crate::problem::Problem;
use crate::value::Value;
use toml::de::{DeArray, DeTable, DeValue};

/// One key of the file, or of the command line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// Where it acts: dotted, however it was written.
    pub path: String,
    /// Where it was written: within a scale the scale comes first.
    pub shown: String,
    /// `None` on the command line.
    pub line: Option<usize>,
    pub raw: Raw,
}

/// A value before anybody knows what it should be.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Raw {
    Value(Value),
    List(Vec<(Option<usize>, Raw)>),
    /// A table with nothing in it, as `[workload.linkbench]`.
    Nothing,
    /// Something that no key accepts, in words.
    Other(&'static str),
}

/// What the file holds, in the order in which it was written.
#[derive(Debug)]
pub(super) struct Document {
    pub entries: Vec<Entry>,
    pub problems: Vec<Problem>,
    /// False when brackets do not close: what follows then lies in the wrong place, and judging it would only confuse.
    pub legible: bool,
}

/// Mistakes of syntax by what the TOML reader says of them, with the mend, and whether the rest of the file can still
/// be read as it was meant.
const SYNTAX: &[(&str, &str, bool)] = &[
    ("must be quoted", "put it between double quotes, as in \"40s\" or \"10 GiB\"", true),
    ("duplicate key", "keep one of the two", true),
    ("leading zero", "write the number without zeros in front", true),
    ("string, expected", "close the text with the quote that opened it, on the same line", true),
    ("no value", "write KEY = VALUE", true),
    ("unclosed", "close the bracket that was opened here", false),
    ("missing comma", "write a comma between the values, or close the bracket before", false),
];

impl Document {
    pub fn read(text: &str) -> Self {
        let (table, mut errors) = DeTable::parse_recoverable(text);
        let lines = Lines(text);
        let mut document = Self { entries: Vec::new(), problems: Vec::new(), legible: true };
        errors.sort_by_key(|e| e.span().map_or(0, |s| s.start));
        for error in errors {
            let known = SYNTAX.iter().find(|(part, _, _)| error.message().contains(part));
            let (mend, local) = known
                .map_or(("see https://toml.io for how values are written", false), |(_, mend, local)| (*mend, *local));
            let at = error.span().map_or(0, |s| s.start);
            let line = Some(lines.of(at));
            document.problems.push(Problem {
                line,
                path: lines.quoted(at),
                what: error.message().to_string(),
                mend: mend.into(),
            });
            if !local {
                document.legible = false;
                break;
            }
        }
        flatten("", table.get_ref(), &lines, &mut document.entries);
        document
    }
}

/// A value as it stands on a command line: TOML where it is TOML, else the text itself.
fn command_line_value(text: &str) -> Raw {
    let line = format!("value = {text}");
    match DeTable::parse(&line) {
        Ok(table) if table.get_ref().len() == 1 && !text.contains('\n') => {
            let mut raw = table.get_ref().values().next().map_or(Raw::Nothing, |v| raw(v.get_ref(), &Lines(&line)));
            if let Raw::List(items) = &mut raw {
                items.iter_mut().for_each(|(line, _)| *line = None);
            }
            raw
        }
        Ok(_) | Err(_) => Raw::Value(Value::Text(text.to_string())),
    }
}

fn flatten(prefix: &str, table: &DeTable<'_>, lines: &Lines<'_>, into: &mut Vec<Entry>) {
    let mut keys: Vec<_> = table.iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in keys {
        let path = if prefix.is_empty() { key.get_ref().to_string() } else { format!("{prefix}.{}", key.get_ref()) };
        match value.get_ref() {
            DeValue::Table(table) if !table.is_empty() => flatten(&path, table, lines, into),
            DeValue::Array(items) if is_list_of_tables(items) => {
                for (i, item) in items.iter().enumerate() {
                    let path = format!("{path}[{}]", i + 1);
                    match item.get_ref().as_table() {
                        Some(table) if !table.is_empty() => flatten(&path, table, lines, into),
                        Some(_) | None => into.push(Entry {
                            shown: path.clone(),
                            path,
                            line: Some(lines.of(item.span().start)),
                            raw: Raw::Nothing,
                        }),
                    }
                }
            }
            other => into.push(Entry {
                shown: path.clone(),
                path,
                line: Some(lines.of(key.span().start)),
                raw: raw(other, lines),
            }),
        }
    }
}

fn is_list_of_tables(items: &DeArray<'_>) -> bool {
    !items.is_empty() && items.iter().all(|i| i.get_ref().is_table())
}

fn raw(value: &DeValue<'_>, lines: &Lines<'_>) -> Raw {
    match value {
        DeValue::Boolean(b) => Raw::Value(Value::Flag(*b)),
        DeValue::Integer(n) => match i64::from_str_radix(n.as_str(), n.radix()) {
            Ok(n) => Raw::Value(Value::Count(n)),
            Err(_) => Raw::Other("a number of more than 64 bits"),
        },
        DeValue::Float(x) => match x.as_str().parse::<f64>() {
            Ok(x) if x.is_finite() => Raw::Value(Value::Real(x)),
            Ok(_) | Err(_) => Raw::Other("not a finite number"),
        },
        DeValue::String(s) => Raw::Value(Value::Text(s.to_string())),
        DeValue::Datetime(_) => Raw::Other("a date"),
        DeValue::Table(t) if t.is_empty() => Raw::Nothing,
        DeValue::Table(_) => Raw::Other("a table"),
        DeValue::Array(items) => {
            Raw::List(items.iter().map(|i| (Some(lines.of(i.span().start)), raw(i.get_ref(), lines))).collect())
        }
    }
}

struct Lines<'a>(&'a str);

impl Lines<'_> {
    /// The 1-based line of a byte.
    fn of(&self, at: usize) -> usize {
        let at = at.min(self.0.len());
        1 + self.0.as_bytes()[..at].iter().filter(|b| **b == b'\n').count()
    }
    /// The line itself, to stand where a key would when there is none to name.
    fn quoted(&self, at: usize) -> String {
        let line = self.0.lines().nth(self.of(at) - 1).unwrap_or_default().trim();
        format!("`{}`", line.chars().filter(|c| !c.is_control()).take(60).collect::<String>())
    }
}

/// Takes the scales out of a document: their names in order, each with its entries.
pub(super) fn take_scales(entries: &mut Vec<Entry>) -> Vec<(String, Vec<Entry>)> {
    let mut scales: Vec<(String, Vec<Entry>)> = Vec::new();
    entries.retain(|entry| {
        let Some(rest) = entry.path.strip_prefix("scale.") else { return true };
        let (name, path) = rest.split_once('.').unwrap_or((rest, ""));
        let at = scales.iter().position(|(n, _)| n == name).unwrap_or_else(|| {
            scales.push((name.to_string(), Vec::new()));
            scales.len() - 1
        });
        if !path.is_empty() {
            scales[at].1.push(Entry { path: path.to_string(), ..entry.clone() });
        } else if entry.raw != Raw::Nothing {
            scales[at].1.push(Entry { path: entry.path.clone(), ..entry.clone() });
        }
        false
    });
    scales
}

/// The command line's own words, which come last.
pub(super) fn command_line(sets: &[(String, String)]) -> Vec<Entry> {
    sets.iter()
        .map(|(key, value)| Entry {
            path: key.clone(),
            shown: format!("--set {key}"),
            line: None,
            raw: command_line_value(value),
        })
        .collect()
}
