//! Entries put in force over those of a document: each replaces the value at its path. `phases.*.KEY` means every phase
//! that has the key, and `phases.NAME.KEY` the phase of that name; groups likewise. Of keys that are alternatives, the
//! one that is set takes the others away.

use super::document::{Entry, Raw};
use super::keys;
use crate::problem::{Problem, nearest};

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
    if let Some((group, key)) = key.strip_prefix("groups.").and_then(|rest| rest.split_once('.')) {
        // A key of a phase's group, whose name is asked in each phase that is meant.
        let meant =
            names.iter().filter(|(_, name)| which == "*" || name == which).map(|(at, _)| format!("{at}.groups"));
        let meant: Vec<String> = meant.filter(|list| which != "*" || has_name(entries, list, group)).collect();
        for list in &meant {
            override_list(entries, entry, (list, "group"), group, key, problems);
        }
        if !meant.is_empty() {
            return;
        }
    }
    let (prefix, suffix) = (format!("{list}["), format!("].{key}"));
    let chosen: Vec<String> = match which {
        "*" => entries
            .iter()
            .filter(|e| e.path.starts_with(&prefix) && e.path.ends_with(&suffix) && is_of(list, &e.path))
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
    let named =
        entries.iter().filter(|e| e.path.starts_with(&prefix) && e.path.ends_with("].name") && is_of(list, &e.path));
    named
        .filter_map(|e| match &e.raw {
            Raw::Value(value) => Some((e.path.trim_end_matches(".name").to_string(), value.to_string())),
            Raw::List(_) | Raw::Nothing | Raw::Other(_) => None,
        })
        .collect()
}

/// Whether a path is of an entry of this list itself, and not of a list inside it.
fn is_of(list: &str, path: &str) -> bool {
    path.matches('[').count() == list.matches('[').count() + 1
}

fn has_name(entries: &[Entry], list: &str, name: &str) -> bool {
    names(entries, list).iter().any(|(_, named)| name == "*" || named == name)
}

/// Replaces the value at the path, or adds it. The ends of a phase are alternatives: setting one takes the others away.
fn put(entries: &mut Vec<Entry>, entry: Entry) {
    if let Some((phase, key)) =
        entry.path.rsplit_once('.').filter(|(p, k)| p.starts_with("phases[") && keys::ends().any(|end| end == *k))
    {
        let others: Vec<String> = keys::ends().filter(|e| *e != key).map(|e| format!("{phase}.{e}")).collect();
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
