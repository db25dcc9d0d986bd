//! `assay farm`: a folder of records as one history page over builds, commits and days: where a metric changed its
//! level, and for each change what else differs between the two records that it lies between. Nothing is pushed
//! anywhere.

use super::Verb;
use super::compare::history::{found, take};
use crate::arguments::{flag, many, needed, option, said};
use crate::exit::{self, Exit};
use crate::out;
use clap::{ArgMatches, Command};
use judge::compare::across::{self, Side, USUAL};
use judge::compare::history;
use model::compared::Difference;
use model::history::History;
use model::{Judgement, Record};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub const VERB: Verb = Verb { name: "farm", command, run };

/// The page's name where nobody says another.
const PAGE: &str = "farm.html";

fn command(command: Command) -> Command {
    command.about("Draw a folder of records as one page over builds, commits and days, with changes of level").args([
        needed("folder", "DIR", "Holds records, or folders of records"),
        many("metric", "NAME", "Of this metric instead of the usual ones; may be given again"),
        option("out", "FILE", "Where the page goes [default: DIR/farm.html]"),
        flag("json", "The history as JSON (crates/model/src/history.rs)"),
    ])
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let name = said(matches, "folder");
    let folder = Path::new(name);
    let taken: Vec<_> = found(name)?.iter().filter_map(|path| take(folder, path)).collect();
    let asked: Vec<&str> = matches.get_many::<String>("metric").into_iter().flatten().map(String::as_str).collect();
    let mut history = history::over(taken, if asked.is_empty() { USUAL } else { &asked });
    if history.lines.is_empty() {
        return Err(exit::refused(format!(
            "{name} holds no record with a number of these metrics; name a folder of records"
        )));
    }
    look_beside(&mut history, folder)?;
    let page = matches.get_one::<String>("out").map_or_else(|| folder.join(PAGE), PathBuf::from);
    std::fs::write(&page, report::history::page(&history))
        .map_err(|e| exit::failed(format!("{}: {e}", page.display())))?;
    if matches.get_flag("json") {
        out!("{}", serde_json::to_string_pretty(&history).expect("a history is JSON"));
    } else {
        out!("{}\n{}", report::history::text(&history).trim_end(), page.display());
    }
    Ok(Exit::Valid)
}

/// What else differs between the records of each change. Two are read at a time.
fn look_beside(history: &mut History, folder: &Path) -> Result<(), Exit> {
    let mut known: BTreeMap<(usize, usize), Vec<Difference>> = BTreeMap::new();
    for line in &mut history.lines {
        for change in &mut line.changes {
            let between = (line.points[change.before].record, line.points[change.after].record);
            if let std::collections::btree_map::Entry::Vacant(place) = known.entry(between) {
                let read = |at: usize| read(&folder.join(&history.records[at].name));
                place.insert(differences(&read(between.0)?, &read(between.1)?));
            }
            change.beside.clone_from(&known[&between]);
        }
    }
    Ok(())
}

type Read = (Record, lab::notebook::Folder, Judgement);

fn read(path: &Path) -> Result<Read, Exit> {
    let (record, details) = lab::notebook::read(path).map_err(exit::failed)?;
    let judgement = judge::judge(&record, &details);
    Ok((record, details, judgement))
}

fn differences(base: &Read, candidate: &Read) -> Vec<Difference> {
    across::compare(&of(base), &of(candidate), &["qps"], &[]).differences
}

fn of((record, details, judgement): &Read) -> Side<'_> {
    Side { name: String::new(), record, details, judgement, cell: None }
}
