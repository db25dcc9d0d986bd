//! The memcached protocol in its three dialects: text, binary, and the meta commands of 1.6. What MySQL's InnoDB plugin
//! speaks is the first two of them, and a container of its is chosen by a get of `@@name`.
//!
//! Requests are appended to a buffer, as many as one likes before the first is answered; answers come in their order,
//! one `Heard` at a time, and lie where they arrived. What says that a request is answered depends on the dialect:
//! `Dialect::closes`. Not here: UDP, SASL (the servers under test have neither on), cas, and commands that change what
//! a server is (`flush_all` empties a table).

mod binary;
mod key;
mod meta;
mod text;

pub use crate::reader::Malformed;
pub use key::{Below, Key, natural};

/// The most that a server takes for a value (its `-I` ends here).
const MOST_BYTES: u64 = 1 << 30;
/// The first line of an answer is a key of 250 bytes and a few numbers, or an error's sentence.
const LONGEST_LINE: usize = 2048;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Text,
    Binary,
    Meta,
}

/// One thing that a server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    Value {
        key: &'a [u8],
        value: &'a [u8],
    },
    /// The one key that was asked for is not there.
    Miss,
    /// All keys that were asked for together are answered; those without a value are not there.
    End,
    /// A write was done.
    Done,
    /// A write that had a condition was not.
    NotDone,
    /// One line of a list that ends with `End`.
    Stat {
        name: &'a [u8],
        value: &'a [u8],
    },
    Version(&'a [u8]),
    /// Not understood, or not possible now; in the server's words.
    Refused(&'a [u8]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard<'a> {
    pub said: Said<'a>,
    /// Bytes that it took.
    pub consumed: usize,
}

/// What was asked, as far as its answer depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Keys(usize),
    Write,
    Version,
    Stats,
}

impl Dialect {
    /// One request for all these keys.
    #[inline]
    pub fn get<K: Key>(self, out: &mut Vec<u8>, keys: impl ExactSizeIterator<Item = K>) -> Asked {
        let count = keys.len();
        assert!(count > 0, "a get names a key");
        match self {
            Self::Text => text::get(out, keys),
            Self::Binary => binary::get(out, keys),
            Self::Meta => meta::get(out, keys),
        }
        Asked::Keys(count)
    }

    /// A write without a condition, an expiry or flags.
    #[inline]
    pub fn set<K: Key>(self, out: &mut Vec<u8>, key: K, value: &[u8]) -> Asked {
        match self {
            Self::Text => text::set(out, key, value),
            Self::Binary => binary::set(out, key, value),
            Self::Meta => meta::set(out, key, value),
        }
        Asked::Write
    }

    /// Takes one key away; answered as a write that was done, or that was not because there was none.
    pub fn delete<K: Key>(self, out: &mut Vec<u8>, key: K) -> Asked {
        match self {
            Self::Text => text::delete(out, key),
            Self::Binary => binary::delete(out, key),
            Self::Meta => meta::delete(out, key),
        }
        Asked::Write
    }

    /// The gets that follow are of this container of the InnoDB plugin. It answers with a value: the name of a table,
    /// which is that of the one before on 5.6.
    pub fn select(self, out: &mut Vec<u8>, container: &str) -> Asked {
        let name = [b"@@", container.as_bytes()].concat();
        self.get(out, std::iter::once(name.as_slice()))
    }

    pub fn version(self, out: &mut Vec<u8>) -> Asked {
        match self {
            Self::Text | Self::Meta => out.extend_from_slice(b"version\r\n"),
            Self::Binary => binary::version(out),
        }
        Asked::Version
    }

    pub fn stats(self, out: &mut Vec<u8>) -> Asked {
        match self {
            Self::Text | Self::Meta => out.extend_from_slice(b"stats\r\n"),
            Self::Binary => binary::stats(out),
        }
        Asked::Stats
    }

    /// The next thing that the server says; `None` when more bytes must come.
    #[inline]
    pub fn hear(self, bytes: &[u8]) -> Result<Option<Heard<'_>>, Malformed> {
        match self {
            Self::Text => text::hear(bytes),
            Self::Binary => binary::hear(bytes),
            Self::Meta => meta::hear(bytes),
        }
    }

    /// Whether this ends the answer to what was asked; `Err` when no server may answer so.
    #[inline]
    pub fn closes(self, asked: Asked, said: &Said<'_>) -> Result<bool, Malformed> {
        let alone = match self {
            Self::Text => false,
            Self::Binary | Self::Meta => asked == Asked::Keys(1),
        };
        match (asked, said) {
            (_, Said::Refused(_)) => Ok(true),
            (Asked::Keys(_), Said::Value { .. }) => Ok(alone),
            (Asked::Keys(_), Said::Miss) if alone => Ok(true),
            (Asked::Keys(_), Said::End) if !alone => Ok(true),
            (Asked::Write, Said::Done | Said::NotDone) | (Asked::Version, Said::Version(_)) => Ok(true),
            (Asked::Stats, Said::Stat { .. }) => Ok(false),
            (Asked::Stats, Said::End) => Ok(true),
            (Asked::Keys(_) | Asked::Write | Asked::Version | Asked::Stats, _) => {
                Err(Malformed("an answer to something else"))
            }
        }
    }
}

/// A line and the bytes it took with its end; `None` when it has not ended yet.
#[inline]
fn line(bytes: &[u8]) -> Result<Option<(&[u8], usize)>, Malformed> {
    match bytes.iter().take(LONGEST_LINE).position(|byte| *byte == b'\n') {
        Some(at) if at > 0 && bytes[at - 1] == b'\r' => Ok(Some((&bytes[..at - 1], at + 1))),
        Some(_) => Err(Malformed("a line does not end with CR LF")),
        None if bytes.len() >= LONGEST_LINE => Err(Malformed("a line has no end")),
        None => Ok(None),
    }
}

/// `size` bytes behind a line and the end of line behind them; `None` when they are not all there.
#[inline]
fn block(bytes: &[u8], from: usize, size: u64) -> Result<Option<(&[u8], usize)>, Malformed> {
    if size > MOST_BYTES {
        return Err(Malformed("a value longer than any server keeps"));
    }
    let to = from + size as usize;
    match bytes.get(from..to).zip(bytes.get(to..to + 2)) {
        Some((value, b"\r\n")) => Ok(Some((value, to + 2))),
        Some(_) => Err(Malformed("a value is not as long as its line says")),
        None => Ok(None),
    }
}

/// What text and meta say alike.
fn refused(line: &[u8]) -> Option<Said<'_>> {
    let is = |word: &[u8]| line.starts_with(word);
    (is(b"ERROR") || is(b"CLIENT_ERROR") || is(b"SERVER_ERROR")).then_some(Said::Refused(line))
}
