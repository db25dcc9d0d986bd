//! `assay servers`: the catalogue of builds, and what of it is on this machine. One file per word after the verb, in the order
//! in which help shows them; without a word it lists.

mod list;

use super::Verb;
use crate::exit::Exit;
use clap::{ArgMatches, Command};

pub const VERB: Verb = Verb { name: "servers", command, run };

/// Each is a verb of its own below this one.
const ALL: &[Verb] = &[list::VERB];

fn command(command: Command) -> Command {
    let words = ALL.iter().map(|v| (v.command)(Command::new(v.name)));
    list::arguments(command.about("List, install and start server builds")).subcommands(words)
}

fn run(matches: &ArgMatches) -> Exit {
    match matches.subcommand() {
        Some((name, matches)) => {
            let verb = ALL.iter().find(|v| v.name == name).expect("clap knows only our words");
            (verb.run)(matches)
        }
        None => (list::VERB.run)(matches),
    }
}
