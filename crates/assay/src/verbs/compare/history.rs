//! `assay compare --history DIR`: every record below a folder, taken one at a time, as lines over time with their
//! changes of level. A record that cannot be read is told and left out: one broken night must not hide a year.

use crate::exit::{self, Exit};
use crate::out;
use clap::ArgMatches;
use judge::compare::across::USUAL;
use judge::compare::history::{self, FEWEST_RECORDS, Taken};
use std::path::{Path, PathBuf};

/// How far below the folder records are looked for: in it, and one folder per day or branch.
const DEPTH: u32 = 2;

pub fn run(folder: &str, matches: &ArgMatches) -> Result<Exit, Exit> {
    let taken: Vec<Taken> = found(folder)?.iter().filter_map(|path| take(Path::new(folder), path)).collect();
    if taken.is_empty() {
        return Err(exit::refused(format!(
            "{folder} holds no record with a finished run; name a folder that holds records"
        )));
    }
    let few = (taken.len() < FEWEST_RECORDS)
        .then(|| format!("{} records; a change of level can be told from {FEWEST_RECORDS} on.", taken.len()));
    let asked: Vec<&str> = matches.get_many::<String>("metric").into_iter().flatten().map(String::as_str).collect();
    let history = history::over(taken, if asked.is_empty() { USUAL } else { &asked });
    if history.lines.is_empty() {
        return Err(exit::refused(format!(
            "no cell below {folder} has a number of these metrics; `--metric qps` is one that most have"
        )));
    }
    if let Some(file) = matches.get_one::<String>("html")
        && let Err(e) = std::fs::write(file, report::history::page(&history))
    {
        return Err(exit::failed(format!("{file}: {e}")));
    }
    if matches.get_flag("json") {
        out!("{}", serde_json::to_string_pretty(&history).expect("a history is JSON"));
    } else {
        out!("{}", report::history::text(&history).trim_end());
        few.into_iter().for_each(|few| out!("\n{few}"));
    }
    Ok(Exit::Valid)
}

/// What records below the folder say of how days differ: all but the two that are compared.
pub fn past(folder: &str, matches: &ArgMatches) -> Result<Vec<Taken>, Exit> {
    let real = |path: &Path| path.canonicalize().ok();
    let named = |name: &str| matches.get_one::<String>(name).and_then(|argument| real(record_of(argument)));
    let compared = [named("base"), named("candidate")];
    let others = found(folder)?.into_iter().filter(|path| !compared.contains(&real(path)));
    Ok(others.filter_map(|path| take(Path::new(folder), &path)).collect())
}

/// The folder of `RECORD` or `RECORD:CELL`.
fn record_of(argument: &str) -> &Path {
    match argument.rsplit_once(':') {
        Some((folder, _)) if !Path::new(argument).exists() => Path::new(folder),
        Some(_) | None => Path::new(argument),
    }
}

pub fn found(folder: &str) -> Result<Vec<PathBuf>, Exit> {
    let mut folders = Vec::new();
    records(Path::new(folder), DEPTH, &mut folders)
        .map_err(|e| exit::refused(format!("{folder}: {e}; name a folder that holds records")))?;
    Ok(folders)
}

/// Folders with a plan, in order of name.
fn records(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut paths = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths.into_iter().filter(|path| path.is_dir()) {
        if path.join("plan.json").exists() {
            found.push(path);
        } else if depth > 1 {
            records(&path, depth - 1, found)?;
        }
    }
    Ok(())
}

pub fn take(folder: &Path, path: &Path) -> Option<Taken> {
    let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let (record, details) = match lab::notebook::read(path) {
        Ok(read) => read,
        Err(e) => {
            eprintln!("left out: {e}");
            return None;
        }
    };
    let judgement = judge::judge(&record, &details);
    let taken = history::take(&name, &record, &judgement);
    if taken.is_none() {
        eprintln!("left out: {name} has no finished run");
    }
    taken
}
