//! The next experiment as a file: the cell as it was, with one axis that takes the suspected cause away and one that is
//! a placebo. Everything that the plan filled in is said again where it is not a default, so that the arm as it was is
//! that cell. Cells that a file cannot say again so simply (groups, searches, a server of somebody else's) have no next
//! experiment.

use crate::frame::evidence::CellEvidence;
use model::load::{Distribution, Io, Pause, Phase, PhaseKind, Process, Until};
use model::rate::{self, How, Rate};
use model::settings;
use model::topology::Topology;
use model::units::{Bytes, Nanos};
use model::value::Value;
use model::words::Kind;
use std::fmt::Write;

/// An axis with two values: as it was, and changed.
pub struct Change {
    pub axis: String,
    pub from: Value,
    pub to: Value,
}

/// Only joins without an index use it, and no workload has one.
const PLACEBO: &str = "join_buffer_size";
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
        let from: i64 = cell.runs.first()?.instance?.variables.get(name)?.parse().ok()?;
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
    if !is_ours || !of.load.errors.is_default() || plain.record.plan.intervention.is_some() {
        return None;
    }
    let placebo = Change::variable(cell, PLACEBO, |size| size * 2)?;
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
    text += &load(cell, &removes.axis)?;
    for (n, (limit, value)) in plain.record.plan.limits.iter().enumerate() {
        let _ = writeln!(text, "{}{limit} = {value:?}", if n == 0 { "\n[limits]\n" } else { "" });
    }
    let _ = write!(text, "\n[repeat]\nrepetitions = {REPETITIONS}\naa = false\n");
    Some(text)
}

fn server(cell: &CellEvidence, removes: &str, placebo: &str) -> String {
    let server = &cell.cell.server;
    let mut text = format!(
        "\n[server]\nbuild = \"{}\"\nengine = \"{}\"\nprofile = \"{}\"\n",
        server.build, server.engine, server.profile
    );
    if server.topology != Topology::default() {
        let _ = writeln!(text, "topology = \"{}\"", server.topology);
    }
    for (key, value) in [("cpus", &server.cpus), ("load_cpus", &server.load_cpus)] {
        if let Some(value) = value.as_ref().filter(|_| removes != key) {
            let _ = writeln!(text, "{key} = \"{value}\"");
        }
    }
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

fn load(cell: &CellEvidence, removes: &str) -> Option<String> {
    let load = &cell.cell.load;
    let mut text = format!("\n[load]\nusers = {}\ndeadline = {}\n", load.users.0, time(load.deadline));
    if let Some(arrivals) = &load.arrivals {
        let process = match arrivals.process {
            Process::Poisson => "poisson",
            Process::Constant => "constant",
        };
        let _ = writeln!(text, "rate = \"{}\"\narrivals = \"{process}\"", rate(&arrivals.rate));
    }
    match &load.pause {
        None => {}
        Some(Pause::Pace { every }) => text += &format!("pace = {}\n", time(*every)),
        Some(Pause::Think { mean, distribution, by_operation, keying })
            if by_operation.is_empty() && keying.is_empty() =>
        {
            let how = match distribution {
                Distribution::Constant => "constant",
                Distribution::Exponential => "exponential",
            };
            text += &format!("think = {}\nthink_distribution = \"{how}\"\n", time(*mean));
        }
        Some(Pause::Think { .. }) => return None,
    }
    if let Some(transport) = load.transport {
        let _ = writeln!(text, "transport = \"{}\"", transport.word());
    }
    match load.io {
        Io::Auto => {}
        Io::IoUring => text += "io = \"io_uring\"\n",
        Io::Epoll => text += "io = \"epoll\"\n",
        Io::Blocking => text += "io = \"blocking\"\n",
    }
    if let Some(every) = load.reconnect_every.filter(|_| removes != "reconnect_every") {
        let _ = writeln!(text, "reconnect_every = {every}");
    }
    if let Some(most) = load.drain {
        let _ = writeln!(text, "drain = {}", time(most));
    }
    if !load.sampling {
        text += "sampling = false\n";
    }
    text += &phases(&cell.cell.phases)?;
    Some(text)
}

/// The short form where it says all.
fn phases(phases: &[Phase]) -> Option<String> {
    let alike = |p: &Phase| p.disturb.is_none() && p.work.is_none() && p.users.is_none();
    let plain = |p: &Phase, name: &str| p.name == name && alike(p) && matches!(p.until, Until::Time(_));
    let length = |p: &Phase| match p.until {
        Until::Time(length) => time(length),
        Until::Count(count) => count.to_string(),
    };
    match phases {
        [one] if plain(one, "measure") => return Some(format!("warm_up = \"0s\"\nmeasure = {}\n", length(one))),
        [warm, one] if plain(warm, "warm-up") && plain(one, "measure") => {
            return Some(format!("warm_up = {}\nmeasure = {}\n", length(warm), length(one)));
        }
        [] | [_] | [_, _] | [_, _, ..] => {}
    }
    let mut text = String::new();
    for phase in phases {
        // Iterations are numbered behind a dot, which a file cannot write.
        if !alike(phase) || phase.name.contains('.') {
            return None;
        }
        let _ = writeln!(text, "\n[[phases]]\nname = \"{}\"", phase.name);
        let kind = match phase.kind {
            PhaseKind::Measure => "measure",
            PhaseKind::WarmUp => "warm_up",
        };
        let _ = match phase.until {
            Until::Time(_) => writeln!(text, "{kind} = {}", length(phase)),
            Until::Count(count) => writeln!(text, "count = {count}\nkind = \"{kind}\""),
        };
    }
    Some(text)
}

/// `1000, 5000 at 30s, 8000 by 60s`.
fn rate(rate: &Rate) -> String {
    let change = |change: &rate::Change| {
        let how = match change.how {
            How::Step => "at",
            How::Ramp => "by",
        };
        format!(", {} {how} {}", change.rate, bare_time(change.when))
    };
    format!("{}{}", rate.first, rate.changes.iter().map(change).collect::<String>())
}

fn time(time: Nanos) -> String {
    format!("\"{}\"", bare_time(time))
}

/// The shortest exact form.
fn bare_time(Nanos(n): Nanos) -> String {
    let (per, unit) = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")]
        .into_iter()
        .find(|(per, _)| n % per == 0)
        .expect("one divides everything");
    format!("{}{unit}", n / per)
}

/// A value as TOML; sizes in their largest whole unit.
fn said(key: &str, value: &Value) -> String {
    let is_size = key.strip_prefix("settings.").and_then(settings::by_name).is_some_and(|p| p.kind == Kind::Size);
    match value {
        Value::Text(text) => format!("{text:?}"),
        Value::Flag(flag) => flag.to_string(),
        Value::Real(x) => format!("{x:?}"),
        Value::Count(n) if is_size && n.unsigned_abs() % Bytes::MIB == 0 => {
            format!("\"{} MiB\"", n.unsigned_abs() / Bytes::MIB)
        }
        Value::Count(n) => n.to_string(),
    }
}
