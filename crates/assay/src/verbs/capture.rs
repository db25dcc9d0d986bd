//! `assay capture`: real traffic, written down as a trace that can be replayed. One source at a time; the same trace
//! whatever it is. What a source cannot know is said at the end and stands in the trace.

use super::Verb;
use crate::arguments::{flag, option, said};
use crate::exit::{self, Exit};
use crate::{interrupt, out};
use clap::{ArgGroup, ArgMatches, Command};
use lab::trouble::Trouble;
use model::Nanos;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use trace::mask::SHORTEST_KEY;
use trace::{Closing, Mask, Sieve};

pub const VERB: Verb = Verb { name: "capture", command, run };

/// Where the key of a mask is, if no file is named.
const KEY: &str = "ASSAY_MASK_KEY";

fn command(command: Command) -> Command {
    command
        .about("Write real traffic down as a trace: from a slow log")
        .args([
            option("slow-log", "FILE", "A slow log that was written with long_query_time = 0"),
            option("out", "TRACE", "The folder to make").required(true),
            flag("mask", "Replace values by others of the same type and length; needs a key"),
            option("mask-key", "FILE", "The key, at least 16 bytes [default: what ASSAY_MASK_KEY says]")
                .requires("mask"),
        ])
        .group(ArgGroup::new("source").args(["slow-log"]).required(true))
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let (out, sieve) = (Path::new(said(matches, "out")), sieve(matches)?);
    let stop = interrupt::flag();
    let closing = capture(matches, out, sieve, &stop).map_err(exit::failed)?;
    out!("{}", told(out, &closing));
    Ok(Exit::Valid)
}

fn capture(matches: &ArgMatches, out: &Path, sieve: Sieve, stop: &AtomicBool) -> Result<Closing, Trouble> {
    lab::capture::slow_log(Path::new(said(matches, "slow-log")), out, sieve, stop)
}

fn sieve(matches: &ArgMatches) -> Result<Sieve, Exit> {
    if !matches.get_flag("mask") {
        return Ok(Sieve::default());
    }
    let key = match matches.get_one::<String>("mask-key") {
        Some(file) => std::fs::read(file).map_err(|e| exit::refused(format!("{file} cannot be read: {e}")))?,
        None => std::env::var_os(KEY).map(|key| key.into_encoded_bytes()).unwrap_or_default(),
    };
    let key = key.trim_ascii();
    let long = key.len();
    let mask = Mask::new(key).ok_or_else(|| {
        exit::refused(format!(
            "the key of --mask has {long} bytes, and one of fewer than {SHORTEST_KEY} can be guessed: put a longer \
             one into a file for --mask-key or into {KEY}, as `head -c 32 /dev/urandom | base64` makes it"
        ))
    })?;
    Ok(Sieve::new(Some(mask)))
}

/// What came of it.
fn told(folder: &Path, closing: &Closing) -> String {
    let Closing { statements, sessions, lost, gaps, first, last, notes } = closing;
    let time = Nanos(last.0.saturating_sub(first.0));
    let mut text = format!("{}: {statements} statements of {sessions} sessions in {time}", folder.display());
    if *lost > 0 || *gaps > 0 {
        text += &format!("\n{lost} statements are known to be missing, and {gaps} places may hide more");
    }
    notes.iter().for_each(|note| text += &format!("\nnote: {note}"));
    text
}
