//! `assay man`: the manual pages, one per verb, made of the command line itself. For whoever packages the program:
//! `make install` and `make deb` call it.

use super::Verb;
use crate::arguments::{needed, said};
use crate::exit::{self, Exit};
use clap::{ArgMatches, Command};
use clap_mangen::Man;
use std::io;
use std::path::Path;

pub const VERB: Verb = Verb { name: "man", command, run };

fn command(command: Command) -> Command {
    command.about("Write the manual pages, one per verb, into a folder").arg(needed(
        "folder",
        "DIR",
        "Made where there is none",
    ))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let folder = Path::new(said(matches, "folder"));
    let mut command = crate::command().disable_help_subcommand(true);
    command.build();
    std::fs::create_dir_all(folder).and_then(|()| write(&command, folder)).map_err(|e| {
        let shown = folder.display();
        exit::failed(format!("the manual pages cannot be written into {shown} ({e}); name a folder of yours"))
    })?;
    Ok(Exit::Valid)
}

/// The page of a verb and of those below it. It has no date: the same program writes the same pages.
fn write(command: &Command, folder: &Path) -> io::Result<()> {
    for verb in command.get_subcommands() {
        write(verb, folder)?;
    }
    Man::new(command.clone()).source(concat!("assay ", env!("CARGO_PKG_VERSION"))).generate_to(folder).map(drop)
}
