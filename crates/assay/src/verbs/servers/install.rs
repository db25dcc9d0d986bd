//! `assay servers install`: builds from the catalogue, one after the other, each from nothing to a server that was
//! tried.

use super::super::Verb;
use super::progress::Downloads;
use crate::arguments::{needed, option};
use crate::exit::{self, Exit};
use crate::{interrupt, out};
use clap::{ArgAction, ArgMatches, Command};
use lab::backends::kinds;
use lab::os::process::Guard;
use lab::servers::catalogue::entry::Entry;
use lab::servers::catalogue::{DISTRIBUTION, PACKAGE};
use lab::servers::install::Installer;
use std::path::PathBuf;

pub const VERB: Verb = Verb { name: "install", command, run };

fn command(command: Command) -> Command {
    command.about("Download builds, verify them, unpack them and try them; resumes").args([
        needed("build", "BUILD", "As mysql-8.0.33, or a series as mysql-8.0").action(ArgAction::Append).num_args(1..),
        option("from", "FILE", "The archive of a build that you downloaded yourself"),
    ])
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let (folders, catalogue) = super::catalogue()?;
    let names: Vec<_> = matches.get_many::<String>("build").expect("clap requires it").collect();
    // Every name is looked up before the first build is fetched.
    let mut entries: Vec<&Entry> = Vec::new();
    for name in names {
        match catalogue.find(name) {
            Some(entry) if entries.iter().any(|e| e.name == entry.name) => {}
            Some(entry) => entries.push(entry),
            None if name == DISTRIBUTION => {
                return Err(exit::refused(format!(
                    "{DISTRIBUTION} is what the distribution's packages bring; assay installs nothing outside its own \
                     folders\n    apt-get install {PACKAGE} (and mariadb-plugin-rocksdb for MyRocks)"
                )));
            }
            None => return Err(exit::refused(catalogue.unknown(name))),
        }
    }
    let from = matches.get_one::<String>("from").map(PathBuf::from);
    if from.is_some() && entries.len() > 1 {
        return Err(exit::refused("--from FILE is one archive: install one build with it"));
    }
    let stop = interrupt::flag();
    let guard = Guard::this_program();
    for entry in entries {
        let mut progress = Downloads::new();
        let mut installer = Installer {
            folders: &folders,
            guard: &guard,
            kind_of: kinds::of,
            from: from.as_deref(),
            stop: &stop,
            progress: &mut progress,
        };
        // What is wrong with the request is found before anything is made, and what fails later is the world's.
        installer.check(entry).map_err(exit::refused)?;
        let kept = installer.install(entry).map_err(exit::failed)?;
        out!("{} is installed ({})", entry.name, kept.size);
    }
    Ok(Exit::Valid)
}
