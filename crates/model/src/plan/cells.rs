//! Axes multiplied into cells, every default filled in, and what this host cannot run put aside with its reason. An axis over
//! a parameter that a workload lacks does not multiply that workload's cells.

use super::cpus::CpuSet;
use super::{Axis, Cell, CellId, Server, Skipped};
use crate::experiment::grammar::{axis_target, parameter_of};
use crate::experiment::{Experiment, NO_DISTURBANCE};
use crate::host::Host;
use crate::load::{Arrivals, Process, Transport, Until};
use crate::problem::Problem;
use crate::rate::Rate;
use crate::settings;
use crate::units::{Bytes, Nanos, Users};
use crate::value::Value;
use crate::words::{Words, WorkloadWords};
use std::collections::{BTreeMap, BTreeSet};

/// Sessions of the lab itself beside the users: samplers, probe, control.
const LAB_SESSIONS: u32 = 8;

type Axes = BTreeMap<String, Value>;

/// Why a cell cannot be run here.
struct Obstacle {
    /// The axes that it is about.
    keys: &'static [&'static str],
    reason: String,
    mend: &'static str,
}

/// Cells in the order of the axes, the last axis varying fastest, and what was put aside: each as it is listed beside the
/// cells that remain, and as it is told where none remains.
pub(super) fn cells(experiment: &Experiment, host: &Host, words: &Words) -> (Vec<Cell>, Vec<(Skipped, Problem)>) {
    let mut cells = Vec::new();
    let mut skipped: Vec<(Skipped, Problem)> = Vec::new();
    let mut seen = BTreeSet::new();
    for combination in Combinations::of(&experiment.axes) {
        let workload = workload_of(experiment, &combination, words);
        let axes: Axes = combination.into_iter().filter(|(key, _)| applies(key, workload)).collect();
        if !seen.insert((workload.name, axes.clone())) {
            continue;
        }
        let cell = cell(experiment, axes, workload);
        match obstacle(&cell, host) {
            None => cells.push(cell),
            Some(Obstacle { keys, reason, mend }) => {
                let axes: Axes = cell.axes.into_iter().filter(|(key, _)| keys.contains(&key.as_str())).collect();
                let path = axes.keys().next().map_or_else(|| path_of(keys[0]), |axis| format!("axes.{axis}"));
                let skip = Skipped { axes, reason };
                if skipped.iter().all(|(s, _)| *s != skip) {
                    let problem = experiment.problem(&path, skip.reason.clone(), mend);
                    skipped.push((skip, problem));
                }
            }
        }
    }
    let width = cells.len().to_string().len().max(3);
    for (i, cell) in cells.iter_mut().enumerate() {
        cell.id = CellId(format!("c{:0width$}", i + 1));
    }
    (cells, skipped)
}

/// The A/A arm: the middle cell once more under another label, because the ends of axes are the least typical.
pub(super) fn repeat_one(cells: &mut Vec<Cell>) {
    let twin = cells[cells.len() / 2].clone();
    let width = twin.id.0.len() - 1;
    cells.push(Cell { id: CellId(format!("c{:0width$}", cells.len() + 1)), repeats: Some(twin.id.clone()), ..twin });
}

/// All combinations of axis values.
struct Combinations<'a> {
    axes: &'a [Axis],
    next: Option<Vec<usize>>,
}

impl<'a> Combinations<'a> {
    fn of(axes: &'a [Axis]) -> Self {
        Self { axes, next: Some(vec![0; axes.len()]) }
    }
}

impl Iterator for Combinations<'_> {
    type Item = Vec<(String, Value)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut at = self.next.take()?;
        let item = self.axes.iter().zip(&at).map(|(axis, i)| (axis.key.clone(), axis.values[*i].clone())).collect();
        for (axis, i) in self.axes.iter().zip(&mut at).rev() {
            *i += 1;
            if *i < axis.values.len() {
                self.next = Some(at);
                break;
            }
            *i = 0;
        }
        Some(item)
    }
}

fn path_of(axis: &str) -> String {
    axis_target(axis).unwrap_or(axis).to_string()
}

fn workload_of<'a>(experiment: &Experiment, combination: &[(String, Value)], words: &'a Words) -> &'a WorkloadWords {
    let chosen = combination.iter().find(|(key, _)| key == "workload").and_then(|(_, value)| value.text());
    let running = experiment.running(words);
    running
        .into_iter()
        .find(|w| chosen.is_none_or(|name| w.name == name))
        .expect("a parsed experiment names known workloads")
}

fn applies(axis: &str, workload: &WorkloadWords) -> bool {
    match axis {
        "build" | "engine" | "profile" | "cpus" | "load_cpus" | "users" | "rate" | "transport" | "workload" => true,
        parameter => parameter.contains('.') || parameter_of(workload, parameter).is_some(),
    }
}

fn cell(experiment: &Experiment, axes: Axes, workload: &WorkloadWords) -> Cell {
    let mut load = experiment.load.clone();
    if let Some(users) = axes.get("users").and_then(Value::count) {
        load.users = Users(u32::try_from(users).expect("bounded by the grammar"));
    }
    if let Some(rate) = axes.get("rate").and_then(Rate::of) {
        let process = load.arrivals.as_ref().map_or(Process::Poisson, |a| a.process);
        load.arrivals = Some(Arrivals { rate, process });
    }
    if let Some(transport) = axes.get("transport").and_then(Value::text) {
        load.transport = Transport::named(transport);
    }
    let mut phases = experiment.phases.clone();
    for phase in &mut phases {
        let name = phase.name.split('.').next().unwrap_or(&phase.name);
        if let Some(disturb) = axes.get(&format!("phases.{name}.disturb")) {
            phase.disturb = disturb.text().filter(|d| *d != NO_DISTURBANCE).map(str::to_string);
        }
    }
    let parameters = workload.parameters.iter().filter_map(|p| {
        let said = axes.get(p.name).or_else(|| experiment.written(workload, p.name)).cloned();
        Some((p.name.to_string(), said.or_else(|| p.default.map(|d| d.value()))?))
    });
    Cell {
        id: CellId(String::new()),
        repeats: None,
        server: server(experiment, &axes),
        workload: workload.name.to_string(),
        parameters: parameters.collect(),
        load,
        phases,
        axes,
    }
}

fn server(experiment: &Experiment, axes: &Axes) -> Server {
    let wish = &experiment.server;
    let axis = |key: &str| axes.get(key).and_then(Value::text).map(str::to_string);
    let profile = axis("profile").unwrap_or_else(|| wish.profile.clone());
    let mut server = Server {
        build: axis("build").unwrap_or_else(|| wish.build_name().to_string()),
        on: wish.on.clone(),
        engine: axis("engine").unwrap_or_else(|| wish.engine.clone()),
        settings: profile_settings(&profile),
        native: wish.native.clone(),
        profile,
        tcp: comes_by(experiment, Transport::Tcp) || comes_by(experiment, Transport::Tls),
        cpus: axis("cpus").or_else(|| wish.cpus.clone()),
        load_cpus: axis("load_cpus").or_else(|| wish.load_cpus.clone()),
    };
    if comes_by(experiment, Transport::Tls) {
        server.settings.insert("tls".into(), Value::Flag(true));
    }
    server.settings.extend(wish.settings.clone());
    for (key, value) in axes {
        match key.split_once('.') {
            Some(("settings", name)) => server.settings.insert(name.to_string(), value.clone()),
            Some(("native", name)) => server.native.insert(name.to_string(), value.clone()),
            Some(_) | None => continue,
        };
    }
    if let Some(dsn) = &server.on {
        // Nothing is set on a server that was there before; it is called by its address.
        let address = dsn.split("://").nth(1).unwrap_or(dsn).split(['/', '?']).next().unwrap_or_default();
        server.build = address.rsplit('@').next().unwrap_or(address).to_string();
        server.profile = "default".into();
        server.settings.clear();
        server.native.clear();
    }
    server
}

/// Whether users of any cell come this way: then the servers of all cells offer it, so that one server can take them all.
fn comes_by(experiment: &Experiment, transport: Transport) -> bool {
    match experiment.axes.iter().find(|a| a.key == "transport") {
        Some(axis) => axis.values.iter().any(|value| value.text() == Some(transport.word())),
        None => experiment.load.transport == Some(transport),
    }
}

fn profile_settings(profile: &str) -> BTreeMap<String, Value> {
    let kept = settings::ALL.iter().filter(|p| profile == "durable" || settings::PLUMBING.contains(&p.name));
    kept.filter_map(|p| Some((p.name.to_string(), p.default?.value()))).collect()
}

fn obstacle(cell: &Cell, host: &Host) -> Option<Obstacle> {
    let server = &cell.server;
    if server.on.is_none() {
        let Some(build) = host.builds.iter().find(|b| b.name == server.build) else {
            let installed: Vec<_> = host.builds.iter().map(|b| b.name.as_str()).collect();
            let installed = if installed.is_empty() {
                "no server is installed here".into()
            } else {
                format!("installed: {}", installed.join(", "))
            };
            return Some(Obstacle {
                keys: &["build"],
                reason: format!("build `{}` is not installed here; {installed}", server.build),
                mend: "install it, or name one that is installed",
            });
        };
        if !build.engines.iter().any(|e| e.eq_ignore_ascii_case(&server.engine)) {
            let reason = format!(
                "build `{}` has no engine `{}`; it has: {}",
                build.name,
                server.engine,
                build.engines.join(", ")
            );
            return Some(Obstacle {
                keys: &["engine", "build"],
                reason,
                mend: "name another engine, or another build",
            });
        }
        let offers_tls = server.settings.get("tls").and_then(Value::flag) == Some(true);
        if cell.load.transport == Some(Transport::Tls) && !offers_tls {
            return Some(Obstacle {
                keys: &["transport", "settings.tls"],
                reason: "users are to come under TLS, and settings.tls keeps the server from offering it".into(),
                mend: "leave out settings.tls, or take another transport",
            });
        }
        let admitted = server.settings.get("max_connections").and_then(Value::count);
        let wanted = i64::from(cell.load.users.0) + i64::from(LAB_SESSIONS);
        if let Some(admitted) = admitted.filter(|a| *a < wanted) {
            let reason = format!(
                "{} and the lab's own {LAB_SESSIONS} sessions are more than max_connections = {admitted}",
                cell.load.users
            );
            return Some(Obstacle {
                keys: &["users", "settings.max_connections"],
                reason,
                mend: "raise max_connections in [server.settings]",
            });
        }
    }
    let cpus = [(&["cpus"][..], &server.cpus), (&["load_cpus"], &server.load_cpus)];
    cpus.into_iter().find_map(|(keys, text)| {
        let set = CpuSet::parse(text.as_ref()?).expect("checked by the grammar");
        let why = set.on(host).err()?;
        Some(Obstacle {
            keys,
            reason: format!("cannot use \"{}\" of the CPUs: {why}", text.as_deref().unwrap_or_default()),
            mend: "name a set that this host has, or leave it out",
        })
    })
}

/// What of the plan is larger than the host.
pub(super) fn size_warnings(cells: &[Cell], disk: Bytes, host: &Host) -> Vec<String> {
    let pools: BTreeSet<_> =
        cells.iter().filter_map(|c| c.server.settings.get("buffer_pool")?.count()).map(i64::unsigned_abs).collect();
    let too_large = pools.into_iter().map(Bytes).filter(|b| host.memory.0 > 0 && *b > host.memory);
    let mut warnings: Vec<_> =
        too_large.map(|b| format!("buffer_pool is {b}, but the host has {} of memory.", host.memory)).collect();
    if host.disk_free.0 > 0 && disk > host.disk_free {
        warnings.push(format!("The plan needs about {disk} of disk, but {} is free.", host.disk_free));
    }
    warnings
}

/// Changes of a rate that no run lives to see; with phases by count nobody knows how long it lives.
pub(super) fn rate_warnings(cells: &[Cell]) -> BTreeSet<String> {
    let late = |cell: &Cell| {
        let times = cell.phases.iter().map(|phase| match phase.until {
            Until::Time(time) => Some(time.0),
            Until::Count(_) => None,
        });
        let end = Nanos(times.sum::<Option<u64>>()?);
        let last = cell.load.arrivals.as_ref()?.rate.changes.last()?.when;
        (last >= end).then(|| format!("A rate changes until {last} after the start, but its run ends after {end}."))
    };
    cells.iter().filter_map(late).collect()
}
