//! A scale and the command line's `--set` replace values in place. Both are lists of entries whose path says which value;
//! `phases.*.KEY` means every phase that has the key, and `phases.NAME.KEY` the phase of that name.

use super::document::{Entry, Raw};
use super::grammar::ENDS;
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

/// The document with the overrides in force.
pub(super) fn apply(base: &[Entry], overrides: &[Entry], problems: &mut Vec<Problem>) -> Vec<Entry> {
    let mut entries = base.to_vec();
    if overrides.iter().any(|o| o.path.starts_with("phases[")) {
        entries.retain(|e| !e.path.starts_with("phases["));
    }
    for entry in overrides {
        match entry.path.strip_prefix("phases.").and_then(|rest| rest.split_once('.')) {
            Some((which, key)) => override_phases(&mut entries, entry, which, key, problems),
            None => put(&mut entries, entry.clone()),
        }
    }
    entries
}

fn override_phases(entries: &mut Vec<Entry>, entry: &Entry, which: &str, key: &str, problems: &mut Vec<Problem>) {
    let names = phase_names(entries);
    let suffix = format!("].{key}");
    let chosen: Vec<String> = match which {
        "*" => entries
            .iter()
            .filter(|e| e.path.starts_with("phases[") && e.path.ends_with(&suffix))
            .map(|e| e.path.clone())
            .collect(),
        name => names.iter().filter(|(_, n)| n == name).map(|(prefix, _)| format!("{prefix}.{key}")).collect(),
    };
    if chosen.is_empty() {
        let (what, mend) = match (which, nearest(which, names.iter().map(|(_, n)| n.as_str()))) {
            ("*", _) => (format!("no phase has `{key}`"), "name a phase: phases.NAME.KEY".to_string()),
            (_, Some(near)) => (format!("there is no phase `{which}`"), format!("did you mean phases.{near}.{key}?")),
            (_, None) => {
                (format!("there is no phase `{which}`"), "phases.* means every phase that has the key".to_string())
            }
        };
        problems.push(Problem { line: entry.line, path: entry.shown.clone(), what, mend });
    }
    for path in chosen {
        put(entries, Entry { path, ..entry.clone() });
    }
}

/// Prefix (`phases[2]`) and name of each phase that has a name.
fn phase_names(entries: &[Entry]) -> Vec<(String, String)> {
    let named = entries.iter().filter(|e| e.path.starts_with("phases[") && e.path.ends_with("].name"));
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
    match entries.iter_mut().find(|e| e.path == entry.path) {
        Some(old) => *old = entry,
        None => entries.push(entry),
    }
}
