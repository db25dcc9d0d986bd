//! What a path of an experiment stands for, and what it accepts. Fixed keys are rows of `keys`; parameters, settings
//! and names come from the vocabulary. A key that is not found here gets a mend: the nearest key of its section, or the
//! section where it belongs.

use super::keys::{self, count, group_axis};
use super::script::{self, ELSEWHERE, SHOWN};
use super::shape::{self, Shape, Wrong, suggestion, wrong};
use crate::problem::nearest;
use crate::rate::Rate;
use crate::search::Search;
use crate::settings;
use crate::words::{Kind, Name, Parameter, Words, WorkloadWords};

const MAX_RETRIES: i64 = 1_000_000;

const SECTIONS: &[&str] = &[
    "question",
    "axes",
    "server",
    "workload",
    "groups",
    "load",
    "phases",
    "repeat",
    "intervention",
    "limits",
    "scale",
];

/// What a path stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Slot {
    /// A table; only an empty one comes here.
    Section,
    Fixed(Shape),
    /// The path of a script.
    Script,
    /// A parameter of a workload or family of that name, with its kind in each workload that has it.
    Parameter {
        owner: String,
        name: String,
        shapes: Vec<Shape>,
    },
    /// A parameter of the workload that an entry of a list (`groups[1]`) names.
    Own {
        entry: String,
        name: String,
    },
    /// A parameter of the disturbance that a phase names.
    Disturbing {
        entry: String,
        name: String,
    },
    /// An axis; every value is read against all shapes.
    Axis {
        key: String,
        shapes: Vec<Shape>,
    },
}

pub(super) fn slot(path: &str, words: &Words) -> Result<Slot, Wrong> {
    let (section, rest) = split(path);
    match (section, rest) {
        ("question", "") => Ok(Slot::Fixed(Shape::Of(Kind::Text))),
        ("axes" | "server" | "workload" | "load" | "repeat" | "intervention" | "limits" | "scale", "") => {
            Ok(Slot::Section)
        }
        ("scale", _) => {
            wrong("a scale is a table of overrides", "write [scale.smoke] and below it \"load.measure\" = \"1s\"")
        }
        ("axes", key) => axis_shapes(key, words).map(|shapes| Slot::Axis { key: key.into(), shapes }),
        ("workload", "lua") => Ok(Slot::Script),
        ("workload", "compat") => Ok(Slot::Fixed(Shape::Of(Kind::Choice(script::VERSIONS)))),
        ("workload", "options") => Ok(Slot::Section),
        ("workload", rest) if rest.starts_with("options.") => option(&rest["options.".len()..], words),
        ("workload", rest) => parameter(rest, words),
        ("limits", name) => limit(name, words).map(Slot::Fixed),
        ("server", "settings" | "native") => Ok(Slot::Section),
        ("server", key) if key.starts_with("native.") => Ok(Slot::Fixed(Shape::Native)),
        ("server", key) if key.starts_with("settings.") => setting(&key["settings.".len()..]).map(Slot::Fixed),
        // A think time of its own for each operation, or for the others by `default`.
        ("load", key) if key.starts_with("think.") => Ok(Slot::Fixed(Shape::Duration { zero: true })),
        ("load", key) if key.starts_with("keying.") => Ok(Slot::Fixed(Shape::Duration { zero: false })),
        ("load", "errors" | "errors.retry" | "keying") => Ok(Slot::Section),
        ("load", key) if key.starts_with("errors.retry.") => {
            shape::error(&key["errors.retry.".len()..]).map(|_| Slot::Fixed(count(0, MAX_RETRIES)))
        }
        (entry, key) if is_group(entry) && key.starts_with("think.") => Ok(Slot::Fixed(Shape::Duration { zero: true })),
        (entry, key) if is_group(entry) && key.starts_with("keying.") => {
            Ok(Slot::Fixed(Shape::Duration { zero: false }))
        }
        (entry, "parameters") if names_a_workload(entry) => Ok(Slot::Section),
        (entry, "keying") if is_group(entry) => Ok(Slot::Section),
        (entry, key) if names_a_workload(entry) && key.starts_with("parameters.") => {
            Ok(Slot::Own { entry: entry.into(), name: key["parameters.".len()..].into() })
        }
        ("groups", _) => {
            wrong("groups are a list", "write [[groups]] above each of them, or groups.NAME.KEY within a scale")
        }
        (entry, "") if is_group(entry) => wrong("an empty group", "give it a name, a workload and its users"),
        (entry, key) if is_group(entry) => fixed("groups", key, words).map(Slot::Fixed),
        (entry, "groups") if entry.starts_with("phases[") => {
            wrong("the groups of a phase are a list", "write [[phases.groups]] above each of them")
        }
        (entry, key) if entry.starts_with("phases[") && key.starts_with("disturb.") => {
            Ok(match &key["disturb.".len()..] {
                "name" => Slot::Fixed(Shape::Disturbance),
                name => Slot::Disturbing { entry: entry.into(), name: name.into() },
            })
        }
        ("phases", _) => {
            wrong("phases are a list", "write [[phases]] above each of them, or phases.NAME.KEY within a scale")
        }
        (section, "") if section.starts_with("phases[") => {
            wrong("an empty phase", "give it a name and `measure = \"40s\"`")
        }
        (section, key) => fixed(section.split('[').next().unwrap_or(section), key, words).map(Slot::Fixed),
    }
}

/// A path's section, or its entry of a list, and what is said of it; a phase may have a list of groups.
fn split(path: &str) -> (&str, &str) {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let group = || Some("groups[".len() + rest.strip_prefix("groups[")?.find(']')? + 1);
    match group().filter(|_| first.starts_with("phases[")) {
        Some(end) => {
            let (entry, key) = path.split_at(first.len() + 1 + end);
            (entry, key.strip_prefix('.').unwrap_or(key))
        }
        None => (first, rest),
    }
}

/// Whether this is an entry of the run's groups, or of a phase's.
fn is_group(entry: &str) -> bool {
    entry.starts_with("groups[") || entry.contains("].groups[")
}

/// Whether entries of this list may have a workload with parameters of its own.
fn names_a_workload(entry: &str) -> bool {
    entry.starts_with("groups[") || entry.starts_with("phases[")
}

fn fixed(section: &str, key: &str, words: &Words) -> Result<Shape, Wrong> {
    if let Some(key) = keys::key(section, key) {
        return Ok(key.shape);
    }
    if !SECTIONS.contains(&section) {
        return wrong(
            format!("`{section}` is not a part of an experiment"),
            home(section, words).unwrap_or_else(|| suggestion(section, SECTIONS.iter().copied())),
        );
    }
    if section == "load" && key.starts_with("rate[") {
        return wrong("a rate is one number or one text", format!("write rate = {}", Rate::FORMS));
    }
    if section == "load" && key == "search" {
        return wrong("a search is a table", format!("write {}", Search::EXAMPLE));
    }
    let siblings = keys::section(section);
    let mend = match nearest(key, siblings.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => home(key, words).unwrap_or_else(|| suggestion(key, siblings)),
    };
    wrong(format!("[{section}] has no `{key}`"), mend)
}

/// The section where a key belongs.
fn home(key: &str, words: &Words) -> Option<String> {
    let fixed = keys::KEYS.iter().find(|fixed| fixed.name == key).map(|fixed| fixed.section.to_string());
    let setting = || settings::by_name(key).map(|_| "server.settings".to_string());
    let parameter =
        || words.workloads.iter().find(|w| parameter_of(w, key).is_some()).map(|w| format!("workload.{}", w.family()));
    fixed.or_else(setting).or_else(parameter).map(|section| format!("it belongs in [{section}]"))
}

fn setting(name: &str) -> Result<Shape, Wrong> {
    match settings::by_name(name) {
        Some(parameter) => Ok(Shape::Of(parameter.kind)),
        None => wrong(
            format!("there is no setting `{name}`"),
            format!(
                "the server's own variables go in [server.native]; {}",
                suggestion(name, settings::ALL.iter().map(|p| p.name))
            ),
        ),
    }
}

fn limit(name: &str, words: &Words) -> Result<Shape, Wrong> {
    match words.limits.iter().find(|(known, _)| *known == name) {
        Some((_, most)) => Ok(Shape::Of(Kind::Real { min: 0.0, max: *most })),
        None => wrong(
            format!("no check has a limit `{name}`"),
            suggestion(name, words.limits.iter().map(|(name, _)| *name)),
        ),
    }
}

fn axis_shapes(key: &str, words: &Words) -> Result<Vec<Shape>, Wrong> {
    if let Some(key) = keys::axis(key) {
        return Ok(vec![key.shape]);
    }
    if let Some(name) = key.strip_prefix("settings.") {
        return setting(name).map(|shape| vec![shape]);
    }
    if key.starts_with("native.") {
        return Ok(vec![Shape::Native]);
    }
    if key.starts_with("phases.") && key.ends_with(".disturb") {
        return Ok(vec![Shape::Disturbance]);
    }
    if let Some((_, own)) = group_axis(key) {
        let shapes = match own {
            fixed if keys::is_axis_of("groups", fixed) => {
                keys::key("groups", fixed).map(|key| key.shape).into_iter().collect()
            }
            parameter => shapes_of(parameter, words.workloads.iter()),
        };
        let mend = "write groups.NAME.users, groups.NAME.rate or groups.NAME.PARAMETER";
        return if shapes.is_empty() { wrong(format!("no group has a `{own}`"), mend) } else { Ok(shapes) };
    }
    // An option of the file's own script is meant before any parameter of that name.
    if let Some(option) = script::workload(words).and_then(|script| parameter_of(script, key)) {
        return Ok(vec![Shape::Of(option.kind)]);
    }
    let shapes = shapes_of(key, words.workloads.iter());
    if !shapes.is_empty() {
        return Ok(shapes);
    }
    let axes: Vec<&str> = keys::axes().collect();
    let parameters = words.workloads.iter().flat_map(|w| &w.parameters).map(|p| &*p.name);
    let setting = settings::by_name(key).map(|_| format!("write `settings.{key}`"));
    wrong(
        format!("nothing is called `{key}`"),
        setting.unwrap_or_else(|| suggestion(key, axes.into_iter().chain(parameters))),
    )
}

fn parameter(rest: &str, words: &Words) -> Result<Slot, Wrong> {
    let names = words.workloads.iter().flat_map(|w| [&*w.name, w.family()]);
    let owner = names
        .clone()
        .filter(|n| rest.strip_prefix(n).is_some_and(|r| r.is_empty() || r.starts_with('.')))
        .max_by_key(|n| n.len());
    let Some(owner) = owner else {
        let section = rest.split('.').next().unwrap_or(rest);
        return wrong(format!("there is no workload `{section}`"), suggestion(section, names));
    };
    let Some(name) = rest[owner.len()..].strip_prefix('.') else { return Ok(Slot::Section) };
    if let Some((member, _)) = name.split_once('.') {
        return wrong(
            format!("there is no workload `{owner}.{member}`"),
            suggestion(&format!("{owner}.{member}"), names),
        );
    }
    let members = words.workloads.iter().filter(|w| w.name == owner || w.family() == owner);
    let shapes = shapes_of(name, members.clone());
    if shapes.is_empty() {
        return wrong(
            format!("`{owner}` has no `{name}`"),
            suggestion(name, members.flat_map(|w| &w.parameters).map(|p| &*p.name)),
        );
    }
    Ok(Slot::Parameter { owner: owner.into(), name: name.into(), shapes })
}

/// The distinct shapes of a parameter in those workloads that have it.
fn shapes_of<'a>(name: &str, workloads: impl Iterator<Item = &'a WorkloadWords>) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for shape in workloads.filter_map(|w| parameter_of(w, name)).map(|p| Shape::Of(p.kind)) {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    shapes
}

/// An option of the script.
fn option(written: &str, words: &Words) -> Result<Slot, Wrong> {
    let Some(workload) = script::workload(words) else {
        return wrong("options of no script", "write lua = \"my.lua\" in [workload]");
    };
    let name = written.replace('-', "_");
    let known = || workload.parameters.iter().map(|p| &*p.name).filter(|name| !SHOWN.contains(name));
    match known().find(|known| *known == name).and_then(|_| parameter_of(workload, &name)) {
        Some(parameter) => {
            Ok(Slot::Parameter { owner: workload.name.to_string(), name, shapes: vec![Shape::Of(parameter.kind)] })
        }
        None => {
            let elsewhere = ELSEWHERE.iter().find(|(option, _)| *option == name).map(|(_, mend)| (*mend).to_string());
            let of_server = ["mysql_", "pgsql_"].iter().any(|prefix| name.starts_with(prefix));
            let of_server = of_server.then(|| "its users come to the server of [server]".to_string());
            let mend = elsewhere.or(of_server).unwrap_or_else(|| suggestion(&name, known()));
            wrong(format!("the script has no option `{written}`"), mend)
        }
    }
}

pub(crate) fn parameter_of<'a>(workload: &'a WorkloadWords, name: &str) -> Option<&'a Parameter<Name>> {
    workload.parameters.iter().find(|p| p.name == name)
}
