//! How a conversation begins before its protocol is spoken: who wants it, by which line, and how long the lab itself
//! waits for a server that takes the connection and says nothing.

use super::endpoint::SqlEndpoint;
use crate::executor::{Connecting, direct};
use crate::load::user::Again;
use crate::os::address::Address;
use crate::os::waits;
use std::time::Duration;
use workload::session::Fault;

/// A server that takes a connection greets and lets in at once; one that is silent so long speaks another protocol, or
/// is stuck.
pub const OPENING_PATIENCE: Duration = Duration::from_secs(10);

/// How to come to a fresh line, who to be on it, and what to say first. Kept by a session so that it can come back.
pub struct Opening {
    pub endpoint: SqlEndpoint,
    pub connect: Box<dyn Fn() -> Connecting>,
    /// Statements that every new conversation begins with, as SET NAMES.
    pub setup: Vec<String>,
    /// Where a server that is gone is waited for.
    pub again: Option<Box<dyn Fn() -> Again>>,
}

/// The way to a blocking line, for an opening that keeps to `OPENING_PATIENCE`, or to less.
pub fn connecting(address: &Address, patience: Duration) -> Box<dyn Fn() -> Connecting> {
    let (address, patience) = (address.clone(), patience.min(OPENING_PATIENCE));
    Box::new(move || -> Connecting {
        let address = address.clone();
        Box::pin(async move { direct::connect(&address, patience) })
    })
}

/// Opens a conversation; a server that takes the connection and says nothing is told as such.
pub fn opened<T>(address: &Address, patience: Duration, open: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    let patience = patience.min(OPENING_PATIENCE);
    let outcome = waits::during(&format!("the server at {address} to let the lab in"), patience, open);
    outcome.map_err(|fault| match fault {
        Fault::TimedOut => silent(address, patience),
        fault => fault,
    })
}

/// Nothing came from there, be it that nobody took the connection or that whoever did says nothing.
fn silent(address: &Address, patience: Duration) -> Fault {
    let mend = "see that a server of this protocol listens there and is not stuck, and name its port";
    Fault::Unopened(format!("{address} says nothing for {} s\n    {mend}", patience.as_secs_f64()))
}
