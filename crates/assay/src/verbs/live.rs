//! `assay live`: the page of a lab that runs elsewhere on this host, from its record's folder alone. It writes nothing,
//! and the lab does not know of it.

use super::Verb;
use crate::arguments::{needed, option, said};
use crate::exit::{self, Exit};
use crate::interrupt;
use crate::live::{Listeners, metrics_argument};
use clap::{ArgMatches, Command};
use lab::notebook::watch::Watch;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

pub const VERB: Verb = Verb { name: "live", command, run };

const LOOK_AGAIN: Duration = Duration::from_millis(100);

fn command(command: Command) -> Command {
    command.about("Watch a lab that writes this record, on a page, until Ctrl-C").args([
        needed("record", "RECORD", "The record's folder"),
        option("at", "ADDR", "Where the page is served, as 8080 [default: a free port of this machine]"),
        metrics_argument(),
    ])
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let folder = Path::new(said(matches, "record"));
    Watch::open(folder, &[]).map_err(exit::refused)?;
    let at = matches.get_one::<String>("at").map_or("0", String::as_str);
    let listeners = Listeners::open(Some(at), matches.get_one::<String>("metrics").map(String::as_str))?;
    let stop = interrupt::flag();
    let _live = listeners.serve(folder, false);
    while !stop.load(Relaxed) {
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(Exit::Valid)
}
