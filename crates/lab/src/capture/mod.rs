//! Real traffic into a trace: from a slow log (`slow_log`). What is read out of bytes is the crate `trace`'s business;
//! here are the files, the sockets and the clock.

mod slow_log;

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
