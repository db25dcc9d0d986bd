//! The next experiment as a file: the cell as it was, with one axis that takes the suspected cause away and one that is
//! a placebo. Everything that the plan filled in is said again where it is not a default, so that the arm as it was is
//! that cell. Cells that a file cannot say again so simply (groups, searches, a server of somebody else's) have no next
//! experiment.

use crate::frame::evidence::CellEvidence;
use model::errors::Errors;
use model::experiment::keys::{self, KEYS, Key};
use model::load::{Load, Pause, Phase};
use model::plan::served::HEAP;
use model::settings;
use model::units::Bytes;
use model::value::Value;
use model::words::Kind;
use std::fmt::Write;

/// An axis with two values: as it was, and changed.
pub struct Change {
    pub axis: String,
    pub from: Value,
    pub to: Value,
}

/// Variables that no workload feels. A placebo is of the subsystem that the change itself is of, so that what a change
/// there brings with it (other option files, other memory of the engine) is in both. InnoDB sorts in the first when it
/// builds an index; only joins without an index use the second, and only temporary tables PostgreSQL's, and no workload
/// has one.
const OF_INNODB: &str = "innodb_sort_buffer_size";
const OF_SESSIONS: &str = "join_buffer_size";
const OF_POSTGRESQL: &str = "temp_buffers";
/// Settings that are InnoDB's, in the lab's words.
const INNODB: [&str; 5] = [
    "settings.buffer_pool",
    "settings.redo",
    "settings.flush_at_commit",
    "settings.doublewrite",
    "settings.adaptive_hash_index",
];
/// Enough for an interval of main effects in four arms.
const REPETITIONS: u32 = 5;

impl Change {
    /// A setting in the lab's words from its present value.
    pub fn setting(cell: &CellEvidence, word: &str, to: impl Into<Value>) -> Option<Self> {
        let from = cell.cell.server.settings.get(word)?.clone();
        let to = to.into();
        (from != to).then(|| Self { axis: format!("settings.{word}"), from, to })
    }

    /// A variable of the server from its effective value, when that is a number.
    pub fn variable(cell: &CellEvidence, name: &str, to: impl Fn(i64) -> i64) -> Option<Self> {
        let from: i64 = cell.runs.first()?.variable(name)?.parse().ok()?;
        let to = to(from);
        (from != to).then(|| Self { axis: format!("native.{name}"), from: from.into(), to: to.into() })
    }

    /// A parameter of the workload.
    pub fn parameter(cell: &CellEvidence, name: &str, to: impl Into<Value>) -> Option<Self> {
        let (from, to) = (cell.cell.parameters.get(name)?.clone(), to.into());
        (from != to).then(|| Self { axis: name.into(), from, to })
    }
}

/// `finding` is taken away by `removes`; `None` where this cell cannot be said again in a file.
pub fn experiment(cell: &CellEvidence, finding: &str, removes: Option<Change>) -> Option<String> {
    let removes = removes?;
    let (of, plain) = (cell.cell, cell.runs.first()?);
    let is_ours = of.server.on.is_none() && of.groups.is_empty() && of.search.is_none();
    if !is_ours || has_tables(&of.load) || plain.record.plan.intervention.is_some() {
        return None;
    }
    let placebo = placebo(cell, &removes.axis)?;
    let what = finding.replace('_', " ");
    let mut text = format!("question = \"Is it {what}, and does it go when that is taken away?\"\n\n[axes]\n");
    let _ = writeln!(text, "workload = [\"{}\"]", of.workload);
    for Change { axis, from, to } in [&removes, &placebo] {
        let _ = writeln!(text, "{axis} = [{}, {}]", said(axis, from), said(axis, to));
    }
    let plan = &plain.record.plan.name;
    let _ = writeln!(
        text,
        "\n[intervention]\nof = \"{plan}\"\nfinding = \"{finding}\"\nremoves = \"{}\"\nplacebo = \"{}\"",
        removes.axis, placebo.axis
    );
    text += &server(cell, &removes.axis, &placebo.axis);
    let _ = writeln!(text, "\n[workload.{}]", of.workload);
    for (name, value) in of.parameters.iter().filter(|(name, _)| **name != removes.axis) {
        let _ = writeln!(text, "{name} = {}", said(name, value));
    }
    text += &section("load", cell, [&removes.axis, &placebo.axis]);
    if cell.cell.asked(keys::key("load", "measure")?).is_none() {
        text += &phases(&cell.cell.phases)?;
    }
    for (n, (limit, value)) in plain.record.plan.limits.iter().enumerate() {
        let _ = writeln!(text, "{}{limit} = {value:?}", if n == 0 { "\n[limits]\n" } else { "" });
    }
    let _ = write!(text, "\n[repeat]\nrepetitions = {REPETITIONS}\naa = false\n");
    Some(text)
}

/// A change of the same subsystem that the cause does not feel; where its variable is not known, of sessions.
fn placebo(cell: &CellEvidence, removes: &str) -> Option<Change> {
    let is_innodb = removes.starts_with("native.innodb_") || INNODB.contains(&removes);
    let of_engine = is_innodb.then(|| Change::variable(cell, OF_INNODB, |size| size * 2)).flatten();
    let of_sessions = if cell.cell.server.engine == HEAP { OF_POSTGRESQL } else { OF_SESSIONS };
    of_engine.or_else(|| Change::variable(cell, of_sessions, |size| size * 2))
}

/// Whether the load says something of operations or errors by name, for which no key has a value.
fn has_tables(load: &Load) -> bool {
    let by_operation = match &load.pause {
        Some(Pause::Think { by_operation, keying, .. }) => !(by_operation.is_empty() && keying.is_empty()),
        Some(Pause::Pace { .. }) | None => false,
    };
    by_operation || load.errors.retry != Errors::default().retry
}

fn server(cell: &CellEvidence, removes: &str, placebo: &str) -> String {
    let server = &cell.cell.server;
    let mut text = section("server", cell, [removes, placebo]);
    let own = |name: &str, value: &Value| {
        let kept = server.profile == settings::PROFILES[0] || settings::PLUMBING.contains(&name);
        let default = settings::by_name(name).and_then(|p| p.default).map(|d| d.value());
        !(kept && default.as_ref() == Some(value))
    };
    for (table, values) in [("settings", &server.settings), ("native", &server.native)] {
        let is_axis = |name: &str| [removes, placebo].contains(&format!("{table}.{name}").as_str());
        let said_here = |(name, value): &(&String, &Value)| !is_axis(name) && (table == "native" || own(name, value));
        for (name, value) in values.iter().filter(said_here) {
            let _ = writeln!(text, "{table}.{name} = {}", said(&format!("{table}.{name}"), value));
        }
    }
    text
}

/// The keys of a section as the cell has them, but for an axis.
fn section(section: &str, cell: &CellEvidence, axes: [&str; 2]) -> String {
    let fixed = KEYS.iter().filter(|key| key.section == section && !axes.contains(&key.name));
    let said = fixed.filter_map(|key| Some(line(key, &cell.cell.asked(key)?)));
    format!("\n[{section}]\n{}", said.collect::<String>())
}

fn line(key: &Key, value: &Value) -> String {
    format!("{} = {}\n", key.name, key.written(value))
}

/// Phases that `[load]` has no short form for; `None` where it has no words for what is done in them.
fn phases(phases: &[Phase]) -> Option<String> {
    let keys = || KEYS.iter().filter(|key| key.section == "phases");
    let said = |phase: &Phase| keys().filter_map(|key| Some(line(key, &key.asked_of(phase)?))).collect::<String>();
    // Iterations are numbered behind a dot, which a file cannot write.
    let is_plain = |p: &&Phase| p.disturb.is_none() && p.work.is_none() && p.users.is_none() && !p.name.contains('.');
    phases
        .iter()
        .all(|phase| is_plain(&phase))
        .then(|| phases.iter().map(|p| format!("\n[[phases]]\n{}", said(p))).collect())
}

/// A value as TOML; sizes in their largest whole unit.
fn said(key: &str, value: &Value) -> String {
    let is_size = key.strip_prefix("settings.").and_then(settings::by_name).is_some_and(|p| p.kind == Kind::Size);
    match value {
        Value::Count(n) if is_size && n.unsigned_abs() % Bytes::MIB == 0 => {
            format!("\"{} MiB\"", n.unsigned_abs() / Bytes::MIB)
        }
        value => value.written(),
    }
}
