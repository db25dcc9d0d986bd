//! How a conversation past SQL begins: at which endpoint, by a fresh line, and with what the protocol needs before the
//! first request.

use super::protocol::{KeyProtocol, Keys};
use crate::backends::channel::Channel;
use crate::backends::faults::lost;
use crate::executor::Connecting;
use crate::executor::Line;
use crate::os::address::Address;
use crate::os::clock;
use model::units::Nanos;
use serde::{Deserialize, Serialize};
use std::fmt;
use wire::memcached::Dialect;
use workload::session::Fault;

/// A key endpoint: where, and what is spoken there.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyEndpoint {
    pub address: Address,
    pub protocol: KeyProtocol,
}

impl KeyEndpoint {
    /// The endpoint to all that a cache has.
    pub fn of_cache(address: Address) -> Self {
        Self { address, protocol: KeyProtocol::Memcached { dialect: Dialect::Text, keys: Keys::All } }
    }
}

/// The secret stays out.
impl fmt::Debug for KeyEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.protocol {
            KeyProtocol::Memcached { dialect, keys } => {
                let within = match keys {
                    Keys::All => "",
                    Keys::Container(within) | Keys::Below(within) => within,
                };
                write!(f, "memcached {dialect:?} {within}@{}", self.address)
            }
            KeyProtocol::HandlerSocket { schema, .. } => write!(f, "handlersocket {schema}@{}", self.address),
        }
    }
}

pub struct Opening {
    pub endpoint: KeyEndpoint,
    pub connect: Box<dyn Fn() -> Connecting>,
}

/// Connects, and says what has to be said first; with the time that took.
pub(crate) async fn dial(opening: &Opening) -> Result<(Channel, Nanos), Fault> {
    let begun = clock::now();
    let line: Line = (opening.connect)().await.map_err(|e| lost(&e))?;
    let mut channel = Channel::plain(line);
    opening.endpoint.protocol.begin(&mut channel).await?;
    Ok((channel, Nanos(clock::now().0 - begun.0)))
}
