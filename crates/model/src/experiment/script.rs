//! A workload that is a script of its author: `workload = { lua = "my.lua", options = { … } }`. What such a file may
//! say is known only when its script was read, so the file is asked for the script first; then the script's options are
//! words like the parameters of any workload.

use super::document::{self, Document, Entry, Raw};
use super::overrides;
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

/// Versions of sysbench whose scripts there are.
pub(super) const VERSIONS: &[&str] = &["1.0", "1.1"];

/// What scripts see as options and an experiment says elsewhere.
pub(super) const ELSEWHERE: &[(&str, &str)] = &[
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
    let scales = document::take_scales(&mut entries);
    if let Some((_, of_scale)) = scales.iter().find(|(name, _)| Some(name.as_str()) == scale) {
        entries = overrides::apply(&entries, of_scale, &mut Vec::new());
    }
    entries = overrides::apply(&entries, &document::command_line(sets), &mut Vec::new());
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

/// Parameters that the lab fills in and that no file says: what the script is.
pub const SHOWN: [&str; 3] = ["script", "script_sha256", "script_compat"];
