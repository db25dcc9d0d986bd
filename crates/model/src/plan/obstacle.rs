//! What keeps a cell from being run here: a build or an engine that is not there, settings that contradict its load,
//! more users than the server takes or a process may have sockets for. Found before anything starts, from the plan and
//! what the host offers; what nobody said is set so that there is no such obstacle.

use super::cpus::CpuSet;
use super::memory::MemoryPolicy;
use super::topology;
use super::{Cell, Server, served};
use crate::experiment::{DEFAULT_BUILD, Experiment};
use crate::host::{Host, InstalledBuild};
use crate::load::{Io, Transport};
use crate::protocol::Protocol;
use crate::value::Value;
use crate::words::Words;

/// Sessions of the lab itself beside the users: samplers, probe, control.
pub const LAB_SESSIONS: u32 = 8;
/// The setting that limits them, and how it is raised where nobody says it: in steps, so that plans of like size share
/// servers.
const SESSIONS: &str = "max_connections";
const SESSIONS_STEP: i64 = 1_024;
/// What the servers take at most.
const MOST_SESSIONS: i64 = 100_000;
/// Open files of the lab beside a socket for each user: pages of a record, executors, its own sessions.
const LAB_FILES: u64 = 128;
/// Threads of the lab beside one for each user: samplers, writers, the guard.
const LAB_THREADS: u64 = 32;
/// Those of a server: MySQL's family keeps 810 for tables and for itself before it counts sessions.
const SERVER_FILES: u64 = 1_024;

/// Why a cell cannot be run here.
pub(super) struct Obstacle {
    /// The axes that it is about.
    pub keys: &'static [&'static str],
    pub reason: String,
    pub mend: String,
}

/// Lets private servers take the users of every cell, where the experiment says nothing of it. All cells have the same
/// limit, so that levels of users share one server.
pub(super) fn admit(experiment: &Experiment, cells: &mut [Cell]) {
    let is_said = experiment.server.settings.contains_key(SESSIONS)
        || experiment.axes.iter().any(|axis| axis.key.strip_prefix("settings.") == Some(SESSIONS));
    let most = cells.iter().map(|cell| cell.most_users().0).max().unwrap_or_default();
    let needed = (i64::from(most) + i64::from(LAB_SESSIONS) + SESSIONS_STEP - 1) / SESSIONS_STEP * SESSIONS_STEP;
    let settings = cells.iter_mut().map(|cell| &mut cell.server.settings).filter(|_| !is_said);
    for admitted in settings.filter_map(|settings| settings.get_mut(SESSIONS)) {
        if admitted.count().is_some_and(|admitted| admitted < needed) {
            *admitted = Value::Count(needed.min(MOST_SESSIONS));
        }
    }
}

pub(super) fn obstacle(cell: &Cell, host: &Host, words: &Words) -> Option<Obstacle> {
    let server = &cell.server;
    if server.on.is_none() {
        let Some(build) = host.builds.iter().find(|b| b.name == server.build) else {
            return Some(not_installed(&server.build));
        };
        if !has_engine(build, &server.engine) {
            let with: Vec<_> = host.builds.iter().filter(|b| has_engine(b, &server.engine)).collect();
            let with: Vec<_> = with.iter().map(|b| b.name.as_str()).collect();
            let reason = format!(
                "build `{}` has no engine `{}`; it has: {}",
                build.name,
                server.engine,
                build.engines.join(", ")
            );
            return Some(Obstacle {
                keys: &["engine", "build"],
                reason,
                mend: match with[..] {
                    [] => "name another engine, or install a build that has it (assay servers list)".into(),
                    _ => format!("name another engine, or a build that has it: {}", with.join(", ")),
                },
            });
        }
        let refused = topology::refused(cell, build).or_else(|| served::refused(cell, build, words));
        if let Some((keys, reason, mend)) = refused {
            return Some(Obstacle { keys, reason, mend: mend.into() });
        }
        let offers_tls = server.settings.get("tls").and_then(Value::flag) == Some(true);
        if cell.load.transport == Some(Transport::Tls) && !offers_tls {
            return Some(Obstacle {
                keys: &["transport", "settings.tls"],
                reason: "users are to come under TLS, and settings.tls keeps the server from offering it".into(),
                mend: "leave out settings.tls, or take another transport".into(),
            });
        }
        if let Some(obstacle) = crowded(cell) {
            return Some(obstacle);
        }
    }
    if let Some(obstacle) = short_of_files(cell, host).or_else(|| short_of_threads(cell, host)) {
        return Some(obstacle);
    }
    if let Some((keys, reason, mend)) = server.on.as_deref().and_then(|dsn| served::misled(cell, dsn, words)) {
        return Some(Obstacle { keys, reason, mend: mend.into() });
    }
    if let Some(obstacle) = without_node(server, host) {
        return Some(obstacle);
    }
    without_cpus(server, host)
}

/// CPUs that are not here. Of a server of ours all ranks are; of another, only who plans.
fn without_cpus(server: &Server, host: &Host) -> Option<Obstacle> {
    let sets = |text: &Option<String>| text.as_ref().map(|t| CpuSet::of_ranks(t).expect("checked by the grammar"));
    let here = if server.on.is_some() { 1 } else { usize::MAX };
    let cpus = [(&["cpus"][..], &server.cpus), (&["load_cpus"], &server.load_cpus)];
    cpus.into_iter().find_map(|(keys, text)| {
        let why = sets(text)?.iter().take(here).find_map(|set| set.on(host).err())?;
        Some(Obstacle {
            keys,
            reason: format!("cannot use \"{}\" of the CPUs: {why}", text.as_deref().unwrap_or_default()),
            mend: "name a set that this host has, or leave it out".into(),
        })
    })
}

/// Memory of a NUMA node that is not here.
fn without_node(server: &Server, host: &Host) -> Option<Obstacle> {
    let text = server.memory.as_ref()?;
    let why = MemoryPolicy::parse(text).expect("checked by the grammar").on(host).err()?;
    Some(Obstacle {
        keys: &["memory"],
        reason: format!("cannot take a server's memory by \"{text}\": {why}"),
        mend: "name nodes that this host has, or leave it out".into(),
    })
}

/// More users than the experiment lets the server take.
fn crowded(cell: &Cell) -> Option<Obstacle> {
    let most = cell.most_users();
    let wanted = i64::from(most.0) + i64::from(LAB_SESSIONS);
    let admitted = cell.server.settings.get(SESSIONS).and_then(Value::count).filter(|a| *a < wanted)?;
    let reason = format!("{most} and the lab's own {LAB_SESSIONS} sessions are more than max_connections = {admitted}");
    let mend = match admitted < MOST_SESSIONS {
        true => "raise max_connections in [server.settings]",
        false => "ask for fewer users: no server takes more",
    };
    Some(Obstacle { keys: &["users", "settings.max_connections"], reason, mend: mend.into() })
}

/// More users than a process of this host may have sockets: the lab has one for each, and so has a server that it
/// starts.
fn short_of_files(cell: &Cell, host: &Host) -> Option<Obstacle> {
    let most = cell.most_users();
    let (whose, beside) = match cell.server.on {
        Some(_) => ("assay", LAB_FILES),
        None => ("assay and its server each", SERVER_FILES),
    };
    let needed = u64::from(most.0) + beside;
    // A host that was described without its limit has none.
    (1..needed).contains(&host.open_files).then(|| Obstacle {
        keys: &["users"],
        reason: format!("{whose} need {needed} open files for {most}, and a process here may have {}", host.open_files),
        mend: format!(
            "raise the limit (ulimit -Hn {needed} as root, or LimitNOFILE of a service), or ask for fewer users"
        ),
    })
}

/// More users, each with a thread that blocks, than this host lets a process have threads.
fn short_of_threads(cell: &Cell, host: &Host) -> Option<Obstacle> {
    let most = cell.most_users();
    let needed = u64::from(most.0) + LAB_THREADS;
    let short = cell.load.io == Io::Blocking && (1..needed).contains(&host.threads);
    short.then(|| Obstacle {
        keys: &["io", "users"],
        reason: format!(
            "io = \"blocking\" needs {needed} threads for {most}, and a process here may have {}",
            host.threads
        ),
        mend: "leave io at \"auto\", raise the limit (ulimit -u, pids.max of the cgroup), or ask for fewer users"
            .into(),
    })
}

/// The grammar admits what the catalogue has, so what is not here can be had.
fn not_installed(build: &str) -> Obstacle {
    let mend = match (build, served::package_of(build)) {
        (DEFAULT_BUILD, _) => "install the distribution's own server, or name a build (assay servers list)".into(),
        (_, Some(package)) => package.into(),
        (_, None) => format!("`assay servers install {build}` brings it"),
    };
    Obstacle { keys: &["build"], reason: format!("build `{build}` is not installed here"), mend }
}

/// A build without engines keeps no tables, and nothing is asked of it.
fn has_engine(build: &InstalledBuild, engine: &str) -> bool {
    !served::own(&build.kind).is_some_and(Protocol::is_sql)
        || build.engines.iter().any(|e| e.eq_ignore_ascii_case(engine))
}
