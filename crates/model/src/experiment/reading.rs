//! Every entry read against the grammar, then the questions that no entry answers alone: what is missing, what contradicts,
//! what is said twice. Problems are collected; whoever asks for a value afterwards may trust it.

use super::document::{Entry, Raw};
use super::grammar::{self, ENDS, Slot, parameter_of};
use super::shape::{Shape, suggestion};
use crate::plan::Axis;
use crate::problem::Problem;
use crate::value::Value;
use crate::words::{Words, WorkloadWords};
use std::collections::{BTreeMap, BTreeSet};

/// Entries with their meaning.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    words: &'a Words,
    entries: &'a [Entry],
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

    fn problem(&mut self, path: &str, what: impl Into<String>, mend: impl Into<String>) {
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

    fn wrong_entry(&mut self, entry: &Entry, line: Option<usize>, what: String, mend: String) {
        // An unknown section is told once, not for every key in it.
        if !self
            .problems
            .iter()
            .any(|p| p.what == what && p.line.is_some() && p.mend == mend && what.starts_with("there is no workload"))
        {
            self.problems.push(Problem { line, path: entry.shown.clone(), what, mend });
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let slot = match grammar::slot(&entry.path, self.words) {
            Ok(slot) => slot,
            Err(wrong) => return self.wrong_entry(entry, entry.line, wrong.what, wrong.mend),
        };
        match slot {
            Slot::Section if entry.raw == Raw::Nothing => {
                if let Some(name) = entry.path.strip_prefix("workload.") {
                    self.workloads.entry(name.into()).or_default();
                }
            }
            Slot::Section => self.wrong_entry(
                entry,
                entry.line,
                "a table is wanted here".into(),
                format!("write [{}] on a line of its own", entry.path),
            ),
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
            Slot::Axis { key, shapes } => self.axis(entry, key, &shapes),
        }
    }

    fn value(&mut self, entry: &Entry, line: Option<usize>, shapes: &[Shape], raw: &Raw) -> Option<Value> {
        let read: Vec<_> = shapes.iter().map(|shape| shape.read(raw, self.words)).collect();
        let first = read.first().cloned();
        match read.into_iter().find_map(Result::err) {
            Some(wrong) => {
                self.wrong_entry(entry, line, wrong.what, wrong.mend);
                None
            }
            None => first.and_then(Result::ok),
        }
    }

    fn axis(&mut self, entry: &Entry, key: String, shapes: &[Shape]) {
        let items = match &entry.raw {
            Raw::List(items) if !items.is_empty() => items,
            Raw::List(_) => {
                return self.wrong_entry(
                    entry,
                    entry.line,
                    "an axis without values".into(),
                    "write its values in [ ], or leave the axis out".into(),
                );
            }
            Raw::Value(value) => {
                return self.wrong_entry(
                    entry,
                    entry.line,
                    format!("an axis is a list, not `{value}`"),
                    format!("write [{}]", quoted(value)),
                );
            }
            Raw::Nothing | Raw::Other(_) => {
                return self.wrong_entry(
                    entry,
                    entry.line,
                    "an axis is a list of values".into(),
                    "write its values in [ ]".into(),
                );
            }
        };
        let mut values = Vec::new();
        for (line, raw) in items {
            let line = if entry.line.is_none() { None } else { *line };
            let Some(value) = self.value(entry, line, shapes, raw) else { continue };
            if values.contains(&value) {
                self.wrong_entry(
                    entry,
                    line,
                    format!("`{value}` occurs twice"),
                    "an axis names each value once; more runs of a cell come from [repeat] repetitions".into(),
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

    fn running(&self) -> Vec<&'a WorkloadWords> {
        super::running(&self.axes, &self.workloads, self.words)
    }

    fn whole(&mut self) {
        match self.values.get("question") {
            Some(text) if text.text().is_some_and(|t| !t.trim().is_empty()) => {}
            Some(_) => self.problem("question", "the question is empty", "say in one sentence what is to be found out"),
            // Told already, where it is misspelt.
            None if self.said("question") || self.problems.iter().any(|p| p.mend.contains("`question`")) => {}
            None => {
                self.problem("question", "the file asks no question", "begin with question = \"What does ... cost?\"")
            }
        }
        self.check_workloads();
        self.check_axes();
        self.check_load();
        self.check_phases();
    }

    /// Whether the key was written, rightly or not: what was written wrongly is not also missing.
    fn said(&self, path: &str) -> bool {
        self.entries.iter().any(|e| e.path == path)
    }

    fn check_workloads(&mut self) {
        let running = self.running();
        let trouble_told =
            self.said("axes.workload") || self.problems.iter().any(|p| p.what.starts_with("there is no workload"));
        match running.len() {
            0 if trouble_told => {}
            0 => {
                let names = self.words.workloads.iter().map(|w| w.name);
                let mend = format!(
                    "write a section as [workload.{}]; {}",
                    names.clone().next().unwrap_or("NAME"),
                    suggestion("", names)
                );
                self.problem("workload", "no workload is named", mend);
            }
            1 => {}
            _ if self.said("axes.workload") => {}
            _ => self.problem(
                "workload",
                format!("several could be meant: {}", names(&running)),
                "name those that run: [axes] workload = [...]",
            ),
        }
        for words in running {
            let name = words.name;
            for parameter in words.parameters.iter().filter(|p| p.default.is_none()) {
                let path = format!("workload.{name}.{}", parameter.name);
                let by_family = format!("workload.{}.{}", words.family(), parameter.name);
                if !self.said(&path) && !self.said(&by_family) && self.axis_named(parameter.name).is_none() {
                    self.problem(
                        &path,
                        "must be said: it has no default",
                        format!("{}: write it in [workload.{name}]", parameter.why),
                    );
                }
            }
        }
    }

    fn check_axes(&mut self) {
        let running = self.running();
        for key in self.axes.iter().map(|a| a.key.clone()).collect::<Vec<_>>() {
            let path = format!("axes.{key}");
            let of_server = matches!(key.as_str(), "build" | "profile" | "cpus")
                || key.starts_with("settings.")
                || key.starts_with("native.");
            if of_server && self.said("server.on") {
                self.problem(
                    &path,
                    "a server that assay did not start cannot be varied",
                    "leave out server.on, or this axis",
                );
            }
            let fixed: Vec<String> = match (key.split_once('.'), grammar::axis_target(&key)) {
                (_, Some(target)) => vec![target.to_string()],
                (Some(("settings" | "native", _)), None) => vec![format!("server.{key}")],
                (Some(_), None) => {
                    self.check_phase_axis(&key);
                    continue;
                }
                (None, None) if key == "workload" => continue,
                (None, None) => {
                    if !running.is_empty() && !running.iter().any(|w| parameter_of(w, &key).is_some()) {
                        self.problem(
                            &path,
                            format!("no workload that runs has `{key}`"),
                            format!("running: {}", names(&running)),
                        );
                    }
                    let sections = running.iter().flat_map(|w| [w.name, w.family()]).collect::<BTreeSet<_>>();
                    sections.into_iter().map(|s| format!("workload.{s}.{key}")).collect()
                }
            };
            for fixed in fixed.iter().filter(|f| self.said(f)).cloned().collect::<Vec<_>>() {
                self.problem(
                    &fixed,
                    "fixed here, and an axis as well",
                    format!("leave out one of them; a single value is written {path} = [...]"),
                );
            }
        }
    }

    fn check_phase_axis(&mut self, key: &str) {
        let name = key.trim_start_matches("phases.").trim_end_matches(".disturb");
        if !self.phase_names().iter().any(|n| n == name) {
            self.problem(
                &format!("axes.{key}"),
                format!("there is no phase `{name}`"),
                "write phases.NAME.disturb with the name of a phase",
            );
        }
    }

    fn check_load(&mut self) {
        if !self.said("load.users") && !self.said("axes.users") {
            self.problem(
                "load.users",
                "nobody says how many users there are",
                "write users = 8 in [load], or make it an axis",
            );
        }
        if self.said("load.arrivals") && !self.said("load.rate") && !self.said("axes.rate") {
            self.problem(
                "load.arrivals",
                "arrivals without a rate",
                "add rate = 1000 (operations per second), or leave it out for a closed load",
            );
        }
    }

    /// Prefixes of the phases in order: `phases[1]`, `phases[2]` …
    pub fn phases(&self) -> Vec<String> {
        let mut numbers: Vec<usize> = self
            .entries
            .iter()
            .filter_map(|e| e.path.strip_prefix("phases[")?.split_once(']')?.0.parse().ok())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().map(|n| format!("phases[{n}]")).collect()
    }

    fn phase_names(&self) -> Vec<String> {
        self.phases().iter().filter_map(|p| self.values.get(&format!("{p}.name"))).map(Value::to_string).collect()
    }

    fn check_phases(&mut self) {
        let phases = self.phases();
        if !phases.is_empty() {
            for key in ["load.measure", "load.warm_up"] {
                if self.said(key) {
                    self.problem(key, "the phases are listed as well", "leave this out, or the list of [[phases]]");
                }
            }
        }
        let mut names = BTreeSet::new();
        for phase in &phases {
            let name_path = format!("{phase}.name");
            match self.values.get(&name_path).map(Value::to_string) {
                Some(name) if name.is_empty() || name.contains('.') => {
                    self.problem(&name_path, "not a name", "a phase is named by a word without dots")
                }
                Some(name) if !names.insert(name.clone()) => self.problem(
                    &name_path,
                    format!("`{name}` is the name of an earlier phase"),
                    "give each phase its own",
                ),
                Some(_) => {}
                None if self.said(&name_path) => {}
                None => self.problem(phase, "a phase without a name", "add name = \"...\""),
            }
            let ends: Vec<_> = ENDS.iter().filter(|end| self.said(&format!("{phase}.{end}"))).collect();
            match ends.as_slice() {
                [] => self.problem(
                    phase,
                    "a phase without an end",
                    "add measure = \"40s\", warm_up = \"10s\" or count = 100_000",
                ),
                [end] if **end != "count" && self.said(&format!("{phase}.kind")) => {
                    self.problem(&format!("{phase}.kind"), format!("`{end}` says the kind already"), "leave this out");
                }
                [_] => {}
                [first, ..] => self.problem(
                    &format!("{phase}.{first}"),
                    "a phase with two ends",
                    format!("keep one of {}", ENDS.join(", ")),
                ),
            }
        }
        let measures = phases.iter().any(|p| {
            self.said(&format!("{p}.measure"))
                || (self.said(&format!("{p}.count"))
                    && self.values.get(&format!("{p}.kind")).and_then(Value::text) != Some("warm_up"))
        });
        if !phases.is_empty() && !measures {
            self.problem("phases", "no phase measures", "write measure = \"40s\" in at least one of them");
        }
    }
}

fn names(workloads: &[&WorkloadWords]) -> String {
    workloads.iter().map(|w| w.name).collect::<Vec<_>>().join(", ")
}

fn quoted(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("\"{text}\""),
        Value::Flag(flag) => flag.to_string(),
        Value::Count(_) | Value::Real(_) => value.to_string(),
    }
}
