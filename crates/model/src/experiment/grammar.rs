//! Every key that an experiment may hold, and what each accepts. Fixed keys are one table; parameters, settings and names
//! come from the vocabulary. A key that is not found here gets a mend: the nearest key of its section, or the section
//! where it belongs.

use super::script;
use super::shape::{self, Shape, Wrong, suggestion, wrong};
use crate::load::Transport;
use crate::problem::nearest;
use crate::rate::Rate;
use crate::settings;
use crate::words::{Kind, Parameter, Words, WorkloadWords};

/// More simulated users than a server accepts connections.
pub(super) const MAX_USERS: i64 = 100_000;
/// A hundred is already more than any interval needs.
const MAX_REPETITIONS: i64 = 1_000;
/// Fewer runs find nothing that has an interval.
const MIN_SEARCH: i64 = 8;
const MAX_ITERATIONS: i64 = 100;
const MAX_RETRIES: i64 = 1_000_000;
/// Seeds are written as numbers that every JSON reader holds exactly.
const MAX_SEED: i64 = 1 << 53;

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

/// How a phase can end; exactly one of them in each phase.
pub(super) const ENDS: &[&str] = &["measure", "warm_up", "count"];

/// In a table of think times: after the operations that have none of their own.
pub(super) const OTHERS: &str = "default";

const fn count(min: i64, max: i64) -> Shape {
    Shape::Of(Kind::Count { min, max })
}

const ARRIVALS: Shape = Shape::Of(Kind::Choice(&["poisson", "constant"]));
const DISTRIBUTIONS: Shape = Shape::Of(Kind::Choice(&["constant", "exponential"]));

/// Section, key, what it accepts.
const KEYS: &[(&str, &str, Shape)] = &[
    ("", "question", Shape::Of(Kind::Text)),
    ("server", "build", Shape::Build),
    ("server", "on", Shape::Dsn),
    ("server", "engine", Shape::Engine),
    ("server", "profile", Shape::Of(Kind::Choice(settings::PROFILES))),
    ("server", "topology", Shape::Topology),
    ("server", "cpus", Shape::Cpus),
    ("server", "load_cpus", Shape::Cpus),
    ("load", "users", count(1, MAX_USERS)),
    ("load", "rate", Shape::Rate),
    ("load", "arrivals", ARRIVALS),
    ("load", "think", Shape::Duration { zero: false }),
    ("load", "think_distribution", DISTRIBUTIONS),
    ("load", "pace", Shape::Duration { zero: false }),
    ("load", "transport", Shape::Of(Kind::Choice(Transport::WORDS))),
    ("load", "io", Shape::Of(Kind::Choice(&["auto", "io_uring", "epoll"]))),
    ("load", "deadline", Shape::Duration { zero: false }),
    ("load", "reconnect_every", count(1, i64::MAX)),
    ("load", "drain", Shape::Duration { zero: false }),
    ("load", "sampling", Shape::Of(Kind::Flag)),
    ("load", "errors.back_off", Shape::Duration { zero: true }),
    ("load", "errors.stop", Shape::Errors),
    ("load", "warm_up", Shape::Duration { zero: true }),
    ("load", "measure", Shape::Duration { zero: false }),
    ("load", "search.for", Shape::Of(Kind::Choice(&["rate", "users"]))),
    ("load", "search.keep", Shape::Keep),
    ("load", "search.from", Shape::Of(Kind::Real { min: Rate::LEAST, max: Rate::MOST })),
    ("load", "search.to", Shape::Of(Kind::Real { min: Rate::LEAST, max: Rate::MOST })),
    ("load", "search.within", Shape::Of(Kind::Real { min: 0.005, max: 1.0 })),
    ("load", "search.runs", count(MIN_SEARCH, MAX_REPETITIONS)),
    ("groups", "name", Shape::Of(Kind::Text)),
    ("groups", "workload", Shape::Workload),
    ("groups", "users", count(1, MAX_USERS)),
    ("groups", "rate", Shape::Rate),
    ("groups", "arrivals", ARRIVALS),
    ("groups", "think", Shape::Duration { zero: false }),
    ("groups", "think_distribution", DISTRIBUTIONS),
    ("groups", "pace", Shape::Duration { zero: false }),
    ("phases", "name", Shape::Of(Kind::Text)),
    ("phases", "measure", Shape::Duration { zero: false }),
    ("phases", "warm_up", Shape::Duration { zero: false }),
    ("phases", "count", count(1, i64::MAX)),
    ("phases", "kind", Shape::Of(Kind::Choice(&["measure", "warm_up"]))),
    ("phases", "disturb", Shape::Disturbance),
    ("phases", "workload", Shape::Workload),
    ("phases", "users", count(1, MAX_USERS)),
    ("phases", "once", Shape::Of(Kind::Flag)),
    ("repeat", "repetitions", count(1, MAX_REPETITIONS)),
    ("repeat", "iterations", count(1, MAX_ITERATIONS)),
    ("repeat", "seed", count(0, MAX_SEED)),
    ("repeat", "aa", Shape::Of(Kind::Flag)),
    ("repeat", "explain", Shape::Of(Kind::Flag)),
    ("intervention", "of", Shape::Of(Kind::Text)),
    ("intervention", "finding", Shape::Of(Kind::Text)),
    ("intervention", "removes", Shape::Of(Kind::Text)),
    ("intervention", "placebo", Shape::Of(Kind::Text)),
];

/// Axes over fixed keys: the axis, and the key that it stands for.
const AXES: &[(&str, &str)] = &[
    ("build", "server.build"),
    ("engine", "server.engine"),
    ("profile", "server.profile"),
    ("topology", "server.topology"),
    ("cpus", "server.cpus"),
    ("load_cpus", "server.load_cpus"),
    ("users", "load.users"),
    ("rate", "load.rate"),
    ("reconnect_every", "load.reconnect_every"),
    ("transport", "load.transport"),
    ("sampling", "load.sampling"),
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
    let (section, rest) = path.split_once('.').unwrap_or((path, ""));
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
        ("workload", rest) if rest.starts_with("options.") => script::option(&rest["options.".len()..], words),
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
        (entry, key) if entry.starts_with("groups[") && key.starts_with("think.") => {
            Ok(Slot::Fixed(Shape::Duration { zero: true }))
        }
        (entry, key) if entry.starts_with("groups[") && key.starts_with("keying.") => {
            Ok(Slot::Fixed(Shape::Duration { zero: false }))
        }
        (entry, "parameters") if names_a_workload(entry) => Ok(Slot::Section),
        (entry, "keying") if entry.starts_with("groups[") => Ok(Slot::Section),
        (entry, key) if names_a_workload(entry) && key.starts_with("parameters.") => {
            Ok(Slot::Own { entry: entry.into(), name: key["parameters.".len()..].into() })
        }
        ("groups", _) => {
            wrong("groups are a list", "write [[groups]] above each of them, or groups.NAME.KEY within a scale")
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
        (section, "") if section.starts_with("groups[") => {
            wrong("an empty group", "give it a name, a workload and its users")
        }
        (section, key) => fixed(section.split('[').next().unwrap_or(section), key, words).map(Slot::Fixed),
    }
}

/// Whether entries of this list may have a workload with parameters of its own.
fn names_a_workload(entry: &str) -> bool {
    entry.starts_with("groups[") || entry.starts_with("phases[")
}

fn fixed(section: &str, key: &str, words: &Words) -> Result<Shape, Wrong> {
    if let Some((_, _, shape)) = KEYS.iter().find(|(s, k, _)| *s == section && *k == key && !key.is_empty()) {
        return Ok(*shape);
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
        return wrong("a search is a table", format!("write {}", super::search::EXAMPLE));
    }
    let siblings = KEYS.iter().filter(|(s, _, _)| *s == section).map(|(_, k, _)| *k);
    let mend = match nearest(key, siblings.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => home(key, words).unwrap_or_else(|| suggestion(key, siblings)),
    };
    wrong(format!("[{section}] has no `{key}`"), mend)
}

/// The section where a key belongs.
fn home(key: &str, words: &Words) -> Option<String> {
    let fixed = KEYS.iter().find(|(_, k, _)| *k == key).map(|(section, _, _)| (*section).to_string());
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
    if let Some(target) = axis_target(key) {
        let (section, fixed) = target.split_once('.').expect("targets are SECTION.KEY");
        return Ok(KEYS.iter().filter(|(s, k, _)| *s == section && *k == fixed).map(|(_, _, shape)| *shape).collect());
    }
    if key == "workload" {
        return Ok(vec![Shape::Workload]);
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
            "users" | "rate" => {
                KEYS.iter().filter(|(s, k, _)| *s == "groups" && *k == own).map(|(_, _, shape)| *shape).collect()
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
    let parameters = words.workloads.iter().flat_map(|w| w.parameters).map(|p| p.name);
    let setting = settings::by_name(key).map(|_| format!("write `settings.{key}`"));
    wrong(
        format!("nothing is called `{key}`"),
        setting.unwrap_or_else(|| {
            suggestion(key, AXES.iter().map(|(axis, _)| *axis).chain(["workload"]).chain(parameters))
        }),
    )
}

/// The fixed key that an axis stands for.
pub(crate) fn axis_target(axis: &str) -> Option<&'static str> {
    AXES.iter().find(|(key, _)| *key == axis).map(|(_, target)| *target)
}

/// Group and key of an axis over what one group has for itself.
pub(crate) fn group_axis(axis: &str) -> Option<(&str, &str)> {
    axis.strip_prefix("groups.")?.split_once('.')
}

fn parameter(rest: &str, words: &Words) -> Result<Slot, Wrong> {
    let names = words.workloads.iter().flat_map(|w| [w.name, w.family()]);
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
            suggestion(name, members.flat_map(|w| w.parameters).map(|p| p.name)),
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

pub(crate) fn parameter_of(workload: &WorkloadWords, name: &str) -> Option<&'static Parameter> {
    workload.parameters.iter().find(|p| p.name == name)
}
