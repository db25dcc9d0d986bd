//! The folder of a trace on disk: made new, appended to by one writer, and opened for reading while it grows or after
//! it was torn. What lies in its files is the business of the crate `trace`; docs/capture.md tells the layout.

use crate::notebook::{read_json, write_json};
use crate::trouble::Trouble;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use trace::head::{CLOSING, HEAD, MIX, STATEMENTS};
use trace::{Closing, Head, Item, Mix, Reader, Sieve, Unreadable, VERSION, Writer};

/// What is lost at most when the program is killed: what arrived within so long.
const FLUSHED_EVERY: Duration = Duration::from_secs(1);

/// A trace that is being written.
pub struct NewTrace {
    folder: PathBuf,
    writer: Writer<File>,
    sieve: Sieve,
    flushed: Instant,
    notes: Vec<String>,
}

impl NewTrace {
    /// Makes the folder, which must be empty or not there, and begins the trace. What is appended passes the sieve.
    pub fn create(folder: &Path, head: &Head, sieve: Sieve) -> Result<Self, Trouble> {
        begin(folder, head)?;
        let path = folder.join(STATEMENTS);
        let file = File::create_new(&path).map_err(Trouble::at("making", &path))?;
        let writer = Writer::new(file).map_err(Trouble::at("writing", &path))?;
        Ok(Self { folder: folder.to_path_buf(), writer, sieve, flushed: Instant::now(), notes: Vec::new() })
    }

    /// Appends an item; statements come in the order in which they ended.
    pub fn append(&mut self, item: Item) -> Result<(), Trouble> {
        let written = match self.sieve.item(item) {
            Item::Statement(statement) => self.writer.statement(statement),
            Item::Lost(lost) => self.writer.lost(lost),
        };
        written.map_err(|error| self.trouble(error))?;
        self.settle()
    }

    /// Writes what has waited for its second; for whoever has nothing to append.
    pub fn settle(&mut self) -> Result<(), Trouble> {
        if self.flushed.elapsed() < FLUSHED_EVERY {
            return Ok(());
        }
        self.flushed = Instant::now();
        self.writer.flush().map_err(|error| self.trouble(error))
    }

    /// Something that a reader of the trace should know, as a sentence.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub fn so_far(&self) -> Closing {
        self.writer.so_far()
    }

    /// The capture is over: what it had is on disk, and `end.json` says so.
    pub fn finish(self) -> Result<Closing, Trouble> {
        let path = self.folder.join(STATEMENTS);
        let (file, closing) = self.writer.finish().map_err(Trouble::at("writing", &path))?;
        file.sync_data().map_err(Trouble::at("writing", &path))?;
        let closing = Closing { notes: self.notes, ..closing };
        write_json(&self.folder.join(CLOSING), &closing)?;
        Ok(closing)
    }

    fn trouble(&self, error: std::io::Error) -> Trouble {
        Trouble::at("writing", &self.folder.join(STATEMENTS))(error)
    }
}

/// Writes a trace that is a mix of statements and nothing more.
pub fn write_mix(folder: &Path, head: &Head, mix: &Mix) -> Result<(), Trouble> {
    begin(folder, head)?;
    write_json(&folder.join(MIX), mix)?;
    let calls = mix.lines.iter().map(|line| line.calls).sum();
    let closing = Closing { statements: calls, first: mix.from, last: mix.to, ..Closing::default() };
    write_json(&folder.join(CLOSING), &closing)
}

fn begin(folder: &Path, head: &Head) -> Result<(), Trouble> {
    fs::create_dir_all(folder).map_err(Trouble::at("making the trace's folder", folder))?;
    let mut entries = fs::read_dir(folder).map_err(Trouble::at("reading", folder))?;
    if let Some(Ok(other)) = entries.next() {
        let other = other.file_name();
        return Err(Trouble::new(format!("{} already holds {}", folder.display(), other.display()))
            .mend("choose a new folder with --out: a trace is never added to"));
    }
    write_json(&folder.join(HEAD), head)
}

/// A trace to read. Each call of `statements` begins at the front again.
#[derive(Debug)]
pub struct Trace {
    folder: PathBuf,
    pub head: Head,
    /// `None`: the capture was torn, or goes on still.
    pub closing: Option<Closing>,
}

impl Trace {
    pub fn open(folder: &Path) -> Result<Self, Trouble> {
        let path = folder.join(HEAD);
        if !path.exists() {
            return Err(Trouble::new(format!("{} is not a trace: it has no {HEAD}", folder.display()))
                .mend("give a folder that `assay capture` made"));
        }
        let version: Version = read_json(&path)?;
        if version.version != VERSION {
            return Err(Trouble::new(format!("{}: {}", folder.display(), Unreadable::Version(version.version))));
        }
        let closing = folder.join(CLOSING);
        let closing = if closing.exists() { Some(read_json(&closing)?) } else { None };
        Ok(Self { folder: folder.to_path_buf(), head: read_json(&path)?, closing })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its statements and what is missing among them, in the order in which they ended; one block in memory at a time.
    pub fn statements(&self) -> Result<Reader<BufReader<File>>, Trouble> {
        let path = self.folder.join(STATEMENTS);
        if self.folder.join(MIX).exists() {
            return Err(Trouble::new(format!(
                "{} holds only counts of statements, as performance_schema's digests tell them",
                self.folder.display()
            ))
            .mend("capture through the proxy, from the slow log or from packets to have statements"));
        }
        let file = File::open(&path).map_err(Trouble::at("opening", &path))?;
        let unreadable = |why: Unreadable| match why {
            Unreadable::Io(error) => Trouble::at("reading", &path)(error),
            other => Trouble::new(format!("{}: {other}", path.display())),
        };
        Reader::new(BufReader::new(file)).map_err(unreadable)
    }

    /// The counts of a trace that has them instead of statements.
    pub fn mix(&self) -> Result<Option<Mix>, Trouble> {
        let path = self.folder.join(MIX);
        if path.exists() { read_json(&path).map(Some) } else { Ok(None) }
    }
}

/// What every version has.
#[derive(serde::Deserialize)]
struct Version {
    version: u32,
}
