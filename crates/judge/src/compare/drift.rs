//! What differs between two cells although the axis between them does not imply it: effective values, read back from
//! the server and its sessions, because a default moves between versions under the same option file. What two cells
//! cannot disagree on without an axis (the plan's one `[server]` and one `[load]`) is not compared.

use super::in_force;
pub use super::moved::ABSENT;
use super::moved::{self, is_the_build};
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::frame::prepared;
use model::experiment::keys;
use model::load::Work;
use model::plan::served::serves;
use model::protocol::Protocol;
use model::settings;
use std::collections::BTreeMap;

/// What a difference means for a claim about the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Another amount or kind of work was done.
    Work,
    /// What both servers were asked for is in force in one of them, or comes to another amount there.
    InForce,
    /// The server or its surroundings were another.
    Circumstance,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    pub key: String,
    pub base: String,
    pub candidate: String,
    pub class: Class,
}

/// Session variables that decide what a statement does.
const WORK: &[&str] = &[
    "autocommit",
    "transaction_isolation",
    "character_set_client",
    "character_set_connection",
    "character_set_results",
    "collation_connection",
];

/// Variables that name this one server and not how it works. `*` stands for any end.
const COSMETIC: &[&str] = &[
    "port",
    "extra_port",
    "socket",
    "pid_file",
    "hostname",
    "server_id",
    "server_uid",
    "server_uuid",
    "datadir",
    "tmpdir",
    "timestamp",
    "pseudo_*",
    "last_*",
    "gtid_*",
    "rand_seed*",
    "insert_id",
    "identity",
    "error_count",
    "warning_count",
    "report_*",
    "general_log_file",
    "slow_query_log_file",
    "log_error",
    "log_bin_basename",
    "log_bin_index",
    "relay_log*",
    "innodb_data_home_dir",
    "innodb_log_group_home_dir",
    "innodb_undo_directory",
    "innodb_tmpdir",
    "secure_file_priv",
    "aria_log_dir_path",
    "feedback_*",
    "wsrep_node_*",
    "wsrep_data_home_dir",
    "version_compile_*",
    "in_transaction",
    // What a key endpoint was found to be; what was set of it stands among the server's variables.
    "door*",
    "container",
    "stale_*",
    "external_user",
    "proxy_user",
    "aria_encrypt*",
];

/// Everything that differs and is not implied, work first.
pub fn between(base: &CellEvidence, candidate: &CellEvidence, axis: &str) -> Vec<Drift> {
    let mut drifts = parameters(base, candidate);
    if let (Some(one), Some(other)) = (base.runs.first(), candidate.runs.first()) {
        // Another record's server of the same name is another server.
        let same_server = one.run.instance.is_some()
            && one.run.instance == other.run.instance
            && std::ptr::eq(one.record, other.record);
        if let (Some(_), Some(_), false) = (one.instance, other.instance, same_server || is_without_sql(one, other)) {
            differing("variable.", &one.variables(), &other.variables(), &mut drifts);
            if std::ptr::eq(one.record, other.record) {
                decide(
                    &mut drifts,
                    axis == "build",
                    [one, other].iter().any(|run| run.variable("log_bin") == Some("ON")),
                );
            }
        }
        // A session past SQL has none of its variables.
        if base.cell.past_sql().eq(candidate.cell.past_sql()) {
            differing("session.", &one.run.session.variables, &other.run.session.variables, &mut drifts);
        }
        for (group, answer) in &one.run.more_sessions {
            let theirs = other.run.more_sessions.get(group).unwrap_or(&other.run.session);
            differing("session.", &answer.variables, &theirs.variables, &mut drifts);
        }
        differing("", &surroundings(one), &surroundings(other), &mut drifts);
    }
    if let (Some(one), Some(other)) = (base.runs.first(), candidate.runs.first())
        && speak_other_sql(one, other)
    {
        // Each has its own character sets and session: what only one has is the server, and what both have is told.
        let own = |d: &&mut Drift| d.key.starts_with("session.") || d.key.ends_with(CHARSET);
        drifts.iter_mut().filter(own).for_each(|d| d.class = Class::Circumstance);
    }
    drifts.retain(|d| !implies(axis, d));
    // Of one build the variables themselves say it.
    if axis == "build" {
        let unlike = in_force::between(base, candidate).into_iter();
        drifts.extend(unlike.map(|(key, [base, candidate])| Drift { key, base, candidate, class: Class::InForce }));
    }
    if let (Some(one), Some(other)) = (base.runs.first(), candidate.runs.first())
        && prepared::alike(one, other)
        && aged(one) == aged(other)
    {
        drifts.retain(|d| d.key != DATA);
    }
    if let (Some(one), Some(other)) = (base.runs.first(), candidate.runs.first())
        && is_without_sql(one, other)
    {
        // It is filled at each start.
        drifts.retain(|d| d.key != DATA);
    }
    drifts.sort_by(|a, b| (a.class, &a.key).cmp(&(b.class, &b.key)));
    drifts
}

/// Within one record a variable that decides what a statement means, or what a commit is worth, is other work. Two
/// builds mean what they mean; what their commits are worth is not the build.
fn decide(drifts: &mut [Drift], are_builds: bool, have_log: bool) {
    for drift in drifts.iter_mut().filter(|d| d.key.starts_with("variable.")) {
        let name = drift.key.trim_start_matches("variable.");
        let both = drift.base != ABSENT && drift.candidate != ABSENT;
        let is_durability = moved::is_durability(name) && (name != "sync_binlog" || have_log || !are_builds);
        let decides = is_durability || (!are_builds && moved::is_meaning(name));
        if both && decides && !moved::same_number(&drift.base, &drift.candidate) {
            drift.class = Class::Work;
        }
    }
}

/// Whether one of the servers is without SQL, and so has no variables.
fn is_without_sql(one: &RunEvidence, other: &RunEvidence) -> bool {
    [one, other].into_iter().any(|run| run.instance.is_some_and(|instance| !serves(&instance.kind, Protocol::MySql)))
}

/// A parameter whose values are each family's own.
const CHARSET: &str = "charset";

/// Whether one is of MySQL's family and the other is PostgreSQL.
fn speak_other_sql(one: &RunEvidence, other: &RunEvidence) -> bool {
    let speaks = |run: &RunEvidence, sql| run.instance.is_some_and(|instance| serves(&instance.kind, sql));
    let [(a, b), (c, d)] = [one, other].map(|run| (speaks(run, Protocol::MySql), speaks(run, Protocol::PostgreSql)));
    a && d || b && c
}

/// Parameters that both have, group by group, where their workloads are of one family: what two families mean by `rows`
/// need not be the same.
fn parameters(base: &CellEvidence, candidate: &CellEvidence) -> Vec<Drift> {
    let family = |work: &Work| work.workload.split('.').next().map(str::to_string);
    let mut drifts = Vec::new();
    for (one, other) in base.cell.groups().iter().zip(candidate.cell.groups()) {
        if family(&one.work) != family(&other.work) {
            continue;
        }
        let prefix = if base.cell.groups.is_empty() { String::new() } else { format!("groups.{}.", one.name) };
        drifts.extend(differing_parameters(&prefix, &one.work, &other.work));
    }
    let works = |cell: &CellEvidence| {
        cell.cell
            .phases
            .iter()
            .flat_map(|p| p.works().map(|w| (p.name.clone(), w.clone())).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    for ((name, one), (_, other)) in works(base).into_iter().zip(works(candidate)) {
        drifts.extend(differing_parameters(&format!("phases.{name}."), &one, &other));
    }
    drifts
}

fn differing_parameters(prefix: &str, one: &Work, other: &Work) -> Vec<Drift> {
    let differing = one.parameters.iter().filter_map(|(name, value)| {
        let other = other.parameters.get(name).filter(|other| *other != value)?;
        let (base, candidate) = (value.to_string(), other.to_string());
        Some(Drift { key: format!("{prefix}{name}"), base, candidate, class: Class::Work })
    });
    differing.collect()
}

fn aged(run: &RunEvidence) -> bool {
    run.run.start.as_ref().is_some_and(|start| start.aged)
}

/// How the data came to lie where a run found them.
const DATA: &str = "data";

fn surroundings(run: &RunEvidence) -> BTreeMap<String, String> {
    let list = |cpus: &[u32]| cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let mut facts: BTreeMap<String, String> = [
        ("io", run.run.io.clone()),
        ("workers", run.run.workers.to_string()),
        ("load_cpus", list(run.load_cpus())),
        ("server_cpus", list(run.server_cpus())),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_string(), value))
    .collect();
    if let Some(start) = &run.run.start {
        facts.insert(DATA.into(), format!("{}{}", start.prepared, if start.aged { ", then written into" } else { "" }));
    }
    if let Some(instance) = run.instance {
        facts.insert("version".into(), instance.version_text.clone());
        facts.extend(instance.binary_sha256.clone().map(|sum| ("binary".to_string(), sum)));
        facts.extend(instance.build_id.clone().map(|id| ("build_id".to_string(), id)));
    }
    facts
}

fn differing(
    prefix: &str,
    base: &BTreeMap<String, String>,
    candidate: &BTreeMap<String, String>,
    drifts: &mut Vec<Drift>,
) {
    let renamed = |side: &BTreeMap<String, String>| -> BTreeMap<String, String> {
        side.iter().map(|(name, value)| moved::renamed(name, value)).collect()
    };
    let (base, candidate) = (renamed(base), renamed(candidate));
    let mut push = |key: &String, base: &str, candidate: &str| {
        if base == candidate || COSMETIC.iter().any(|c| matches(c, key)) {
            return;
        }
        let work = prefix != "variable." && (WORK.contains(&key.as_str()) || key == DATA);
        let class = if work { Class::Work } else { Class::Circumstance };
        drifts.push(Drift { key: format!("{prefix}{key}"), base: base.into(), candidate: candidate.into(), class });
    };
    for (key, value) in &base {
        push(key, value, candidate.get(key).map_or(ABSENT, String::as_str));
    }
    for (key, value) in candidate.iter().filter(|(key, _)| !base.contains_key(*key)) {
        push(key, ABSENT, value);
    }
}

fn implies(axis: &str, drift: &Drift) -> bool {
    // An axis over all groups is one over each of them, and one over what a group has implies what theirs would.
    let own = |name: &str| Some(name.strip_prefix("groups.")?.split_once('.')?.1.to_string());
    // So is one over all phases; a phase's name may end in the number of its iteration.
    if drift.key.starts_with("phases.") && drift.key.rsplit('.').next() == Some(axis) {
        return true;
    }
    if own(&drift.key).is_some_and(|key| key == axis) {
        return true;
    }
    if let Some(own) = own(axis) {
        return drift.key == axis || implies(&own, drift);
    }
    let key = &drift.key;
    // A session begins with the server's own value.
    let native = axis.strip_prefix("native.").map(|name| name.replace('-', "_"));
    let of_server = key.strip_prefix("variable.").or_else(|| key.strip_prefix("session."));
    key == axis
        || native.is_some_and(|name| of_server == Some(&name))
        || (axis == "build" && drift.class == Class::Circumstance && is_the_build(key, &drift.base, &drift.candidate))
        || keys::moves(axis).iter().any(|pattern| matches(pattern, key))
        || axis
            .strip_prefix("settings.")
            .zip(key.strip_prefix("variable."))
            .is_some_and(|(word, variable)| settings::moves(word).iter().any(|pattern| matches(pattern, variable)))
}

fn matches(pattern: &str, key: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == key, |start| key.starts_with(start))
}

/// How one number may have been mistyped for the other: seed 0's missing zero.
pub fn slip(drift: &Drift) -> Option<&'static str> {
    let (a, b): (f64, f64) = (drift.base.parse().ok()?, drift.candidate.parse().ok()?);
    let ratio = if a > 0.0 && b > 0.0 { (a / b).max(b / a) } else { return None };
    if ratio == 10.0 {
        Some("The two differ by exactly one zero.")
    } else if ratio == 100.0 {
        Some("The two differ by exactly two zeros.")
    } else {
        None
    }
}
