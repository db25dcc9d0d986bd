//! `assay servers uninstall`: builds off the disk again. What was downloaded for them stays in the cache of artifacts
//! unless it is asked for, because archives forget releases.

use super::super::Verb;
use crate::exit::{self, Exit};
use crate::out;
use clap::{Arg, ArgAction, ArgMatches, Command};
use lab::servers::install::{forget_downloads, uninstall};

pub const VERB: Verb = Verb { name: "uninstall", command, run };

fn command(command: Command) -> Command {
    command
        .about("Remove installed builds")
        .arg(Arg::new("build").value_name("BUILD").required(true).action(ArgAction::Append).num_args(1..))
        .arg(
            Arg::new("downloads")
                .long("downloads")
                .action(ArgAction::SetTrue)
                .help("Remove what was downloaded for them, too, as far as no other build needs it"),
        )
}

fn run(matches: &ArgMatches) -> Exit {
    let (folders, _) = match super::catalogue() {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    for name in matches.get_many::<String>("build").expect("clap requires it") {
        match uninstall(&folders, name) {
            Ok(size) => out!("{name} is removed ({size})"),
            Err(why) => return exit::refused(why),
        }
    }
    if matches.get_flag("downloads") {
        match forget_downloads(&folders) {
            Ok(size) => out!("{size} of downloads are removed"),
            Err(why) => return exit::failed(why),
        }
    }
    Exit::Valid
}
