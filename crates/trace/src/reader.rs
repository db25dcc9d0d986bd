//! The reader of a trace's statements: an iterator that holds one block at a time, whatever the file's length. Where
//! the file was torn or damaged it goes on behind that and says what is missing as `Item::Lost`.

use crate::block::{BlockHead, FILE_HEAD, FILE_MAGIC, HEAD_BYTES, MAGIC};
use crate::codec::Decoder;
use crate::head::VERSION;
use crate::statement::{Item, Lost};
use model::Nanos;
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

/// Why a file cannot be read at all.
#[derive(Debug)]
pub enum Unreadable {
    /// It does not begin as a trace does.
    NotATrace,
    /// It is of another version.
    Version(u32),
    Io(io::Error),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATrace => f.write_str("it does not begin as a trace of assay does"),
            Self::Version(version) => write!(
                f,
                "it is a trace of version {version}, and this program reads version {VERSION}: capture the traffic \
                 again, or read it with the program that wrote it"
            ),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Unreadable {}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads so much at a time.
const CHUNK: usize = 64 << 10;

pub struct Reader<R> {
    from: R,
    /// Read and not used yet, from `at`.
    ahead: Vec<u8>,
    at: usize,
    is_over: bool,
    block: Decoder,
    /// Items that the block's head promises and that were not given yet.
    left: u32,
    /// Bytes of the file that were used.
    used: u64,
}

impl<R: Read> Reader<R> {
    pub fn new(from: R) -> Result<Self, Unreadable> {
        let block = Decoder::new(Vec::new());
        let mut reader = Self { from, ahead: Vec::new(), at: 0, is_over: false, block, left: 0, used: 0 };
        let found = reader.fill(FILE_HEAD)?;
        let head = &reader.ahead[..found.min(FILE_HEAD)];
        if head.len() < FILE_HEAD || head[..FILE_MAGIC.len()] != FILE_MAGIC[..] {
            return Err(Unreadable::NotATrace);
        }
        let version = u32::from_le_bytes(head[FILE_MAGIC.len()..].try_into().expect("four bytes"));
        if version != VERSION {
            return Err(Unreadable::Version(version));
        }
        reader.pass(FILE_HEAD);
        Ok(reader)
    }

    /// Bytes of the file that lie behind the last item's block: how far a reading is, for a progress bar.
    pub fn used(&self) -> u64 {
        self.used
    }

    /// Has `wanted` bytes at hand, or all that are left; how many these are.
    fn fill(&mut self, wanted: usize) -> io::Result<usize> {
        if self.at > 0 && self.ahead.len() - self.at < wanted {
            self.ahead.drain(..self.at);
            self.at = 0;
        }
        while self.ahead.len() - self.at < wanted && !self.is_over {
            let long = self.ahead.len();
            self.ahead.resize(long + CHUNK, 0);
            let read = loop {
                match self.from.read(&mut self.ahead[long..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    other => break other,
                }
            };
            self.ahead.truncate(long + *read.as_ref().unwrap_or(&0));
            self.is_over = read? == 0;
        }
        Ok(self.ahead.len() - self.at)
    }

    fn pass(&mut self, bytes: usize) {
        self.at += bytes;
        self.used += bytes as u64;
    }

    /// Goes on to the next block that is whole. What had to be passed over is told.
    fn next_block(&mut self) -> io::Result<Option<Item>> {
        let from = self.used;
        let mut is_torn = false;
        loop {
            let there = self.fill(HEAD_BYTES)?;
            if there == 0 && !is_torn && self.used == from {
                return Ok(None);
            }
            if there < HEAD_BYTES {
                self.pass(there);
                return Ok(Some(self.damage(from, true)));
            }
            let head = self.ahead[self.at..self.at + HEAD_BYTES].try_into().expect("that many bytes");
            let Some(head) = BlockHead::read(&head) else {
                self.seek();
                continue;
            };
            let whole = HEAD_BYTES + head.packed as usize;
            let packed = self.fill(whole)?.min(whole);
            is_torn |= packed < whole;
            let body =
                if packed == whole { head.unpack(&self.ahead[self.at + HEAD_BYTES..self.at + whole]) } else { None };
            let Some(body) = body else {
                self.seek();
                continue;
            };
            let damage = (self.used > from).then(|| self.damage(from, false));
            self.pass(whole);
            (self.block, self.left) = (Decoder::new(body), head.items);
            return Ok(damage);
        }
    }

    /// To the next place at which a block may begin.
    fn seek(&mut self) {
        let ahead = &self.ahead[self.at + 1..];
        let next = ahead.windows(MAGIC.len()).position(|window| window == MAGIC);
        // The last three bytes may be the beginning of one.
        let next = next.unwrap_or(ahead.len().saturating_sub(MAGIC.len() - 1));
        self.pass(next + 1);
    }

    fn damage(&self, from: u64, is_end: bool) -> Item {
        let bytes = self.used - from;
        let why = if is_end {
            format!("the trace ends in the midst of a block: its last {bytes} bytes, from {from} on, cannot be read")
        } else {
            format!("{bytes} bytes of the trace, from {from} on, are damaged")
        };
        Item::Lost(Lost { at: Nanos(0), session: None, statements: None, why: Arc::from(why) })
    }
}

impl<R: Read> Iterator for Reader<R> {
    /// An error is the world's, as a disk that cannot be read: the iterator ends behind it.
    type Item = io::Result<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.block.next() {
                Ok(Some(item)) => {
                    self.left = self.left.saturating_sub(1);
                    return Some(Ok(item));
                }
                Ok(None) => {}
                // Its sum was right and its bytes are not: written by a program that errs.
                Err(malformed) => {
                    let why = format!("a block behind byte {} of the trace cannot be read: {}", self.used, malformed.0);
                    let statements = Some(u64::from(std::mem::take(&mut self.left)));
                    self.block = Decoder::new(Vec::new());
                    return Some(Ok(Item::Lost(Lost { at: Nanos(0), session: None, statements, why: why.into() })));
                }
            }
            let before = self.used;
            match self.next_block() {
                Ok(Some(damage)) => return Some(Ok(damage)),
                Ok(None) if self.used == before => return None,
                Ok(None) => {}
                Err(error) => {
                    self.is_over = true;
                    self.at = self.ahead.len();
                    return Some(Err(error));
                }
            }
        }
    }
}
