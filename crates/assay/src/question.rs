//! From a file name and flags to a plan: what `run` and `plan` have in common. Reads the file, knows the vocabulary,
//! surveys the host; every mistake comes back at once.

use crate::arguments::{many, needed, option, said};
use crate::exit::{self, Exit};
use crate::verbs::servers;
use clap::{ArgMatches, Command};
use lab::os::digest::digest;
use lab::servers::catalogue::by_path::is_path;
use lab::servers::catalogue::{self, Catalogue};
use lab::servers::process::folders::Folders;
use lua::guest::Guest;
use lua::report::{Level, Log};
use lua::script::Said;
use model::experiment::{self};
use model::plan::served::{PROGRAMS, serves};
use model::words::Words;
use model::{Experiment, Host, InstalledBuild, Plan, Problem, Protocol, Record};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use workload::{Workloads, linkbench};

/// An experiment with the plan that answers it here.
pub struct Question {
    pub experiment: Experiment,
    pub host: Host,
    pub plan: Plan,
    /// Those of this room, and those that the experiment brings along.
    pub workloads: Workloads,
}

pub fn arguments(command: Command) -> Command {
    command.args([
        needed("experiment", "EXPERIMENT.toml", "The question, as a file"),
        option("scale", "NAME", "Apply the file's [scale.NAME]: smoke, laptop, study"),
        many("set", "KEY=VALUE", "Override one key of the file, as --set axes.users='[1, 8]'"),
        option("on", "BUILD|DSN", "Run on this build (a name, or a path) or this server, whatever the file says"),
    ])
}

/// What an experiment may name here.
pub fn words(host: &Host, catalogue: &Catalogue, workloads: &Workloads) -> Words {
    // What is catalogued and not here is no mistake of the author: its cells are put aside with the mend.
    let installed = host.builds.iter().map(|b| b.name.clone());
    let known = catalogue.names().into_iter().chain(PROGRAMS.iter().map(|program| program.kind.to_string()));
    let more: Vec<_> = known.filter(|n| host.builds.iter().all(|b| b.name != *n)).collect();
    Words {
        workloads: workloads.words(),
        disturbances: lab::disturbances::words(),
        builds: installed.chain(more).collect(),
        limits: judge::checks::limits().map(|l| (l.name, l.most())).collect(),
    }
}

pub fn ask(matches: &ArgMatches) -> Result<Question, Exit> {
    let path = said(matches, "experiment");
    let text = std::fs::read_to_string(path).map_err(|e| {
        let example = installed_experiments().unwrap_or("experiments".into()).join("read-only-charsets.toml");
        exit::refused(format!("{path}: {e}; name an experiment file, as {}", example.display()))
    })?;
    let name = Path::new(path).file_stem().and_then(|s| s.to_str()).unwrap_or("experiment");
    let scale = matches.get_one::<String>("scale").map(String::as_str);
    let on = matches.get_one::<String>("on").map(|on| server(on));
    resolve(name, path, &text, scale, sets(matches)?.into_iter().chain(on).collect())
}

/// Where an installed program has the experiments that come with it (`make install`): nobody there has a checkout.
fn installed_experiments() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?.parent()?.join("share/assay/experiments");
    folder.is_dir().then_some(folder)
}

/// The `--set KEY=VALUE` of a command line.
pub fn sets(matches: &ArgMatches) -> Result<Vec<(String, String)>, Exit> {
    sets_of(matches, "set")
}

/// The same of an option by another name.
pub fn sets_of(matches: &ArgMatches, name: &str) -> Result<Vec<(String, String)>, Exit> {
    let mut sets = Vec::new();
    for set in matches.get_many::<String>(name).into_iter().flatten() {
        let (key, value) =
            set.split_once('=').ok_or_else(|| exit::refused(format!("--{name} {set}: write --{name} KEY=VALUE")))?;
        sets.push((key.trim().to_string(), value.trim().to_string()));
    }
    Ok(sets)
}

/// What `--on` sets: a build of the catalogue, or by a DSN a server that is there already.
pub fn server(on: &str) -> (String, String) {
    let key = if on.contains("://") { "server.on" } else { "server.build" };
    (key.to_string(), format!("{on:?}"))
}

/// From an experiment's text to its plan; `subject` is what its mistakes are told of.
pub fn resolve(
    name: &str,
    subject: &str,
    text: &str,
    scale: Option<&str>,
    sets: Vec<(String, String)>,
) -> Result<Question, Exit> {
    let folders = Folders::from_environment().map_err(exit::failed)?;
    let catalogue = Catalogue::of(&folders).map_err(servers::illegible)?;
    let mut host = host()?;
    host.builds.extend(by_path(text, &sets)?);
    let mut workloads = Workloads::built_in();
    let script = Experiment::script(text, scale, &sets);
    bring_script(&mut workloads, subject, script)?;
    let words = words(&host, &catalogue, &workloads);
    let experiment =
        Experiment::parse(name, text, scale, &sets, &words).map_err(|problems| exit::wrong(subject, &problems))?;
    let server = &experiment.server;
    // Any other build that is not here is told of by its cells.
    let is_usual = server.on.is_none()
        && server.build == catalogue::DISTRIBUTION
        && experiment.axes.iter().all(|axis| axis.key != "build");
    if is_usual && host.builds.iter().all(|b| !serves(&b.kind, Protocol::MySql)) {
        return Err(exit::refused(catalogue::none_installed()));
    }
    let plan = Plan::of(&experiment, &host, &words).map_err(|problems| exit::wrong(subject, &problems))?;
    bring_degrees(&plan, &mut workloads)?;
    Ok(Question { experiment, host, plan, workloads })
}

/// Builds that the file or the command line names by where they lie.
fn by_path(text: &str, sets: &[(String, String)]) -> Result<Vec<InstalledBuild>, Exit> {
    let mut names = BTreeSet::new();
    let said = sets.iter().map(|(key, value)| format!("{key} = {value}"));
    // What is no TOML is told of where the experiment is read.
    for table in said.chain([text.to_string()]).filter_map(|text| text.parse::<toml::Table>().ok()) {
        collect_paths("", &toml::Value::Table(table), &mut names);
    }
    let find = |name: &String| catalogue::find(name).map(|build| build.installed).map_err(exit::refused);
    names.iter().map(find).collect()
}

/// The paths that are given as builds, at whatever scale.
fn collect_paths(key: &str, value: &toml::Value, names: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => table.iter().for_each(|(key, value)| collect_paths(key, value, names)),
        toml::Value::Array(values) => values.iter().for_each(|value| collect_paths(key, value, names)),
        toml::Value::String(name) if key == "build" && is_path(name) => drop(names.insert(name.clone())),
        _ => {}
    }
}

/// The question that a record answered, as it was put: its file, scale and what was set beside. `name` is how the
/// record is called.
pub fn of_record(name: &str, record: &Record) -> Result<Question, Exit> {
    let plan = &record.plan;
    let mut sets = Vec::new();
    for set in &plan.sets {
        let (key, value) = set.split_once('=').ok_or_else(|| exit::refused(format!("{name}: what is {set}?")))?;
        sets.push((key.to_string(), value.to_string()));
    }
    resolve(&plan.name, &format!("{name}/experiment.toml"), &record.experiment, plan.scale.as_deref(), sets)
}

/// What the files that an experiment names bring, its plan being known.
pub fn bring(
    workloads: &mut Workloads,
    subject: &str,
    script: Option<experiment::Script>,
    plan: &Plan,
) -> Result<(), Exit> {
    bring_script(workloads, subject, script)?;
    bring_degrees(plan, workloads)
}

fn bring_script(workloads: &mut Workloads, subject: &str, script: Option<experiment::Script>) -> Result<(), Exit> {
    if let Some(script) = script {
        workloads.bring(Arc::new(meet(&script, subject)?));
    }
    Ok(())
}

/// Where the script of an experiment's file is looked for: from the file's folder on, else by its name.
pub fn script_beside(script: &experiment::Script, subject: &str) -> String {
    let beside = Path::new(subject).parent().unwrap_or(Path::new("")).join(&script.name);
    if beside.is_file() { beside.to_string_lossy().into_owned() } else { script.name.clone() }
}

/// Reads the script that a file names; its options are words from then on.
fn meet(script: &experiment::Script, subject: &str) -> Result<Guest, Exit> {
    let path = script_beside(script, subject);
    let log = Mutex::new(Log::new(Level::Notice as u8));
    let say = Arc::new(move |said: Said<'_>| match said {
        Said::Print(text) => eprintln!("{text}"),
        Said::Log(level, text) => eprint!("{}", log.lock().unwrap_or_else(PoisonError::into_inner).line(level, text)),
    });
    Guest::meet(script, &path, say, digest).map_err(|why| {
        let problem = Problem {
            line: script.line,
            path: experiment::SCRIPT.into(),
            what: why,
            mend: "name a script of sysbench's kind: a file, from this one's folder, or a module as oltp_read_write"
                .into(),
        };
        exit::wrong(subject, &[problem])
    })
}

/// Reads what LinkBench's users brought: its workload opens no file.
fn bring_degrees(plan: &Plan, workloads: &mut Workloads) -> Result<(), Exit> {
    let works = plan.cells.iter().flat_map(|cell| cell.works());
    let files = works.filter_map(|work| work.parameters.get(linkbench::DEGREES_FILE)?.text().map(String::from));
    let files: BTreeSet<String> = files.filter(|file| !file.is_empty()).collect();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string());
        text.and_then(|text| workloads.bring_degrees(&file, &text)).map_err(|why| {
            exit::refused(format!("{}: {file}: {why}; name a Distribution.dat of LinkBench", linkbench::DEGREES_FILE))
        })?;
    }
    Ok(())
}

/// This machine, as the lab would use it.
pub fn host() -> Result<Host, Exit> {
    let folders = Folders::from_environment().map_err(exit::failed)?;
    Ok(Host { assay: assay(), ..lab::survey(&folders.home) })
}

/// This binary: version, revision, profile.
fn assay() -> String {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    format!("{} ({}, {profile})", env!("CARGO_PKG_VERSION"), env!("ASSAY_REVISION"))
}
