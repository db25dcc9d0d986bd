//! `assay servers shell`: a client's session on a server that was started by hand, or on a fresh one that ends with the
//! session.

use super::super::Verb;
use super::start::{self, ServerRequest};
use crate::exit::{self, Exit};
use crate::interrupt;
use clap::{ArgMatches, Command};
use lab::servers::process::by_hand;
use lab::servers::process::instance::STOP_PATIENCE;
use std::path::Path;
use std::process::Command as Program;

pub const VERB: Verb = Verb { name: "shell", command, run };

fn command(command: Command) -> Command {
    start::arguments(command.about("Open a client on a private server; starts one if none is up"))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let wanted = start::wanted(matches)?;
    if let Some(up) = by_hand::running(&wanted.folders, &wanted.server.build) {
        return open(&wanted, &up.socket);
    }
    let stop = interrupt::patient_flag();
    // Declared first, so let go last: whoever waits for it finds the instance's folder gone.
    let (_held, mut instance) = start::serve(&wanted, &stop)?;
    let exit = open(&wanted, instance.socket());
    instance.stop(STOP_PATIENCE);
    exit
}

fn open(wanted: &ServerRequest, socket: &Path) -> Result<Exit, Exit> {
    let client = by_hand::client(&wanted.build, socket).map_err(exit::refused)?;
    match Program::new(&client[0]).args(&client[1..]).status() {
        Ok(status) if status.success() => Ok(Exit::Valid),
        Ok(status) => Err(exit::failed(format!("the client ended with {status}"))),
        Err(e) => Err(exit::failed(format!("{}: {e}", client[0]))),
    }
}
