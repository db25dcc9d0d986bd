//! `assay servers uninstall`: builds off the disk again. What was downloaded for them stays in the cache of artifacts
//! unless it is asked for, because archives forget releases.

use super::super::Verb;
use crate::arguments::flag;
use crate::exit::{self, Exit};
use crate::out;
use clap::{Arg, ArgAction, ArgMatches, Command};
use lab::servers::install::{forget_downloads, uninstall};

pub const VERB: Verb = Verb { name: "uninstall", command, run };

fn command(command: Command) -> Command {
    command.about("Remove installed builds").args([
        Arg::new("build").value_name("BUILD").required(true).action(ArgAction::Append).num_args(1..),
        flag("downloads", "Remove what was downloaded for them, too, as far as no other build needs it"),
    ])
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let (folders, _) = super::catalogue()?;
    for name in matches.get_many::<String>("build").expect("clap requires it") {
        let size = uninstall(&folders, name).map_err(exit::refused)?;
        out!("{name} is removed ({size})");
    }
    if matches.get_flag("downloads") {
        let size = forget_downloads(&folders).map_err(exit::failed)?;
        out!("{size} of downloads are removed");
    }
    Ok(Exit::Valid)
}
