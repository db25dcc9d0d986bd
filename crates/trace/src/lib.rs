//! Traces: what clients asked of a server and what it answered, written down so that it can be asked again of another.
//!
//! A trace is a folder: `trace.json` (`Head`: version, source, server), `statements` (a `Writer`'s file: blocks of
//! zstd, each with its length and checksum, appended in the order in which statements ended), `mix.json` instead of
//! it where a source only counts, and `end.json` (`Closing`), which comes last: a trace without it was torn, and is
//! read as far as it goes. This crate reads and writes bytes that it is handed; folders, sockets and clocks are the
//! lab's. `sql` splits statements into tokens, for digests and for whatever else must know a literal from a name.
#![forbid(unsafe_code)]

mod block;
pub mod by_start;
pub mod calendar;
mod codec;
pub mod conversation;
pub mod head;
pub mod mask;
pub mod packets;
pub mod reader;
pub mod rows;
pub mod sieve;
pub mod slow_log;
pub mod sql;
pub mod statement;
pub mod transactions;
pub mod value;
mod varint;
pub mod writer;

pub use by_start::ByStart;
pub use head::{Closing, Head, Mix, MixLine, Origin, VERSION};
pub use mask::Mask;
pub use reader::{Reader, Unreadable};
pub use rows::{RowSums, Rows};
pub use sieve::Sieve;
pub use sql::digest::{Digest, digest};
pub use statement::{Answer, Ask, Execute, Item, Lost, Place, SessionId, Statement, Text, Transaction};
pub use value::{Bound, Value};
pub use writer::Writer;
