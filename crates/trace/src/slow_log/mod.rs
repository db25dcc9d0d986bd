//! Slow logs with `long_query_time = 0` as statements: MySQL's (5.6 to 9, `log_slow_extra` too), MariaDB's and
//! Percona's, read line by line in bounded memory. The log holds what the server ran, with the values of prepared
//! statements written out, in the order in which statements ended; it does not hold rows, nor what was prepared.
//!
//! What it cannot know is told once, in `notes`: whole seconds only, databases that carry over, sampled logs.

mod entry;
mod header;
mod time;

use crate::statement::{Item, Lost};
use entry::Sessions;
use header::{Header, is_server_start};
use model::Nanos;
use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead};
use std::sync::Arc;

/// The longest line or statement that is read; what is longer is told as lost.
const MAX_STATEMENT: usize = crate::block::MAX_BYTES;
/// Lines that a reading looks at before it says that this is no slow log.
const LOOKED_AT: u64 = 10_000;

/// Why a log cannot be read.
#[derive(Debug)]
pub enum Unreadable {
    Empty,
    NotASlowLog { general: bool },
    WithoutTimes { line: u64 },
    Io(io::Error),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty: set slow_query_log = ON and long_query_time = 0 for new sessions"),
            Self::NotASlowLog { general: true } => f.write_str(
                "it is a general query log, which has no durations: log to the slow log with long_query_time = 0",
            ),
            Self::NotASlowLog { general: false } => write!(
                f,
                "it is no slow log: none of its first {LOOKED_AT} lines begins `# User@Host:`; give the file that \
                 slow_query_log_file names"
            ),
            Self::WithoutTimes { line } => write!(
                f,
                "the entry before line {line} has no time, neither `# Time:` nor `SET timestamp`: statements without \
                 times cannot be replayed at their pace; turn log_short_format off (--skip-log-short-format)"
            ),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Reads a log as an iterator of what a trace holds.
pub struct SlowLog<R> {
    from: R,
    line: Vec<u8>,
    lines: u64,
    state: State,
    sessions: Sessions,
    ready: VecDeque<Item>,
    found: u64,
    looks_general: bool,
    is_over: bool,
    /// Bytes of the log that were read.
    used: u64,
}

/// Where in an entry the reading is.
enum State {
    /// Before the first header, or behind one that a server's start cut.
    Outside,
    /// Among the lines with `#`.
    Header(Header),
    /// Behind them: the text so far.
    Body(Header, Vec<u8>),
}

impl<R: BufRead> SlowLog<R> {
    pub fn new(from: R) -> Self {
        Self {
            from,
            line: Vec::new(),
            lines: 0,
            state: State::Outside,
            sessions: Sessions::default(),
            ready: VecDeque::new(),
            found: 0,
            looks_general: false,
            is_over: false,
            used: 0,
        }
    }

    /// The version that the log's head names, once it was read.
    pub fn server(&self) -> Option<&str> {
        self.sessions.server.as_deref()
    }

    /// What this log cannot tell, as sentences; complete when it has been read.
    pub fn notes(&self) -> Vec<String> {
        self.sessions.notes()
    }

    pub fn used(&self) -> u64 {
        self.used
    }

    /// The next line, without its end; false at the log's end. A line that is too long is cut.
    fn read_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        let mut read = 0;
        loop {
            let chunk = match self.from.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            let room = (MAX_STATEMENT + 1).saturating_sub(self.line.len());
            self.line.extend_from_slice(&chunk[..taken.min(room)]);
            let is_last = end.is_some() || chunk.is_empty();
            self.from.consume(taken);
            read += taken;
            if is_last {
                break;
            }
        }
        self.used += read as u64;
        self.lines += u64::from(read > 0);
        Ok(read > 0)
    }

    fn step(&mut self) -> Result<(), Unreadable> {
        if !self.read_line().map_err(Unreadable::Io)? {
            self.is_over = true;
            return self.end();
        }
        let mut line = std::mem::take(&mut self.line);
        let done = self.take(&mut line);
        self.line = line;
        if self.found == 0 && self.lines >= LOOKED_AT && matches!(self.state, State::Outside) {
            return Err(Unreadable::NotASlowLog { general: self.looks_general });
        }
        done
    }

    fn take(&mut self, line: &mut Vec<u8>) -> Result<(), Unreadable> {
        if line.ends_with(b"\r\n") {
            line.truncate(line.len() - 2);
            line.push(b'\n');
        }
        let text: &[u8] = line.strip_suffix(b"\n").unwrap_or(line);
        if is_server_start(text) {
            self.entry(true)?;
            self.sessions.restarted(text);
            self.state = State::Outside;
            return Ok(());
        }
        match &mut self.state {
            State::Header(header) if text.starts_with(b"#") && !header::is_command(text) => {
                if header.is_begun_again_by(text) {
                    self.entry(true)?;
                    self.state = State::Header(Header::default());
                }
                self.header(text);
            }
            State::Header(header) => {
                let header = std::mem::take(header);
                self.state = State::Body(header, line.clone());
            }
            State::Outside | State::Body(..) if header::opens(text) => {
                self.entry(true)?;
                self.state = State::Header(Header::default());
                self.header(text);
            }
            State::Body(_, body) => {
                let room = (MAX_STATEMENT + 1).saturating_sub(body.len());
                body.extend_from_slice(&line[..line.len().min(room)]);
            }
            State::Outside => self.looks_general |= header::is_of_general_log(text),
        }
        Ok(())
    }

    fn header(&mut self, line: &[u8]) {
        if let State::Header(header) = &mut self.state {
            header.line(line);
        }
    }

    /// An entry is over: what it says goes into `ready`.
    fn entry(&mut self, is_whole: bool) -> Result<(), Unreadable> {
        match std::mem::replace(&mut self.state, State::Outside) {
            State::Outside => Ok(()),
            // A `# Time:` that nothing follows belongs to what comes next.
            State::Header(header) => {
                self.sessions.time(&header);
                Ok(())
            }
            State::Body(header, body) => {
                self.found += 1;
                if !is_whole || body.len() > MAX_STATEMENT {
                    let why = if is_whole { "a statement longer than is kept" } else { "the log ends in a statement" };
                    let at = header.time.unwrap_or(Nanos(0));
                    let lost = Lost { at, session: None, statements: Some(1), why: Arc::from(why) };
                    self.ready.push_back(Item::Lost(lost));
                    return Ok(());
                }
                let items = self.sessions.entry(&header, &body);
                self.ready.extend(items.map_err(|entry::NoTime| Unreadable::WithoutTimes { line: self.lines })?);
                Ok(())
            }
        }
    }

    fn end(&mut self) -> Result<(), Unreadable> {
        let is_whole = match &self.state {
            State::Body(_, body) => body.ends_with(b";\n") || body.ends_with(b"\n") && entry::is_command(body),
            State::Outside | State::Header(_) => true,
        };
        self.entry(is_whole)?;
        match (self.found, self.lines) {
            (0, 0) => Err(Unreadable::Empty),
            (0, _) if self.sessions.server.is_some() && !self.looks_general => Err(Unreadable::Empty),
            (0, _) => Err(Unreadable::NotASlowLog { general: self.looks_general }),
            _ => Ok(()),
        }
    }
}

impl<R: BufRead> Iterator for SlowLog<R> {
    /// The iterator ends behind an error.
    type Item = Result<Item, Unreadable>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(Ok(item));
            }
            if self.is_over {
                return None;
            }
            if let Err(why) = self.step() {
                self.is_over = true;
                self.ready.clear();
                return Some(Err(why));
            }
        }
    }
}
