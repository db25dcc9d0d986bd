//! `assay man`: the manual pages, one per verb, made of the command line itself. For whoever packages the program:
//! `make install` and `make deb` call it.

use super::Verb;
use crate::exit::{self, Exit};
use clap::{Arg, ArgMatches, Command};
use clap_mangen::Man;
use std::io;
use std::path::Path;

pub const VERB: Verb = Verb { name: "man", command, run };

fn command(command: Command) -> Command {
    command
        .about("Write the manual pages, one per verb, into a folder")
        .arg(Arg::new("folder").required(true).value_name("DIR").help("Made where there is none"))
}

fn run(matches: &ArgMatches) -> Exit {
    let folder = Path::new(matches.get_one::<String>("folder").expect("clap requires it"));
    let mut command = crate::command().disable_help_subcommand(true);
    command.build();
    match std::fs::create_dir_all(folder).and_then(|()| write(&command, folder)) {
        Ok(()) => Exit::Valid,
        Err(e) => {
            let shown = folder.display();
            exit::failed(format!("the manual pages cannot be written into {shown} ({e}); name a folder of yours"))
        }
    }
}

/// The page of a verb and of those below it. It has no date: the same program writes the same pages.
fn write(command: &Command, folder: &Path) -> io::Result<()> {
    for verb in command.get_subcommands() {
        write(verb, folder)?;
    }
    Man::new(command.clone()).source(concat!("assay ", env!("CARGO_PKG_VERSION"))).generate_to(folder).map(drop)
}
