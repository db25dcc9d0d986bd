//! The verbs, one file each, in the order in which help shows them. A verb is its arguments and a function from them to
//! an exit status.

pub mod bench;
pub mod bisect;
pub mod capture;
pub mod compare;
pub mod completions;
pub mod doctor;
pub mod explain;
pub mod farm;
pub mod init;
pub mod judge;
pub mod live;
pub mod man;
pub mod plan;
pub mod profile;
pub mod report;
pub mod run;
pub mod servers;
pub mod sysbench;
pub mod upgrade;

use crate::exit::Exit;
use clap::{ArgMatches, Command};

pub struct Verb {
    pub name: &'static str,
    pub command: fn(Command) -> Command,
    /// How it ended; early, where a part of it did not go on.
    pub run: fn(&ArgMatches) -> Result<Exit, Exit>,
}

pub const ALL: &[Verb] = &[
    run::VERB,
    plan::VERB,
    live::VERB,
    judge::VERB,
    report::VERB,
    compare::VERB,
    profile::VERB,
    bisect::VERB,
    upgrade::VERB,
    farm::VERB,
    capture::VERB,
    explain::VERB,
    bench::VERB,
    sysbench::VERB,
    servers::VERB,
    doctor::VERB,
    init::VERB,
    completions::VERB,
    man::VERB,
];
