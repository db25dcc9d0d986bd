//! One question, as a human wrote it: a TOML file parsed strictly, with a scale's overrides applied. Everything that
//! can be wrong is told at once, with the line, the key and the mend.

mod assemble;
mod document;
mod get;
pub(crate) mod grammar;
mod groups;
mod key;
pub mod keys;
mod overrides;
mod reading;
mod script;
mod search;
mod shape;
mod stages;
mod standing;
mod whole;

use crate::intervention::Intervention;
use crate::load::{Group, Load, Phase};
use crate::precision::Precision;
use crate::problem::Problem;
use crate::search::Search;
use crate::seed::Seed;
use crate::server::Server;
use crate::value::Value;
use crate::words::{Words, WorkloadWords};
use document::Document;
use reading::Reading;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use script::{SCRIPT, SHOWN, Script};
pub(crate) use shape::NO_DISTURBANCE;

/// What runs where the experiment does not say: the server that the distribution installed.
pub const DEFAULT_BUILD: &str = "distribution";

/// The scale that a file has without saying so: its own size.
const OWN_SIZE: &str = "study";

/// A parsed experiment. Values are checked against the vocabulary; nothing is multiplied or ordered yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// File stem.
    pub name: String,
    pub question: String,
    /// The file as written.
    pub text: String,
    pub scale: Option<String>,
    /// What was set beside the file, as `KEY=VALUE`, in the order in which it was.
    pub sets: Vec<String>,
    pub axes: Vec<Axis>,
    /// The build is that which is meant when no axis says another; settings are those that are said.
    pub server: Server,
    /// Parameters by workload or family name, as written.
    pub workloads: BTreeMap<String, BTreeMap<String, Value>>,
    pub load: Load,
    /// The level of the load is looked for; `load` has the lowest.
    pub search: Option<Search>,
    /// Empty where all users do the same. Parameters are those that a group says for itself.
    pub groups: Vec<Group>,
    pub phases: Vec<Phase>,
    /// The experiment takes the cause of a finding away.
    pub intervention: Option<Intervention>,
    pub repeat: Repeat,
    /// Limits of checks that are set here, by name.
    pub limits: BTreeMap<String, f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
pub struct Axis {
    /// The key as written: `users`, `charset`, `settings.buffer_pool`, `workload`.
    pub key: String,
    pub values: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// The most, where noise says how many.
    pub repetitions: u32,
    pub until: Option<Precision>,
    /// All runs of a block are under way at once, and take turns stage by stage.
    pub interleave: bool,
    pub seed: Seed,
    /// Run one cell a second time under another label, to know what "no change" looks like here.
    pub aa: bool,
    /// One more run per cell with the server's instruments on, beside the numbers.
    pub explain: bool,
    /// So many runs of each cell that are profiled, beside the numbers.
    pub profiles: u32,
    /// Samples per second of each CPU in those.
    pub profile_hz: u32,
    /// Each of those has a neighbour that is not sampled.
    pub profile_pairs: bool,
    /// So many runs of each cell in which what threads wait for is sampled, beside the numbers.
    pub profile_waits: u32,
}

impl Experiment {
    /// Reads the file of that stem, with a scale and with the command line's `--set` (key and value as text) in force.
    /// Every problem of the file is told, those of scales that were not chosen included.
    pub fn parse(
        name: &str,
        text: &str,
        scale: Option<&str>,
        sets: &[(String, String)],
        words: &Words,
    ) -> Result<Self, Vec<Problem>> {
        let Document { mut entries, mut problems, legible } = Document::read(text);
        if !legible {
            return Err(problems);
        }
        let complete = problems.is_empty();
        let scales = document::take_scales(&mut entries);
        problems.extend(Reading::of(&entries, words, complete).problems);
        for (_, entries_of_scale) in &scales {
            let mut found = Vec::new();
            let scaled = overrides::apply(&entries, entries_of_scale, &mut found);
            found.extend(Reading::of(&scaled, words, complete).problems);
            add_new(&mut problems, found);
        }
        let applied = match scale.map(|wanted| (wanted, scales.iter().find(|(name, _)| name == wanted))) {
            Some((_, Some((name, overrides_of_scale)))) => Some((name, overrides_of_scale)),
            Some((OWN_SIZE, None)) | None => None,
            Some((wanted, None)) => {
                let known = scales.iter().map(|(name, _)| name.as_str());
                problems.push(Problem {
                    line: None,
                    path: "--scale".into(),
                    what: format!("the file has no scale `{wanted}`"),
                    mend: shape::suggestion(wanted, known),
                });
                None
            }
        };
        let mut found = Vec::new();
        if let Some((_, scale)) = applied {
            entries = overrides::apply(&entries, scale, &mut found);
        }
        entries = overrides::apply(&entries, &document::command_line(sets), &mut found);
        let reading = Reading::of(&entries, words, complete);
        found.extend(reading.problems.iter().cloned());
        add_new(&mut problems, found);
        problems.sort_by_key(|p| p.line.unwrap_or(usize::MAX));
        if problems.is_empty() {
            let sets = sets.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let scale = applied.map(|(name, _)| name.clone());
            let rest = assemble::experiment(name, text, scale, &reading);
            Ok(Self { sets, axes: reading.axes, workloads: reading.workloads, ..rest })
        } else {
            Err(problems)
        }
    }

    /// The script that a file names, for whoever reads it before the file is parsed.
    pub fn script(text: &str, scale: Option<&str>, sets: &[(String, String)]) -> Option<Script> {
        script::script(text, scale, sets)
    }

    /// The workloads that run, in the order of the axis, or of the groups.
    pub fn running<'a>(&self, words: &'a Words) -> Vec<&'a WorkloadWords> {
        let of_groups = self.groups.iter().map(|group| &group.work);
        let own: Vec<_> = of_groups.chain(self.phases.iter().flat_map(Phase::works)).collect();
        if own.is_empty() {
            return running(&self.axes, &self.workloads, words);
        }
        each_once(own.iter().map(|work| words.workload(&work.workload)))
    }

    /// Whether phases say for themselves what is done.
    pub fn is_staged(&self) -> bool {
        self.phases.iter().any(Phase::is_staged)
    }

    /// A parameter as the file gives it to this workload: its own section comes before its family's.
    pub fn written(&self, workload: &WorkloadWords, parameter: &str) -> Option<&Value> {
        [&*workload.name, workload.family()].iter().find_map(|section| self.workloads.get(*section)?.get(parameter))
    }

    pub(crate) fn problem(&self, path: &str, what: impl Into<String>, mend: impl Into<String>) -> Problem {
        Problem { line: self.line(path), path: path.into(), what: what.into(), mend: mend.into() }
    }

    /// The line of the file that says this key, for problems that only a plan can find. A scale's own word comes first.
    fn line(&self, path: &str) -> Option<usize> {
        let mut entries = Document::read(&self.text).entries;
        let scales = document::take_scales(&mut entries);
        let chosen = scales.iter().find(|(name, _)| Some(name) == self.scale.as_ref()).map_or(&[][..], |(_, e)| e);
        chosen.iter().chain(&entries).find(|e| e.path == path).and_then(|e| e.line)
    }
}

/// The workloads of the axis, else the members that have a section, else those of the families that have one.
fn running<'a>(
    axes: &[Axis],
    sections: &BTreeMap<String, BTreeMap<String, Value>>,
    words: &'a Words,
) -> Vec<&'a WorkloadWords> {
    let by_name = |name: &str| words.workloads.iter().find(|w| w.name == name);
    if let Some(axis) = axes.iter().find(|a| a.key == "workload") {
        return axis.values.iter().filter_map(Value::text).filter_map(by_name).collect();
    }
    let members: Vec<_> = sections.keys().filter_map(|name| by_name(name)).collect();
    if !members.is_empty() {
        members
    } else {
        words.workloads.iter().filter(|w| sections.contains_key(w.family())).collect()
    }
}

fn each_once<'a>(workloads: impl Iterator<Item = &'a WorkloadWords>) -> Vec<&'a WorkloadWords> {
    let mut once: Vec<&WorkloadWords> = Vec::new();
    for workload in workloads {
        if once.iter().all(|w| w.name != workload.name) {
            once.push(workload);
        }
    }
    once
}

/// A scale repeats what is wrong with the file itself; it is told once.
fn add_new(problems: &mut Vec<Problem>, found: Vec<Problem>) {
    for problem in found {
        if !problems.iter().any(|p| (&p.path, &p.what) == (&problem.path, &problem.what)) {
            problems.push(problem);
        }
    }
}
