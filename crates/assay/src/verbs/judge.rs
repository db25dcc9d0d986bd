//! `assay judge`: verdicts and findings again, from the files alone. The exit status says whether the numbers may be
//! believed, so a script can ask without running anything.

use super::Verb;
use crate::arguments::{flag, needed, said};
use crate::exit::{self, Exit};
use crate::output;
use clap::{ArgMatches, Command};
use model::{Judgement, Record};
use std::path::Path;

pub const VERB: Verb = Verb { name: "judge", command, run };

/// What the flag `all` of a verb does that shows a judgement.
pub const ALL: &str = "Print everything: every row, sentence and verdict, not one screen";
/// Where a report lies in its record.
pub const PAGE: &str = "report.html";

fn command(command: Command) -> Command {
    command.about("Judge a record again, from its files alone").args([
        needed("record", "RECORD", "The record's folder"),
        flag("json", "The judgement as JSON"),
        flag("all", ALL),
    ])
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let folder = std::path::PathBuf::from(said(matches, "record"));
    let (record, details) = lab::notebook::read(&folder).map_err(exit::refused)?;
    let judgement = judge::judge(&record, &details);
    if matches.get_flag("json") {
        crate::out!("{}", serde_json::to_string_pretty(&judgement).expect("a judgement is JSON"));
    } else {
        show(&record, &judgement, &folder, matches.get_flag("all"));
    }
    Ok(if judgement.failed() { Exit::CheckFailed } else { Exit::Valid })
}

/// One screen, which ends with where the report is; all of the judgement with `all`.
pub fn show(record: &Record, judgement: &Judgement, folder: &Path, all: bool) {
    let style = output::style(all);
    let page = Some(folder.join(PAGE)).filter(|page| page.is_file()).map(|page| page.display().to_string());
    crate::out!("{}", report::terminal::screen(record, judgement, page.as_deref(), style).trim_end());
    if all {
        crate::out!("\n{}", report::terminal::rest(record, judgement, style).trim_end());
    }
}
