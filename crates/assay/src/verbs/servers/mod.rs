//! `assay servers`: the catalogue of builds, and what of it is on this machine. One file per word after the verb, in
//! the order in which help shows them; without a word it lists.

mod install;
mod list;
mod progress;
mod shell;
mod snapshots;
pub mod start;
mod stop;
mod uninstall;

use super::Verb;
use crate::exit::{self, Exit};
use clap::{ArgMatches, Command};
use lab::servers::catalogue::{Catalogue, Illegible};
use lab::servers::process::folders::Folders;

pub const VERB: Verb = Verb { name: "servers", command, run };

/// Each is a verb of its own below this one.
const ALL: &[Verb] =
    &[list::VERB, install::VERB, uninstall::VERB, start::VERB, stop::VERB, shell::VERB, snapshots::VERB];

fn command(command: Command) -> Command {
    let words = ALL.iter().map(|v| (v.command)(Command::new(v.name)));
    list::arguments(command.about("List, install and start server builds")).subcommands(words)
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    match matches.subcommand() {
        Some((name, matches)) => {
            let verb = ALL.iter().find(|v| v.name == name).expect("clap knows only our words");
            (verb.run)(matches)
        }
        None => (list::VERB.run)(matches),
    }
}

/// Where builds are kept, and which there could be.
pub fn catalogue() -> Result<(Folders, Catalogue), Exit> {
    let folders = Folders::from_environment().map_err(exit::failed)?;
    let catalogue = Catalogue::of(&folders).map_err(illegible)?;
    Ok((folders, catalogue))
}

pub fn illegible(why: Illegible) -> Exit {
    match why {
        Illegible::Problems(path, problems) => exit::wrong(&path.display().to_string(), &problems),
        Illegible::World(trouble) => exit::failed(trouble),
    }
}
