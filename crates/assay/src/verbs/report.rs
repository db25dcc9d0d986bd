//! `assay report`: draws a record: one HTML page that opens offline, and the same as Markdown, JSON and CSV.

use super::Verb;
use crate::arguments::{needed, said};
use crate::exit::{self, Exit};
use crate::out;
use clap::{ArgMatches, Command};
use model::record::moment;
use model::{Judgement, Record};
use std::path::{Path, PathBuf};

pub const VERB: Verb = Verb { name: "report", command, run };

fn command(command: Command) -> Command {
    command.about("Write report.html, report.md, report.json and report.csv into a record").arg(needed(
        "record",
        "RECORD",
        "The record's folder",
    ))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let folder = PathBuf::from(said(matches, "record"));
    let (_, judgement) = write(&folder).map_err(exit::refused)?;
    out!("{}", folder.join("report.html").display());
    Ok(if judgement.failed() { Exit::CheckFailed } else { Exit::Valid })
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
