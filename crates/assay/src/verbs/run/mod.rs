//! `assay run`: the whole way: question, plan, runs, judgement, report. The same command resumes a record that was
//! interrupted, because the record's folder follows from the plan.

mod again;

use super::{Verb, judge, report};
use crate::arguments::{flag, option};
use crate::exit::{self, Exit};
use crate::live::{self, Listeners};
use crate::progress::Terminal;
use crate::question::{self, Question};
use crate::{interrupt, out, ranks};
use ::judge::Spoilt;
use clap::{ArgMatches, Command};
use lab::Halt;
use lab::notebook::Notebook;
use lab::os::process::Guard;
use lab::ranks::peers::Peers;
use model::plan::not_here;
use model::{Ending, Judgement, Record};
use std::path::{Path, PathBuf};

/// Lines about what cannot be run here, before the runs begin: more would hide how many runs there
/// are, and `assay plan` has the others.
const NOT_HERE: usize = 3;

pub const VERB: Verb = Verb { name: "run", command, run };

fn command(command: Command) -> Command {
    question::arguments(command.about("Plan an experiment, carry it out, judge it and draw the report; resumes")).args(
        [
            option("out", "DIR", "The record's folder [default: records/NAME-SCALE-HASH]"),
            option(
                "again",
                "WHICH",
                "With a record in place of the experiment: carry out again what a neighbour spoilt (`struck`)",
            ),
            live::argument(),
            live::metrics_argument(),
            flag("json", "Print each cell of report.json as one line"),
            flag("all", judge::ALL),
        ],
    )
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    match ranks::connect()? {
        None => alone(matches, None),
        Some(ranks) if ranks.rank() > 0 => ranks::follow(ranks, matches),
        Some(ranks) => ranks::lead(ranks, matches, |peers| alone(matches, Some(peers))),
    }
}

/// What one process does, or the one that leads others.
fn alone(matches: &ArgMatches, peers: Option<&mut Peers>) -> Result<Exit, Exit> {
    let said = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let listeners = Listeners::open(said("live"), said("metrics"))?;
    if let Some(which) = said("again") {
        return again::run(which, matches, listeners, peers);
    }
    let question = question::ask(matches)?;
    let folder = matches.get_one::<String>("out").map_or_else(|| default_folder(&question), PathBuf::from);
    if let Ok((record, _)) = lab::notebook::read(&folder) {
        ranks::refuse_another_number(&folder, &record, peers.as_deref())?;
    }
    let live = listeners.serve(&folder, true);
    let outcome = go_with(&question, &folder, peers, |record, judgement| {
        if matches.get_flag("json") {
            print_cells(judgement);
        } else {
            judge::show(record, judgement, &folder, matches.get_flag("all"));
        }
    });
    if let Some(live) = live {
        live.farewell(&folder.join(judge::PAGE));
    }
    outcome
}

/// From the question to the exit status; `tell` says the results.
pub fn go(question: &Question, folder: &Path, tell: impl FnOnce(&Record, &Judgement)) -> Result<Exit, Exit> {
    go_with(question, folder, None, tell)
}

/// The same with other ranks.
fn go_with(
    question: &Question,
    folder: &Path,
    peers: Option<&mut Peers>,
    tell: impl FnOnce(&Record, &Judgement),
) -> Result<Exit, Exit> {
    // What was measured is drawn all the same; that nothing was is no second error. A folder that was refused is
    // somebody else's.
    carry_out(question, folder, &[], peers).inspect_err(|exit| {
        if *exit == Exit::WorldFailed {
            let _ = report::write(folder);
        }
    })?;
    let (record, judgement) = report::write(folder).map_err(exit::failed)?;
    tell(&record, &judgement);
    ending(&record, &judgement, folder)
}

/// Each cell of report.json as one line.
pub fn print_cells(judgement: &Judgement) {
    for cell in &judgement.cells {
        out!("{}", serde_json::to_string(cell).expect("a cell is JSON"));
    }
}

/// A run fails when a server would not start, died, or left its users: no check has an opinion before that is mended.
fn ending(record: &Record, judgement: &Judgement, folder: &Path) -> Result<Exit, Exit> {
    let failed = record.runs.iter().filter(|r| matches!(r.ending, Ending::Failed { .. })).count();
    if failed > 0 {
        let of = record.plan.runs.len();
        return Err(exit::failed(format!("{failed} of {of} runs failed; the record is kept in {}", folder.display())));
    }
    Ok(if judgement.failed() { Exit::CheckFailed } else { Exit::Valid })
}

/// Makes what is missing of a record. A run that fails is a result and no error.
pub fn measure(question: &Question, folder: &Path) -> Result<(), Exit> {
    carry_out(question, folder, &[], None)
}

/// The same, and these runs again.
fn measure_again(question: &Question, folder: &Path, again: &[Spoilt], peers: Option<&mut Peers>) -> Result<(), Exit> {
    carry_out(question, folder, again, peers)
}

fn carry_out(question: &Question, folder: &Path, again: &[Spoilt], peers: Option<&mut Peers>) -> Result<(), Exit> {
    let (plan, host) = (&question.plan, &question.host);
    let stop = interrupt::flag();
    lab::check(plan, host, peers.as_deref()).map_err(exit::refused)?;
    plan.warnings.iter().for_each(|w| eprintln!("warning: {w}"));
    plan.skipped.iter().take(NOT_HERE).for_each(|skipped| eprintln!("{}", not_here(skipped)));
    if plan.skipped.len() > NOT_HERE {
        eprintln!("and {} more of what cannot be run here: assay plan lists them", plan.skipped.len() - NOT_HERE);
    }
    let mut notebook = Notebook::open_or_create(folder, plan, &question.experiment.text).map_err(exit::refused)?;
    for spoilt in again {
        notebook.repeat(&spoilt.run, &spoilt.why()).map_err(exit::failed)?;
    }
    if let Some(peers) = &peers {
        peers.welcome(plan);
        ranks::show(peers);
    }
    let mut terminal = Terminal::new();
    let outcome = lab::carry_out(
        plan,
        host,
        &question.workloads,
        lab::Rules { next: ::judge::curves::search::next, enough: ::judge::curves::until::enough },
        Guard::this_program(),
        peers,
        &mut notebook,
        &mut terminal,
        &stop,
    );
    drop(terminal);
    outcome.map_err(|halt| match halt {
        Halt::World(trouble) => exit::failed(trouble),
        Halt::Interrupted => exit::failed(format!(
            "stopped as asked; what was measured is in {}, and the same command goes on from here",
            folder.display()
        )),
    })
}

fn default_folder(question: &Question) -> PathBuf {
    let plan = &question.plan;
    let scale = plan.scale.as_deref().map_or(String::new(), |s| format!("-{s}"));
    PathBuf::from("records").join(format!("{}{scale}-{}", plan.name, &plan.hash()[..8]))
}
