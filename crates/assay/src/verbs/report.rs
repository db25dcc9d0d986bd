//! `assay report`: draws a record: one HTML page that opens offline, and the same as Markdown, JSON and CSV; or hands
//! its numbers to another tool in that tool's form, or as a table that people paste.

use super::Verb;
use crate::arguments::{many, needed, option, said};
use crate::exit::{self, Exit};
use crate::out;
use clap::{ArgMatches, Command};
use model::record::moment;
use model::{Judgement, Record};
use report::formats::{self, Handed};
use report::tables;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub const VERB: Verb = Verb { name: "report", command, run };

fn command(command: Command) -> Command {
    let forms: Vec<String> = formats::ALL.iter().map(|form| format!("  {:<22}{}", form.name, form.about)).collect();
    command
        .about(
            "Write report.html, report.md, report.json and report.csv into a record, or its numbers for another tool",
        )
        .arg(needed("record", "RECORD", "The record's folder"))
        .arg(option("as", "FORMAT", "Only the numbers that stand, in the form of another tool"))
        .arg(option(
            "table",
            "NAME",
            "A table to paste, qps, cost, changes or buckets; --as markdown or --as tsv [default: markdown]",
        ))
        .arg(option("out", "FILE", "Where --as and --table write; without, they print"))
        .arg(option("cell", "CELL", "Of this cell alone, as c002; with --as"))
        .arg(many("attribute", "KEY=VALUE", "What the tool files the numbers under, as git_commit; with --as"))
        .after_help(format!("Formats:\n{}", forms.join("\n")))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let folder = PathBuf::from(said(matches, "record"));
    if let Some(name) = matches.get_one::<String>("table") {
        return paste(&folder, name, matches);
    }
    if let Some(name) = matches.get_one::<String>("as") {
        return hand_on(&folder, name, matches);
    }
    if let Some(lone) = ["out", "cell", "attribute"].into_iter().find(|option| matches.contains_id(option)) {
        return Err(exit::refused(format!("--{lone} belongs to --as, which names the format; add --as FORMAT")));
    }
    let (_, judgement) = write(&folder).map_err(exit::refused)?;
    out!("{}", folder.join("report.html").display());
    Ok(status(&judgement))
}

fn status(judgement: &Judgement) -> Exit {
    if judgement.failed() { Exit::CheckFailed } else { Exit::Valid }
}

/// In the form of another tool, printed or into a file.
fn hand_on(folder: &Path, name: &str, matches: &ArgMatches) -> Result<Exit, Exit> {
    let attributes = attributes(matches).map_err(exit::refused)?;
    let (record, details) = lab::notebook::read(folder).map_err(exit::refused)?;
    let judgement = judge::judge(&record, &details);
    let cell = matches.get_one::<String>("cell").map(String::as_str);
    let handed = Handed { record: &record, judgement: &judgement, details: &details, attributes: &attributes, cell };
    let text = formats::of(name, &handed).map_err(|why| exit::refused(format!("{}: {why}", folder.display())))?;
    tell(&text, matches)?;
    Ok(status(&judgement))
}

/// A table as studies publish them.
fn paste(folder: &Path, name: &str, matches: &ArgMatches) -> Result<Exit, Exit> {
    if let Some(lone) = ["cell", "attribute"].into_iter().find(|option| matches.contains_id(option)) {
        return Err(exit::refused(format!("a table is of all cells and has no place for --{lone}; leave it out")));
    }
    let form = matches.get_one::<String>("as").map_or("markdown", String::as_str);
    let (record, details) = lab::notebook::read(folder).map_err(exit::refused)?;
    let judgement = judge::judge(&record, &details);
    let text = tables::text(name, form, &record, &judgement);
    tell(&text.map_err(|why| exit::refused(format!("{}: {why}", folder.display())))?, matches)?;
    Ok(status(&judgement))
}

fn tell(text: &str, matches: &ArgMatches) -> Result<(), Exit> {
    match matches.get_one::<String>("out") {
        Some(file) => put(Path::new(file), text).map_err(exit::failed),
        None => {
            out!("{}", text.trim_end_matches('\n'));
            Ok(())
        }
    }
}

fn attributes(matches: &ArgMatches) -> Result<BTreeMap<String, String>, String> {
    let pair = |text: &String| {
        let pair = text.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
        let (key, value) = pair.ok_or(format!("--attribute {text} is no pair; write --attribute KEY=VALUE"))?;
        Ok((key.to_string(), value.to_string()))
    };
    matches.get_many::<String>("attribute").into_iter().flatten().map(pair).collect()
}

/// Makes the folder where there is none.
fn put(path: &Path, text: &str) -> Result<(), String> {
    let told = |e: std::io::Error| format!("{}: {e}", path.display());
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(told)?;
    std::fs::write(path, text).map_err(told)
}

/// Judges and draws; what was drawn before is replaced. Next experiments become files in `next/`. Gives what was drawn.
pub fn write(folder: &Path) -> Result<(Record, Judgement), String> {
    let (record, details) = lab::notebook::read(folder).map_err(|e| e.to_string())?;
    let metrics = [report::drawn(), judge::SERIES.to_vec()].concat();
    let details = details.to_be_drawn(&record.runs, moment::of_a_run(record.runs.len()), &metrics);
    let judgement = judge::judge(&record, &details);
    let report = report::render(&record, &judgement, &details, report::SHELL);
    for (name, text) in [
        ("report.html", &report.html),
        ("report.md", &report.markdown),
        ("report.json", &report.json),
        ("report.csv", &report.csv),
    ]
    .into_iter()
    .chain(report.others.iter().map(|(name, text)| (name.as_str(), text)))
    {
        put(&folder.join(name), text)?;
    }
    for finding in &judgement.findings {
        if let (Some(file), Some(text)) = (&finding.next_file, &finding.next_experiment) {
            put(&folder.join(file), text)?;
        }
    }
    Ok((record, judgement))
}
