//! `assay servers stop`: ends a server that was started by hand; its data go with it.

use super::super::Verb;
use crate::exit::{self, Exit};
use crate::out;
use clap::{Arg, ArgMatches, Command};
use lab::servers::process::by_hand;
use lab::servers::process::instance::STOP_PATIENCE;

pub const VERB: Verb = Verb { name: "stop", command, run };

fn command(command: Command) -> Command {
    command
        .about("End a server that was started by hand")
        .arg(Arg::new("build").value_name("BUILD").required(true).help("As it was started"))
}

fn run(matches: &ArgMatches) -> Exit {
    let (folders, _) = match super::catalogue() {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let name = matches.get_one::<String>("build").expect("clap requires it");
    if by_hand::running(&folders, name).is_none() {
        return exit::refused(format!("no server of {name} is up\n    assay servers start {name} starts one"));
    }
    // The holder itself waits that long before it ends the server by force.
    match by_hand::stop(&folders, name, STOP_PATIENCE * 2) {
        Ok(()) => out!("{name} is stopped"),
        Err(why) => return exit::failed(why),
    }
    Exit::Valid
}
