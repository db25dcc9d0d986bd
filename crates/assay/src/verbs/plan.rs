//! `assay plan`: every run it would make, in order, with seeds, and what it would cost. Starts nothing.

use super::Verb;
use crate::arguments::flag;
use crate::exit::Exit;
use crate::out;
use crate::question;
use clap::{ArgMatches, Command};

pub const VERB: Verb = Verb { name: "plan", command, run };

fn command(command: Command) -> Command {
    question::arguments(command.about("Show every run an experiment would make, in order, with seeds, time and disk"))
        .arg(flag("json", "The plan as JSON"))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let question = question::ask(matches)?;
    if matches.get_flag("json") {
        out!("{}", serde_json::to_string_pretty(&question.plan).expect("a plan is JSON"));
    } else {
        out!("{}", model::plan::table(&question.plan).trim_end());
        if let Some(way) = lab::campaign::reach::expected(&question.plan) {
            out!("{way}");
        }
    }
    Ok(Exit::Valid)
}
