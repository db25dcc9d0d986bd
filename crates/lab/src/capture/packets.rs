//! A packet file on disk into a trace.

use super::head;
use crate::traces::NewTrace;
use crate::trouble::Trouble;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use trace::packets::{Packets, Unreadable};
use trace::{Closing, Origin, Sieve};

/// Read from the disk at once.
const CHUNK: usize = 1 << 20;

const NOTES: [&str; 1] = ["A session that was open before the packet file began has no account, no database and no \
    texts of what was prepared before."];

/// Reads the file to its end, or until asked to stop, and writes the trace. `port` is the server's.
pub fn packets(file: &Path, port: u16, out: &Path, sieve: Sieve, stop: &AtomicBool) -> Result<Closing, Trouble> {
    let opened = File::open(file).map_err(Trouble::at("opening", file))?;
    let unreadable = |why: Unreadable| match why {
        Unreadable::Io(error) => Trouble::at("reading", file)(error),
        other => Trouble::new(format!("{}: {other}", file.display())),
    };
    let mut items = Packets::new(BufReader::with_capacity(CHUNK, opened), port).map_err(unreadable)?;
    // A file that cannot be read leaves no folder behind.
    let first = items.next().transpose().map_err(unreadable)?;
    let server = items.server.clone();
    let mut trace = NewTrace::create(out, &head(Origin::Packets, &sieve, server, &NOTES), sieve)?;
    for item in first.map(Ok).into_iter().chain(items.by_ref()) {
        trace.append(item.map_err(unreadable)?)?;
        if stop.load(Ordering::Relaxed) {
            trace.note("The capture was stopped before the packet file's end.");
            break;
        }
    }
    items.notes().into_iter().for_each(|note| trace.note(note));
    trace.finish()
}
