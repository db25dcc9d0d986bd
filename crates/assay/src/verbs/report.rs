//! `assay report`: draws a record: one HTML page that opens offline, and the same as Markdown, JSON and CSV.

use super::Verb;
use crate::exit::{self, Exit};
use crate::out;
use clap::{Arg, ArgMatches, Command};
use model::judgement::Judgement;
use model::record::Record;
use std::path::{Path, PathBuf};

pub const VERB: Verb = Verb { name: "report", command, run };

fn command(command: Command) -> Command {
    command
        .about("Write report.html, report.md, report.json and report.csv into a record")
        .arg(Arg::new("record").required(true).value_name("RECORD").help("The record's folder"))
}

fn run(matches: &ArgMatches) -> Exit {
    let folder = PathBuf::from(matches.get_one::<String>("record").expect("clap requires it"));
    match write(&folder) {
        Ok((_, judgement)) => {
            out!("{}", folder.join("report.html").display());
            if judgement.failed() { Exit::CheckFailed } else { Exit::Valid }
        }
        Err(e) => exit::refused(e),
    }
}

/// Judges and draws; what was drawn before is replaced. Gives what was drawn.
pub fn write(folder: &Path) -> Result<(Record, Judgement), String> {
    let (record, details) = lab::notebook::read(folder).map_err(|e| e.to_string())?;
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
        std::fs::write(folder.join(name), text).map_err(|e| format!("{}: {e}", folder.join(name).display()))?;
    }
    Ok((record, judgement))
}
