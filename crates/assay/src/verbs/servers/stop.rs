//! `assay servers stop`: ends a server that was started by hand; its data go with it.

use super::super::Verb;
use crate::arguments::{needed, said};
use crate::exit::{self, Exit};
use crate::out;
use clap::{ArgMatches, Command};
use lab::servers::process::by_hand;
use lab::servers::process::instance::STOP_PATIENCE;

pub const VERB: Verb = Verb { name: "stop", command, run };

fn command(command: Command) -> Command {
    command.about("End a server that was started by hand").arg(needed("build", "BUILD", "As it was started"))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let (folders, _) = super::catalogue()?;
    let name = said(matches, "build");
    if by_hand::running(&folders, name).is_none() {
        return Err(exit::refused(format!("no server of {name} is up\n    assay servers start {name} starts one")));
    }
    // The holder itself waits that long before it ends the server by force.
    by_hand::stop(&folders, name, STOP_PATIENCE * 2).map_err(exit::failed)?;
    out!("{name} is stopped");
    Ok(Exit::Valid)
}
