//! `assay profile`: which functions took the server's CPU time, per operation, or in which its threads waited, in the
//! cells of a record that were profiled, and what two of them do differently; or their stacks, for programs that draw
//! flame graphs.

use super::Verb;
use crate::arguments::{needed, option, positional, said};
use crate::exit::{self, Exit};
use crate::out;
use clap::{Arg, ArgMatches, Command};
use judge::compare::functions::{Profiled, diff, profiled_cells};
use model::functions::Spent;
use model::record::profile::{Stack, fold};
use model::{CellId, Ending, Record, RunRecord};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

pub const VERB: Verb = Verb { name: "profile", command, run };

/// Functions that a terminal shows.
const TOP: usize = 20;
/// Forms of stacks.
const FORMS: [&str; 2] = ["folded", "pprof"];

fn command(command: Command) -> Command {
    let pair = Arg::new("diff").long("diff").num_args(2).value_names(["A", "B"]);
    command
        .about("Say which functions took the server's CPU time, per operation, and what two cells do differently")
        .args([
            needed(
                "record",
                "RECORD",
                "A record's folder, of an experiment with `[repeat] profiles` or `profile_waits`",
            ),
            positional("cell", "CELL", "One cell of it [default: each that was profiled]"),
            pair.help("Hold cell B against cell A: which functions take longer, and whether that is more than chance")
                .conflicts_with("cell"),
            option("as", "FORM", "Print the stacks of the cell instead, as folded or pprof")
                .value_parser(FORMS)
                .conflicts_with("diff"),
            option("top", "N", "So many functions [default: 20]").value_parser(clap::value_parser!(u32).range(1..)),
            crate::arguments::flag(
                "waits",
                "The time in which threads waited, of `[repeat] profile_waits`, instead of CPU time",
            ),
            crate::arguments::flag("json", "The tables as JSON").conflicts_with("as"),
        ])
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let folder = PathBuf::from(said(matches, "record"));
    let (record, details) = lab::notebook::read(&folder).map_err(exit::refused)?;
    let spent = if matches.get_flag("waits") { Spent::Waiting } else { Spent::OnCpu };
    let profiled = profiled_cells(&record, spent);
    if profiled.is_empty() {
        return Err(exit::refused(without_profiles(&record, &folder.display().to_string(), spent)));
    }
    let read = |cell: &CellId| Profiled::of(&record, &details, cell, spent).map_err(exit::refused);
    let top = matches.get_one::<u32>("top").map_or(TOP, |top| *top as usize);
    let is_json = matches.get_flag("json");
    if let Some(pair) = matches.get_many::<String>("diff") {
        let cells: Vec<CellId> = pair.map(|cell| CellId(cell.clone())).collect();
        let diff = diff(&read(&cells[0])?, &read(&cells[1])?);
        if is_json {
            out!("{}", serde_json::to_string_pretty(&diff).expect("a table is JSON"));
        } else {
            out!("{}", report::functions::diff(&diff, top).trim_end());
        }
        return Ok(Exit::Valid);
    }
    let cells = matches.get_one::<String>("cell").map_or(profiled, |cell| vec![CellId(cell.clone())]);
    if let Some(form) = matches.get_one::<String>("as") {
        let [cell] = cells.as_slice() else {
            let names: Vec<String> = cells.iter().map(ToString::to_string).collect();
            return Err(exit::refused(format!("--as prints one cell; name one of {}", names.join(", "))));
        };
        return stacks(&read(cell)?, form);
    }
    let tables = cells.iter().map(|cell| Ok(read(cell)?.table())).collect::<Result<Vec<_>, Exit>>()?;
    if is_json {
        out!("{}", serde_json::to_string_pretty(&tables).expect("a table is JSON"));
    } else {
        out!("{}", report::functions::tables(&tables, top).trim_end());
    }
    Ok(Exit::Valid)
}

/// The stacks of one cell, over its runs.
fn stacks(profiled: &Profiled, form: &str) -> Result<Exit, Exit> {
    if form == "folded" {
        let phase = profiled.cell().to_string();
        let stack =
            |(frames, samples): (&[String], u64)| Stack { phase: phase.clone(), frames: frames.to_vec(), samples };
        out!("{}", fold(&profiled.stacks().map(stack).collect::<Vec<_>>()).trim_end());
        return Ok(Exit::Valid);
    }
    let mut to = std::io::stdout();
    if to.is_terminal() {
        return Err(exit::refused("pprof is no text; write it to a file: assay profile … --as pprof > profile.pb"));
    }
    let bytes = report::functions::pprof(profiled.stacks(), profiled.spent(), profiled.period());
    to.write_all(&bytes).map_err(|e| exit::failed(format!("writing the profile: {e}")))?;
    Ok(Exit::Valid)
}

/// Why a record has none, and what to do.
fn without_profiles(record: &Record, folder: &str, spent: Spent) -> String {
    let is_such =
        |run: &&RunRecord| record.plan.runs.iter().any(|p| p.id == run.id && p.profile.is_some() && p.spent == spent);
    let mut why = record.runs.iter().filter(is_such).filter_map(|run| match &run.ending {
        Ending::Skipped { reason } | Ending::Failed { reason } => Some(reason.as_str()),
        Ending::Done => None,
    });
    let (what, key, other) = match spent {
        Spent::OnCpu => ("profile", "profiles", Spent::Waiting),
        Spent::Waiting => ("profile of waits", "profile_waits", Spent::OnCpu),
    };
    if let Some(why) = why.next() {
        return format!("{folder} has no {what}: its runs for that ended so: {why}");
    }
    let ask = format!("carry its experiment out with `--set repeat.{key}=3` into a new folder");
    if profiled_cells(record, other).is_empty() {
        return format!("{folder} has no {what}; {ask}");
    }
    let instead =
        if other.is_on_cpu() { "without --waits its CPU time" } else { "with --waits what its threads wait for" };
    format!("{folder} has no {what}; {ask}, or see {instead}")
}
