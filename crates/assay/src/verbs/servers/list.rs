//! `assay servers list`: the builds that an experiment may name.

use super::super::Verb;
use crate::exit::Exit;
use crate::out;
use clap::{ArgMatches, Command};

pub const VERB: Verb = Verb { name: "list", command, run };

fn command(command: Command) -> Command {
    arguments(command.about("Show the builds that an experiment may name"))
}

/// Also those of `assay servers` without a word.
pub fn arguments(command: Command) -> Command {
    command
}

fn run(_: &ArgMatches) -> Exit {
    for build in lab::servers::catalogue::installed() {
        let build = build.installed;
        out!("{:24} {:8} {:10} {}", build.name, build.kind, build.version, build.engines.join(", "));
    }
    Exit::Valid
}
