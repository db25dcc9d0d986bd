//! `assay init`: writes a first experiment, after three questions on a terminal, by flags, or with the defaults in a
//! pipe. The file is commented, because who reads it is about to change it. It is parsed and planned before it is
//! written: a first experiment that is refused would be a poor welcome.

use super::bench::OF_SHAM;
use super::{Verb, bench};
use crate::arguments::{option, positional};
use crate::exit::{self, Exit};
use crate::{out, question};
use clap::{ArgMatches, Command};
use model::Plan;
use model::problem::nearest;
use model::words::WorkloadWords;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::Path;
use workload::Workloads;

pub const VERB: Verb = Verb { name: "init", command, run };

const FILE: &str = "first.toml";
const WORKLOAD: &str = "oltp.mixed";
/// One user alone, a few, and more than most laptops have CPUs.
const USERS: &str = "1,4,16";
/// What fits every machine that runs a server at all, and loads within seconds.
const ROWS: i64 = 10_000;
/// The scale of a first look.
const LOOK: &str = "smoke";

fn command(command: Command) -> Command {
    command
        .about("Write a first experiment for the server at hand; asks what no flag says, where somebody answers")
        .args([
            positional("file", "FILE", "The file to write").default_value(FILE),
            option("question", "TEXT", "What is asked, in your words"),
            option("workload", "WORKLOAD", "What users do, as oltp.point_selects"),
            option("users", "N,N", "Levels of users, as 1,4,16"),
            option(
                "on",
                "BUILD|DSN",
                "A build, or a server: mysql://root@localhost/schema?socket=PATH [default: distribution]",
            ),
        ])
}

struct Asked {
    question: String,
    workload: String,
    users: Vec<u32>,
    /// A build of the catalogue, or a server that is there.
    on: String,
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let file = matches.get_one::<String>("file").expect("it has a default");
    if Path::new(file).exists() {
        return Err(exit::refused(format!("{file} is there already, and init overwrites nothing; name another file")));
    }
    let workloads = Workloads::built_in().words();
    let asked = ask(matches, &workloads)?;
    let words = workloads.iter().find(|words| words.name == asked.workload);
    bench::needs_sham(&asked.workload, Some(&asked.on))?;
    let text = compose(file, &asked, words);
    // As it is written and as it is looked at first: both must be carried out.
    let name = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or("first");
    question::resolve(name, file, &text, Some(LOOK), Vec::new())?;
    let whole = question::resolve(name, file, &text, None, Vec::new())?;
    std::fs::write(file, &text).map_err(|e| exit::refused(format!("{file} cannot be written: {e}; name another")))?;
    out!("{}", told(file, &whole.plan));
    Ok(Exit::Valid)
}

fn ask(matches: &ArgMatches, workloads: &[WorkloadWords]) -> Result<Asked, Exit> {
    let answers = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let said = |name: &str| matches.get_one::<String>(name).cloned();
    let or_asked = |name: &str, what: &str, default: &str, mistake: &dyn Fn(&str) -> Option<String>| match said(name) {
        Some(said) => said,
        None if answers => answer(what, default, mistake),
        None => default.to_string(),
    };
    let on = said("on").unwrap_or_else(|| "distribution".into());
    let workload = or_asked("workload", &offered(workloads), WORKLOAD, &|name| unknown(name, workloads));
    let wrong = |users: &str| levels(users).is_none().then(|| format!("write numbers with commas, as {USERS}"));
    let users = or_asked("users", "How many users, level by level?", USERS, &wrong);
    let levels = levels(&users);
    let levels =
        levels.ok_or_else(|| exit::refused(format!("--users {users}: write numbers with commas, as {USERS}")))?;
    let default = format!("How does {workload} grow with the number of users?");
    let question = or_asked("question", "What do you want to know?", &default, &|_| None);
    Ok(Asked { question, workload, users: levels, on })
}

/// The first question, which nobody can answer who does not know what there is.
fn offered(workloads: &[WorkloadWords]) -> String {
    let mut families: Vec<&str> = workloads.iter().filter_map(|words| words.name.split('.').next()).collect();
    families.retain(|family| *family != OF_SHAM);
    families.dedup();
    format!("What do the users do? A workload of {}; `?` lists them", families.join(", "))
}

/// Why there is no such workload, with what is near or, when asked for it, all.
fn unknown(name: &str, workloads: &[WorkloadWords]) -> Option<String> {
    let names = || workloads.iter().map(|words| &*words.name).filter(|name| *name != OF_SHAM);
    if names().any(|known| known == name) {
        return None;
    }
    Some(match nearest(name, names()) {
        Some(near) => format!("there is no workload {name}; did you mean {near}?"),
        None => list(workloads),
    })
}

fn list(workloads: &[WorkloadWords]) -> String {
    let rows = workloads.iter().filter(|words| words.name != OF_SHAM);
    rows.map(|words| format!("  {:26} {}", words.name, words.why)).collect::<Vec<_>>().join("\n")
}

fn levels(users: &str) -> Option<Vec<u32>> {
    users.split(',').map(|n| n.trim().parse().ok()).collect()
}

/// Asked on stderr, so that what stdout gets is the result, and again as long as the answer is a mistake and somebody
/// is there to mend it.
fn answer(what: &str, default: &str, mistake: &dyn Fn(&str) -> Option<String>) -> String {
    loop {
        eprint!("{what} [{default}] ");
        let _ = std::io::stderr().flush();
        let mut line = String::new();
        let is_over = !std::io::stdin().read_line(&mut line).is_ok_and(|read| read > 0);
        let said = if line.trim().is_empty() { default } else { line.trim() };
        match mistake(said) {
            Some(why) if !is_over => eprintln!("{why}"),
            Some(_) | None => return said.to_string(),
        }
    }
}

fn compose(file: &str, asked: &Asked, words: Option<&WorkloadWords>) -> String {
    let Asked { question, workload, users, on } = asked;
    let mut text = format!(
        "# A first experiment, written by `assay init`. One file is one question: change it, and ask again.\n\
         #   assay plan {file}                  every run it would make, with time and disk\n\
         #   assay run {file} --scale {LOOK}     a first look, too short for a number to quote\n\
         #   assay run {file}                   the measurement; the same command goes on where it was stopped\n\n\
         question = {question:?}\n\n\
         [axes]                      # every combination of these values is one cell, with numbers of its own\n\
         workload = [{workload:?}]\n\
         users    = {users:?}\n\
         # charset = [\"latin1\", \"utf8mb4-unicode\"]      any key of this file can be an axis\n\n"
    );
    text += &server(on);
    text += &dataset(workload, words);
    text += "\
        [load]\n\
        warm_up = \"2s\"              # before anything is counted\n\
        measure = \"10s\"             # of each run; short runs have few samples of rare, slow answers\n\n\
        [repeat]\n\
        repetitions = 3             # runs of each cell, interleaved; fewer give no interval\n\
        aa = true                   # one cell is measured twice: what no difference looks like here\n\n";
    let _ = write!(
        text,
        "[scale.{LOOK}]               # what `--scale {LOOK}` puts in the place of the values above\n\
         \"load.warm_up\" = \"200ms\"\n\
         \"load.measure\" = \"1s\"\n"
    );
    text
}

fn server(on: &str) -> String {
    if on.contains("://") {
        return format!("[server]\non = {on:?}   # a server that is there: its settings stay as they are\n\n");
    }
    format!(
        "[server]                    # a private one, in a folder of its own; it ends with the run\n\
         build = {on:?}      # `assay servers` shows the builds that there are\n\
         settings = {{ buffer_pool = \"512 MiB\", redo = \"96 MiB\" }}\n\n"
    )
}

/// The size of its data, where the workload has that word.
fn dataset(workload: &str, words: Option<&WorkloadWords>) -> String {
    let has_rows = words.is_some_and(|words| words.parameters.iter().any(|p| p.name == "rows"));
    if has_rows {
        let rows = format!(
            "[workload.{workload}]\nrows = {ROWS:<20} # per table; more than memory holds is another question\n\n"
        );
        return rows;
    }
    String::new()
}

fn told(file: &str, plan: &Plan) -> String {
    let (cells, runs) = (plan.cells.len(), plan.runs.len());
    format!(
        "{file} asks it of {cells} {} in {runs} runs, about {} in all.\nNext: assay run {file} --scale {LOOK}",
        if cells == 1 { "cell" } else { "cells" },
        plan.cost.time
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_experiment_says_what_each_of_its_lines_is_for() {
        let asked = |on: &str| Asked {
            question: "How fast is it?".into(),
            workload: WORKLOAD.into(),
            users: vec![1, 4, 16],
            on: on.into(),
        };
        let words = Workloads::built_in().words();
        let words = words.iter().find(|w| w.name == WORKLOAD);
        insta::assert_snapshot!(compose(FILE, &asked("distribution"), words));
        let found = compose(FILE, &asked("mysql://root@localhost/test?socket=/tmp/a.sock"), words);
        assert!(found.contains("on = \"mysql://") && !found.contains("settings ="), "{found}");
    }
}
