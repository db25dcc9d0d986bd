//! A trace asked again: its sessions, each by itself, with the order between them that the trace's commits had, at the
//! pace of the trace or as fast as it goes. Whose lateness it is, is told for each statement: the replayer's own, the
//! server's, or a wait for another session. What is asked comes from `trace`; what came of it goes to the judge.

mod asked;
mod campaign;
pub mod data;
mod dump;
mod facts;
mod feed;
mod ledger;
mod line;
mod loading;
mod look;
mod order;
mod player;
mod position;
pub mod script;
mod servers;
mod stalls;
mod synthetic;

pub use campaign::{Comparison, each_heard, keep};
pub use data::Data;
pub use player::Pace;
pub use script::Script;
pub use servers::{Servers, Side};

use std::hash::{DefaultHasher, Hasher};

/// A digest of bytes that is the same as long as this program is.
fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
