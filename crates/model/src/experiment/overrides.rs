//! A scale and the command line's `--set` replace values in place. Both are lists of entries whose path says which
//! value; `phases.*.KEY` means every phase that has the key, and `phases.NAME.KEY` the phase of that name; groups
//! likewise.

use super::document::{Entry, Raw, command_line_value};
use super::keys::ENDS;
use crate::problem::{Problem, nearest};

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

/// The lists of the grammar, and what each of their entries is called.
const LISTS: &[(&str, &str)] = &[("phases", "phase"), ("groups", "group")];

/// Three ways to say which server it is: who overrides one of them has answered, whatever the file says.
const WHICH_SERVER: &[&str] = &["server.build", "server.on", "axes.build"];

/// The document with the overrides in force.
pub(super) fn apply(base: &[Entry], overrides: &[Entry], problems: &mut Vec<Problem>) -> Vec<Entry> {
    let mut entries = base.to_vec();
    for (list, _) in LISTS {
        let whole = format!("{list}[");
        if overrides.iter().any(|o| o.path.starts_with(&whole)) {
            entries.retain(|e| !e.path.starts_with(&whole));
        }
    }
    if overrides.iter().any(|o| WHICH_SERVER.contains(&o.path.as_str())) {
        entries.retain(|e| !WHICH_SERVER.contains(&e.path.as_str()));
    }
    for entry in overrides {
        match LISTS.iter().find_map(|list| Some((list, entry.path.strip_prefix(list.0)?.strip_prefix('.')?))) {
            Some(((list, noun), rest)) if rest.contains('.') => {
                let (which, key) = rest.split_once('.').expect("it has a dot");
                override_list(&mut entries, entry, (list, noun), which, key, problems);
            }
            Some(_) | None => put(&mut entries, entry.clone()),
        }
    }
    entries
}

fn override_list(
    entries: &mut Vec<Entry>,
    entry: &Entry,
    (list, noun): (&str, &str),
    which: &str,
    key: &str,
    problems: &mut Vec<Problem>,
) {
    let names = names(entries, list);
    let (prefix, suffix) = (format!("{list}["), format!("].{key}"));
    let chosen: Vec<String> = match which {
        "*" => entries
            .iter()
            .filter(|e| e.path.starts_with(&prefix) && e.path.ends_with(&suffix))
            .map(|e| e.path.clone())
            .collect(),
        name => names.iter().filter(|(_, n)| n == name).map(|(prefix, _)| format!("{prefix}.{key}")).collect(),
    };
    if chosen.is_empty() {
        let (what, mend) = match (which, nearest(which, names.iter().map(|(_, n)| n.as_str()))) {
            ("*", _) => (format!("no {noun} has `{key}`"), format!("name a {noun}: {list}.NAME.KEY")),
            (_, Some(near)) => (format!("there is no {noun} `{which}`"), format!("did you mean {list}.{near}.{key}?")),
            (_, None) => {
                (format!("there is no {noun} `{which}`"), format!("{list}.* means every {noun} that has the key"))
            }
        };
        problems.push(Problem { line: entry.line, path: entry.shown.clone(), what, mend });
    }
    for path in chosen {
        put(entries, Entry { path, ..entry.clone() });
    }
}

/// Prefix (`phases[2]`) and name of each entry of a list that has a name.
fn names(entries: &[Entry], list: &str) -> Vec<(String, String)> {
    let prefix = format!("{list}[");
    let named = entries.iter().filter(|e| e.path.starts_with(&prefix) && e.path.ends_with("].name"));
    named
        .filter_map(|e| match &e.raw {
            Raw::Value(value) => Some((e.path.trim_end_matches(".name").to_string(), value.to_string())),
            Raw::List(_) | Raw::Nothing | Raw::Other(_) => None,
        })
        .collect()
}

/// Replaces the value at the path, or adds it. The ends of a phase are alternatives: setting one takes the others away.
fn put(entries: &mut Vec<Entry>, entry: Entry) {
    if let Some((phase, key)) =
        entry.path.rsplit_once('.').filter(|(p, k)| p.starts_with("phases[") && ENDS.contains(k))
    {
        let others: Vec<String> = ENDS.iter().filter(|e| **e != key).map(|e| format!("{phase}.{e}")).collect();
        entries.retain(|e| !others.contains(&e.path));
    }
    if entry.path.starts_with("phases[") && entry.path.ends_with("].disturb") {
        // The bare word takes the place of a table.
        let below = format!("{}.", entry.path);
        entries.retain(|e| !e.path.starts_with(&below));
    }
    match entries.iter_mut().find(|e| e.path == entry.path) {
        Some(old) => *old = entry,
        None => entries.push(entry),
    }
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
