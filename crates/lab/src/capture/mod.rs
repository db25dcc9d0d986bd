//! Real traffic into a trace: through a proxy, from a slow log, a packet file or performance_schema. What is read
//! out of bytes is the crate `trace`'s business; here are the files, the sockets and the clock.

mod digests;
mod packets;
pub mod proxy;
mod slow_log;

pub use digests::digests;
pub use packets::packets;
pub use slow_log::slow_log;

use model::Nanos;
use std::time::{SystemTime, UNIX_EPOCH};
use trace::{Head, Origin, Sieve, VERSION};

/// The head of a trace that is begun now.
fn head(origin: Origin, sieve: &Sieve, server: Option<String>, notes: &[&str]) -> Head {
    let notes = notes.iter().map(|note| (*note).to_string()).collect();
    Head { version: VERSION, origin, made: now(), server, masked: sieve.fingerprint(), notes }
}

/// Nanoseconds since 1970 (UTC).
fn now() -> Nanos {
    Nanos(SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is past 1970").as_nanos() as u64)
}
