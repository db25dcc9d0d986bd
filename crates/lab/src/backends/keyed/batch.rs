//! Hot path: a batch of requests past SQL, and what a protocol's reading tells of each answer.

use workload::rows::{Cell, KeptRows};
use workload::session::{Class, Fault};

/// One request of the batch, and what is known of its answer.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(super) class: Class,
    /// 0 for a write.
    pub(crate) keys: usize,
    /// Where its keys begin in the notes, when its values are kept.
    pub(crate) kept: Option<usize>,
    pub(crate) found: u64,
    pub(crate) written: u64,
    pub(super) bytes: u64,
}

/// What is remembered of a batch for those values that are kept.
#[derive(Default)]
pub(crate) struct Notes {
    /// The keys that were asked for.
    pub(super) keys: Vec<u64>,
    pub(super) kept: KeptRows,
    /// For a value that has to be unescaped.
    pub(crate) room: Vec<u8>,
}

/// One step of reading.
pub(crate) enum Read {
    /// More bytes must come.
    Incomplete,
    /// So many bytes of this answer were read, and there is more of it.
    Part(usize),
    /// It ends after so many bytes.
    End(usize),
    Refused(usize, Fault),
}

impl Notes {
    /// Keeps a value; its key must be one that was asked for.
    pub(crate) fn keep(&mut self, request: &Request, key: u64, value: &[u8]) -> Result<(), Fault> {
        let from = request.kept.expect("it is asked only of those that are kept");
        if !self.keys[from..from + request.keys].contains(&key) {
            return Err(Fault::Protocol(format!("a value of key {key}, which was not asked for")));
        }
        self.kept.push(Cell::UInt(key));
        self.kept.push(Cell::Bytes(value));
        Ok(())
    }
}

/// What a server said instead of doing it. These protocols number no errors; MySQL's "unknown error" stands for all.
#[cold]
pub(crate) fn refused(words: &[u8]) -> Fault {
    const UNKNOWN_ERROR: u16 = 1105;
    Fault::Server { code: UNKNOWN_ERROR, state: *b"HY000", message: String::from_utf8_lossy(words).into_owned() }
}
