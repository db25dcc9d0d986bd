//! A workload that is a script of its author: `workload = { lua = "my.lua", options = { … } }`. What such a file may
//! say is known only when its script was read, so the file is asked for the script first; then the script's options are
//! words like the parameters of any workload.

use super::document::{Document, Entry, Raw};
use super::grammar::Slot;
use super::reading::Reading;
use super::shape::{Wrong, suggestion, wrong};
use super::{command_line, grammar, overrides};
use crate::value::Value;
use crate::words::{SCRIPTS, Words, WorkloadWords};

/// The script that a file names.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// 1-based line of the file; `None` on the command line.
    pub line: Option<usize>,
    /// As written: a path from the experiment's folder, or a name.
    pub name: String,
    /// The version of sysbench that it is written for, as written.
    pub compat: Option<String>,
    /// What the file gives to its options, by name with underscores.
    pub options: Vec<(String, Value)>,
}

/// The key that names the script.
pub const SCRIPT: &str = "workload.lua";
const COMPAT: &str = "workload.compat";
const OPTIONS: &str = "workload.options.";
const ERRORS: &str = "load.errors";

/// Versions of sysbench whose scripts there are.
pub(super) const VERSIONS: &[&str] = &["1.0", "1.1"];

/// What scripts see as options and an experiment says elsewhere.
const ELSEWHERE: &[(&str, &str)] = &[
    ("threads", "write users = N in [load]"),
    ("rate", "write it in [load]"),
    ("time", "write measure = \"60s\" in [load]"),
    ("warmup_time", "write warm_up = \"10s\" in [load]"),
    ("events", "write [[phases]] with count = N"),
    ("rand_seed", "write seed = N in [repeat]"),
    ("db_driver", "name the server in [server]"),
];

/// The script that this file names with that scale and those `--set`; none where it names none, or cannot be read.
pub(super) fn script(text: &str, scale: Option<&str>, sets: &[(String, String)]) -> Option<Script> {
    let Document { mut entries, legible, .. } = Document::read(text);
    if !legible {
        return None;
    }
    let scales = overrides::take_scales(&mut entries);
    if let Some((_, of_scale)) = scales.iter().find(|(name, _)| Some(name.as_str()) == scale) {
        entries = overrides::apply(&entries, of_scale, &mut Vec::new());
    }
    entries = overrides::apply(&entries, &command_line(sets), &mut Vec::new());
    let text_at = |path: &str| entries.iter().find(|e| e.path == path).and_then(|e| Some((e.line, text_of(e)?)));
    let (line, name) = text_at(SCRIPT)?;
    let option = |e: &Entry| match (&e.raw, e.path.strip_prefix(OPTIONS)) {
        (Raw::Value(value), Some(option)) => Some((option.replace('-', "_"), value.clone())),
        _ => None,
    };
    let compat = text_at(COMPAT).map(|(_, compat)| compat);
    Some(Script { line, name, compat, options: entries.iter().filter_map(option).collect() })
}

fn text_of(entry: &Entry) -> Option<String> {
    match &entry.raw {
        Raw::Value(value) => value.text().map(str::to_string),
        Raw::List(_) | Raw::Nothing | Raw::Other(_) => None,
    }
}

/// The workload that a file's script is.
pub(super) fn workload(words: &Words) -> Option<&WorkloadWords> {
    words.workloads.iter().find(|w| w.family() == SCRIPTS)
}

/// An option of the script.
pub(super) fn option(written: &str, words: &Words) -> Result<Slot, Wrong> {
    let Some(workload) = workload(words) else {
        return wrong("options of no script", "write lua = \"my.lua\" in [workload]");
    };
    let name = written.replace('-', "_");
    let known = || workload.parameters.iter().map(|p| &*p.name).filter(|name| !SHOWN.contains(name));
    match known().find(|known| *known == name).and_then(|_| grammar::parameter_of(workload, &name)) {
        Some(parameter) => Ok(Slot::Parameter {
            owner: workload.name.to_string(),
            name,
            shapes: vec![super::shape::Shape::Of(parameter.kind)],
        }),
        None => {
            let elsewhere = ELSEWHERE.iter().find(|(option, _)| *option == name).map(|(_, mend)| (*mend).to_string());
            let of_server = ["mysql_", "pgsql_"].iter().any(|prefix| name.starts_with(prefix));
            let of_server = of_server.then(|| "its users come to the server of [server]".to_string());
            let mend = elsewhere.or(of_server).unwrap_or_else(|| suggestion(&name, known()));
            wrong(format!("the script has no option `{written}`"), mend)
        }
    }
}

impl Reading<'_> {
    /// What the load would do for users, and users of a script do for themselves.
    pub fn check_script(&mut self) {
        let running = self.running();
        if running.is_empty() || running.iter().any(|words| words.family() != SCRIPTS) {
            return;
        }
        for path in ["load.reconnect_every", "axes.reconnect_every"] {
            if self.said(path) {
                let what = "users of a script open and close their sessions themselves";
                self.problem(path, what, "leave it out, and call con:reconnect() in the script");
            }
        }
        let entries = self.entries;
        if let Some(entry) = entries.iter().find(|e| e.path.starts_with(ERRORS)) {
            let what = "a script says itself after which errors an event begins again";
            let mend = "leave it out, and write options = { mysql_ignore_errors = \"1213,1205\" } in [workload]";
            self.problem(&entry.path, what, mend);
        }
    }
}

/// Parameters that the lab fills in and that no file says: what the script is.
pub const SHOWN: [&str; 3] = ["script", "script_sha256", "script_compat"];
