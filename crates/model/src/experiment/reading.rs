//! Every entry read against the grammar, one by one. Problems are collected with their line; what only the whole file
//! can answer (what is missing, what contradicts) is asked in `whole`.

use super::Axis;
use super::document::{Entry, Raw};
use super::grammar::{self, Slot};
use super::script;
use super::shape::{Shape, suggestion};
use crate::problem::Problem;
use crate::value::Value;
use crate::words::{DisturbanceWords, Kind, Words, WorkloadWords};
use std::collections::BTreeMap;

/// Entries with their meaning.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub words: &'a Words,
    pub entries: &'a [Entry],
    /// Fixed keys, settings and native variables, by path.
    pub values: BTreeMap<String, Value>,
    pub axes: Vec<Axis>,
    /// Parameters by workload or family; a section without parameters is there, too.
    pub workloads: BTreeMap<String, BTreeMap<String, Value>>,
    pub problems: Vec<Problem>,
}

impl<'a> Reading<'a> {
    /// `complete` is false when mistakes of syntax hide parts of the file: then nothing is missed.
    pub fn of(entries: &'a [Entry], words: &'a Words, complete: bool) -> Self {
        let mut reading = Self {
            words,
            entries,
            values: BTreeMap::new(),
            axes: Vec::new(),
            workloads: BTreeMap::new(),
            problems: Vec::new(),
        };
        entries.iter().for_each(|entry| reading.entry(entry));
        if complete {
            reading.whole();
        }
        reading
    }

    pub fn problem(&mut self, path: &str, what: impl Into<String>, mend: impl Into<String>) {
        let shown = self.entries.iter().find(|e| e.path == path).map_or(path, |e| &e.shown);
        self.problems.push(Problem { line: self.line(path), path: shown.into(), what: what.into(), mend: mend.into() });
    }

    /// Where a key is said, or else where its section begins; what is nowhere is missing from the first line on.
    fn line(&self, path: &str) -> Option<usize> {
        let below =
            |e: &&Entry| e.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        match (self.entries.iter().find(below), path.rsplit_once('.')) {
            (Some(entry), _) => entry.line,
            (None, Some((section, _))) => self.line(section),
            (None, None) => Some(1),
        }
    }

    fn wrong(&mut self, entry: &Entry, line: Option<usize>, what: impl Into<String>, mend: impl Into<String>) {
        self.problems.push(Problem { line, path: entry.shown.clone(), what: what.into(), mend: mend.into() });
    }

    fn entry(&mut self, entry: &Entry) {
        let slot = match grammar::slot(&entry.path, self.words) {
            Ok(slot) => slot,
            // An unknown section is told once, not for every key in it.
            Err(wrong) if self.problems.iter().any(|p| p.what == wrong.what) => return,
            Err(wrong) => return self.wrong(entry, entry.line, wrong.what, wrong.mend),
        };
        match slot {
            Slot::Section if entry.raw == Raw::Nothing => {
                if let Some(name) = entry.path.strip_prefix("workload.") {
                    self.workloads.entry(name.into()).or_default();
                }
            }
            Slot::Section => self.wrong(
                entry,
                entry.line,
                "a table is wanted here",
                format!("write [{}] on a line of its own", entry.path),
            ),
            Slot::Script => {
                let read = Shape::Of(Kind::Text).read(&entry.raw, self.words);
                match (read, script::workload(self.words)) {
                    (Ok(_), Some(workload)) => drop(self.workloads.entry(workload.name.to_string()).or_default()),
                    (Ok(_), None) => self.wrong(entry, entry.line, "a script, and nobody here reads it", ""),
                    (Err(_), _) => {
                        self.wrong(entry, entry.line, "the path of a script is wanted", "write lua = \"my.lua\"");
                    }
                }
            }
            Slot::Fixed(shape) => {
                if let Some(value) = self.value(entry, entry.line, &[shape], &entry.raw) {
                    self.values.insert(entry.path.clone(), value);
                }
            }
            Slot::Parameter { owner, name, shapes } => {
                let value = self.value(entry, entry.line, &shapes, &entry.raw);
                let section = self.workloads.entry(owner).or_default();
                if let Some(value) = value {
                    section.insert(name, value);
                }
            }
            Slot::Own { entry: owner, name } => self.own(entry, &owner, &name),
            Slot::Disturbing { entry: phase, name } => self.disturbing(entry, &phase, &name),
            Slot::Axis { key, shapes } => self.axis(entry, key, &shapes),
        }
    }

    /// A parameter that stands beside the name of its workload. Where that is no name, this says nothing: it was told
    /// there.
    fn own(&mut self, entry: &Entry, owner: &str, name: &str) {
        let Some(workload) = self.workload_of(owner) else { return };
        let Some(parameter) = grammar::parameter_of(workload, name) else {
            let mend = suggestion(name, workload.parameters.iter().map(|p| &*p.name));
            return self.wrong(entry, entry.line, format!("`{}` has no `{name}`", workload.name), mend);
        };
        if let Some(value) = self.value(entry, entry.line, &[Shape::Of(parameter.kind)], &entry.raw) {
            self.values.insert(entry.path.clone(), value);
        }
    }

    /// A parameter that stands beside the name of its disturbance.
    fn disturbing(&mut self, entry: &Entry, phase: &str, name: &str) {
        let path = format!("{phase}.disturb.name");
        let Some(named) = self.entries.iter().find(|e| e.path == path) else {
            let mend = "write disturb = { name = \"...\", KEY = VALUE }";
            return self.wrong(entry, entry.line, "a disturbance without a name", mend);
        };
        let is_named = |d: &&DisturbanceWords| named.raw == Raw::Value(Value::Text(d.name.into()));
        let Some(words) = self.words.disturbances.iter().find(is_named) else { return };
        let Some(parameter) = words.parameters.iter().find(|p| p.name == name) else {
            let mend = suggestion(name, words.parameters.iter().map(|p| p.name));
            return self.wrong(entry, entry.line, format!("`{}` has no `{name}`", words.name), mend);
        };
        if let Some(value) = self.value(entry, entry.line, &[Shape::Of(parameter.kind)], &entry.raw) {
            self.values.insert(entry.path.clone(), value);
        }
    }

    /// The workload that an entry of a list names.
    pub fn workload_of(&self, entry: &str) -> Option<&'a WorkloadWords> {
        let path = format!("{entry}.workload");
        match &self.entries.iter().find(|e| e.path == path)?.raw {
            Raw::Value(name) => self.words.workloads.iter().find(|w| Some(&*w.name) == name.text()),
            Raw::List(_) | Raw::Nothing | Raw::Other(_) => None,
        }
    }

    fn value(&mut self, entry: &Entry, line: Option<usize>, shapes: &[Shape], raw: &Raw) -> Option<Value> {
        let read: Vec<_> = shapes.iter().map(|shape| shape.read(raw, self.words)).collect();
        let first = read.first().cloned();
        match read.into_iter().find_map(Result::err) {
            Some(wrong) => {
                self.wrong(entry, line, wrong.what, wrong.mend);
                None
            }
            None => first.and_then(Result::ok),
        }
    }

    fn axis(&mut self, entry: &Entry, key: String, shapes: &[Shape]) {
        let items = match &entry.raw {
            Raw::List(items) if !items.is_empty() => items,
            Raw::List(_) => {
                let mend = "write its values in [ ], or leave the axis out";
                return self.wrong(entry, entry.line, "an axis without values", mend);
            }
            Raw::Value(value) => {
                let what = format!("an axis is a list, not `{value}`");
                return self.wrong(entry, entry.line, what, format!("write [{}]", quoted(value)));
            }
            Raw::Nothing | Raw::Other(_) => {
                return self.wrong(entry, entry.line, "an axis is a list of values", "write its values in [ ]");
            }
        };
        let mut values = Vec::new();
        for (line, raw) in items {
            let line = if entry.line.is_none() { None } else { *line };
            let Some(value) = self.value(entry, line, shapes, raw) else { continue };
            if values.contains(&value) {
                self.wrong(
                    entry,
                    line,
                    format!("`{value}` occurs twice"),
                    "an axis names each value once; more runs of a cell come from [repeat] repetitions",
                );
            } else {
                values.push(value);
            }
        }
        self.axes.push(Axis { key, values });
    }

    pub fn axis_named(&self, key: &str) -> Option<&Axis> {
        self.axes.iter().find(|a| a.key == key)
    }

    pub fn running(&self) -> Vec<&'a WorkloadWords> {
        let entries = self.naming_workloads();
        if self.list("groups").is_empty() && !self.is_staged() {
            return super::running(&self.axes, &self.workloads, self.words);
        }
        super::each_once(entries.iter().filter_map(|entry| self.workload_of(entry)))
    }

    /// Whether the key was written, rightly or not: what was written wrongly is not also missing.
    pub fn said(&self, path: &str) -> bool {
        self.entries.iter().any(|e| e.path == path)
    }

    /// Prefixes of a list's entries in order: `phases[1]`, `phases[2]` …
    pub fn list(&self, list: &str) -> Vec<String> {
        let number = |e: &Entry| e.path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?.0.parse().ok();
        let mut numbers: Vec<usize> = self.entries.iter().filter_map(number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|n| format!("{list}[{n}]")).collect()
    }

    /// The name that an entry of a list gives itself.
    pub fn name_of(&self, entry: &str) -> Option<String> {
        self.values.get(&format!("{entry}.name")).map(Value::to_string)
    }
}

fn quoted(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{text}\""),
        Value::Flag(flag) => flag.to_string(),
        Value::Count(_) | Value::Real(_) => value.to_string(),
    }
}
