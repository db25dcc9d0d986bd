//! `assay compare`: two records, or two cells, side by side, or many over time, for a reader and for a build server.
//! The exit status is 1 when a limit named by --fail-if is broken or the evidence is invalid; a difference by itself is
//! a result and no failure.

mod again;
pub mod history;

use super::Verb;
use crate::arguments::{flag, many, option, positional, said};
use crate::exit::{self, Exit};
use crate::limit::{self, Limit};
use crate::out;
use clap::{ArgMatches, Command};
use judge::compare::across::{self, Side};
use lab::notebook::Folder;
use model::{CellId, Compared, Judgement, Outcome, Problem, Record};
use report::compared::{Broken, junit, markdown, text};
use std::path::{Path, PathBuf};

pub const VERB: Verb = Verb { name: "compare", command, run };

fn command(command: Command) -> Command {
    command.about("Lay two records side by side: ratios with intervals, a verdict each, and what else differs").args([
        positional("base", "BASE", "A record's folder, or one cell of it as RECORD:CELL")
            .required_unless_present("history")
            .requires("candidate"),
        positional("candidate", "CANDIDATE", "The record or cell to hold against it")
            .required_unless_present("history"),
        many("metric", "NAME", "Compare on this metric instead of the usual ones; may be given again"),
        many(
            "fail-if",
            "LIMIT",
            "End with status 1 when a row is beyond [WORKLOADS:]METRIC<-3% (or >5%), surely; may be given again",
        )
        .requires("candidate"),
        flag("markdown", "A table for a pull request").requires("candidate"),
        flag("json", "Everything as JSON (docs/report-schema.md)").conflicts_with("markdown"),
        option("junit", "FILE", "Write a test case per row into this file").requires("candidate"),
        option(
            "history",
            "DIR",
            "Earlier records of the same machine, which say how much days differ; alone: all records below this folder over time, and where a metric changed its level",
        ),
        option(
            "again",
            "N",
            "Carry both records' experiments out in turn, N times each, and decide by these N pairs; resumes",
        )
        .requires("candidate")
        .conflicts_with("history"),
        option("out", "DIR", "Where --again makes its records [default: records/again-HASH-HASH]").requires("again"),
        option("html", "FILE", "Draw the history into this file, a page that opens offline").requires("history").conflicts_with("base"),
    ])
}

/// A record with its judgement, and the cell that was asked for.
struct Read {
    name: String,
    record: Record,
    details: Folder,
    judgement: Judgement,
    cell: Option<CellId>,
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let folder = matches.get_one::<String>("history");
    if let Some(folder) = folder.filter(|_| !matches.contains_id("base")) {
        return history::run(folder, matches);
    }
    let past = folder.map_or(Ok(Vec::new()), |folder| history::past(folder, matches))?;
    let texts =
        |name: &str| matches.get_many::<String>(name).into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
    let limits: Vec<Result<Limit, Problem>> = texts("fail-if").into_iter().map(Limit::parse).collect();
    let problems: Vec<Problem> = limits.iter().filter_map(|l| l.as_ref().err().cloned()).collect();
    if !problems.is_empty() {
        return Err(exit::wrong("--fail-if", &problems));
    }
    let limits: Vec<Limit> = limits.into_iter().flatten().collect();
    let pairs = matches.get_one::<String>("again").map(|text| again::parse(text)).transpose().map_err(exit::refused)?;
    let side = |name: &str| read(said(matches, name));
    let (base, candidate) = match (side("base"), side("candidate")) {
        (Ok(base), Ok(candidate)) => (base, candidate),
        (Err(why), Ok(_)) | (Ok(_), Err(why)) => return Err(exit::refused(why)),
        (Err(one), Err(other)) => return Err(exit::refused(format!("{one}\n{other}"))),
    };
    let asked = texts("metric");
    let mut metrics: Vec<&str> = if asked.is_empty() { across::USUAL.to_vec() } else { asked };
    for limit in &limits {
        if !metrics.contains(&limit.metric.as_str()) {
            metrics.push(&limit.metric);
        }
    }
    let compared = match pairs {
        Some(pairs) => {
            let out = matches.get_one::<String>("out").map(String::as_str);
            again::run([&base, &candidate], pairs, out, &metrics)?
        }
        None => across::compare(&base.side(), &candidate.side(), &metrics, &past),
    };
    if let Some(problem) = nothing(&compared, &limits) {
        return Err(exit::wrong("compare", &[problem]));
    }
    let broken: Broken = limit::broken(&limits, &compared);
    if let Some(file) = matches.get_one::<String>("junit")
        && let Err(e) = std::fs::write(file, junit(&compared, &broken))
    {
        return Err(exit::failed(format!("{file}: {e}")));
    }
    if matches.get_flag("json") {
        out!("{}", serde_json::to_string_pretty(&compared).expect("a comparison is JSON"));
    } else {
        let form = if matches.get_flag("markdown") { markdown } else { text };
        out!("{}", form(&compared, &broken).trim_end());
    }
    let refused = compared.rows.iter().any(|row| row.outcome == Outcome::Refused);
    Ok(if refused || !broken.is_empty() { Exit::CheckFailed } else { Exit::Valid })
}

/// Nothing to say anything about, as a whole or under one of the limits.
fn nothing(compared: &Compared, limits: &[Limit]) -> Option<Problem> {
    let problem = |path: &str, what: &str, mend: &str| {
        Some(Problem { line: None, path: path.into(), what: what.into(), mend: mend.into() })
    };
    if compared.rows.is_empty() {
        return problem(
            "CANDIDATE",
            "no cell of it has a counterpart with a number of these metrics in the base",
            "compare records of one experiment, or name two cells as RECORD:CELL (`assay judge RECORD --all` lists them)",
        );
    }
    let idle = limits.iter().find(|limit| !compared.rows.iter().any(|row| limit.is_about(row)))?;
    problem("--fail-if", &format!("{idle} is about no row"), "name a workload and a metric that both records have")
}

/// `RECORD` or `RECORD:CELL`; a folder that has a colon in its name wins.
fn read(argument: &str) -> Result<Read, String> {
    let (folder, cell) = match argument.rsplit_once(':') {
        Some((folder, cell)) if !Path::new(argument).exists() => (folder, Some(CellId(cell.into()))),
        Some(_) | None => (argument, None),
    };
    let (record, details) = lab::notebook::read(&PathBuf::from(folder)).map_err(|e| e.to_string())?;
    if let Some(cell) = cell.as_ref().filter(|cell| record.plan.cells.iter().all(|c| c.id != **cell)) {
        let known: Vec<String> = record.plan.cells.iter().map(|c| c.id.to_string()).collect();
        return Err(format!("{folder} has no cell {cell}; it has {}", known.join(", ")));
    }
    let judgement = judge::judge(&record, &details);
    Ok(Read { name: argument.into(), record, details, judgement, cell })
}

impl Read {
    fn side(&self) -> Side<'_> {
        let Self { name, record, details, judgement, cell } = self;
        Side { name: name.clone(), record, details, judgement, cell: cell.clone() }
    }
}
