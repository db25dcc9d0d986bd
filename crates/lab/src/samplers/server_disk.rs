//! What the server's data take on disk: the files below its data directory, which servers of MySQL's family and
//! PostgreSQL make their working directory. Blocks that are allocated, so that a hole takes nothing. Thousands of files
//! are dear to look at, so they are at the marks only.

use super::source::{Available, Occasion, Owner, Process, Reading, Sampler, Server, Source, Turn};
use std::fs;
use std::io::{Error, Result};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

pub(crate) const SAMPLER: Sampler = Sampler { name: "server_disk", turn: Turn::Between, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    let process = match available.server.as_ref()? {
        Server::OneProcess(process) => available.asker.as_ref().map(|_| process)?,
        Server::Processes(first) => first,
    };
    Some(Box::new(ServerDisk(process.clone())))
}

/// About 2 µs a file: more would hold up what is read behind them by a tenth of a second.
const MOST_FILES: usize = 50_000;
/// What `st_blocks` counts.
const BLOCK: u64 = 512;

struct ServerDisk(Process);

impl Source for ServerDisk {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, occasion: Occasion, reading: &mut Reading) {
        if occasion == Occasion::Second {
            return;
        }
        match taken(PathBuf::from(format!("/proc/{}/cwd/.", self.0.pid()))) {
            Ok(bytes) => reading.tell("server.disk", bytes),
            Err(e) => reading.missing("server.disk", e),
        }
    }
}

/// A file that goes while they are looked at takes nothing any more; a link counts as itself.
fn taken(folder: PathBuf) -> Result<u64> {
    let (mut folders, mut files, mut blocks) = (vec![folder], 0, 0);
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if files == 0 => return Err(e),
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            let Ok(file) = entry.metadata() else { continue };
            files += 1;
            if files > MOST_FILES {
                return Err(Error::other(format!("its data directory has more than {MOST_FILES} files")));
            }
            blocks += file.blocks();
            if file.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(blocks * BLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_it_are_summed_and_what_cannot_be_read_is_told() {
        let place = tempfile::tempdir().expect("a folder of our own");
        let empty = taken(place.path().into()).expect("it can be read");
        fs::create_dir(place.path().join("below")).expect("room");
        fs::write(place.path().join("below/data"), vec![1; 1 << 20]).expect("room");
        let grown = taken(place.path().into()).expect("it can be read") - empty;
        assert!((1 << 20..1 << 21).contains(&grown), "{grown}");
        assert!(taken(place.path().join("gone")).is_err());
    }
}
