//! A slow log on disk into a trace.

use super::head;
use crate::traces::NewTrace;
use crate::trouble::Trouble;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use trace::slow_log::{SlowLog, Unreadable};
use trace::{Closing, Origin, Sieve};

/// Read from the disk at once.
const CHUNK: usize = 1 << 20;

const NOTES: [&str; 2] = [
    "A slow log holds what the server ran, values of prepared statements written out: how it was asked is not known.",
    "A slow log holds no rows: what a statement answered is known by its counts only.",
];

/// Reads the log to its end, or until asked to stop, and writes the trace.
pub fn slow_log(log: &Path, out: &Path, sieve: Sieve, stop: &AtomicBool) -> Result<Closing, Trouble> {
    let file = File::open(log).map_err(Trouble::at("opening", log))?;
    let mut items = SlowLog::new(BufReader::with_capacity(CHUNK, file));
    let unreadable = |why: Unreadable| match why {
        Unreadable::Io(error) => Trouble::at("reading", log)(error),
        other => Trouble::new(format!("{}: {other}", log.display())),
    };
    // A log that cannot be read leaves no folder behind.
    let first = items.next().transpose().map_err(unreadable)?;
    let server = items.server().map(str::to_string);
    let mut trace = NewTrace::create(out, &head(Origin::SlowLog, &sieve, server, &NOTES), sieve)?;
    for item in first.map(Ok).into_iter().chain(items.by_ref()) {
        trace.append(item.map_err(unreadable)?)?;
        if stop.load(Ordering::Relaxed) {
            trace.note("The capture was stopped before the log's end.");
            break;
        }
    }
    items.notes().into_iter().for_each(|note| trace.note(note));
    trace.finish()
}
