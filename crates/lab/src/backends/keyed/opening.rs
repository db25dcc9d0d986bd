//! How a conversation past SQL begins: a fresh line, then what the protocol needs before the first request: the
//! container of InnoDB's plugin, or the secret and the index of HandlerSocket. A container that is not mapped answers
//! every get with a miss, and HandlerSocket without its secret answers every find with a refusal, at full speed both:
//! so both are looked at here, once per connect.

use crate::backends::channel::Channel;
use crate::backends::faults::{lost, protocol};
use crate::backends::handlersocket::session::INDEX;
use crate::executor::Connecting;
use crate::executor::Line;
use crate::os::address::Address;
use crate::os::clock;
use model::units::Nanos;
use std::fmt;
use wire::handlersocket;
use wire::memcached::{Dialect, Said};
use workload::session::Fault;

/// A key endpoint: where, and what is spoken there.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyEndpoint {
    pub address: Address,
    pub protocol: KeyProtocol,
}

#[derive(Clone, PartialEq, Eq)]
pub enum KeyProtocol {
    Memcached {
        dialect: Dialect,
        keys: Keys,
    },
    HandlerSocket {
        /// Empty where the server wants none.
        secret: String,
        schema: String,
        table: String,
        /// Key, then value.
        columns: String,
    },
}

/// Which of memcached's keys are meant.
#[derive(Clone, PartialEq, Eq)]
pub enum Keys {
    /// All of a cache that is ours alone.
    All,
    /// Those of one container of InnoDB's plugin.
    Container(String),
    /// Those that begin so, in a cache that others use too.
    Below(String),
}

impl Keys {
    /// What every key begins with.
    #[inline]
    pub fn prefix(&self) -> &[u8] {
        match self {
            Self::All | Self::Container(_) => b"",
            Self::Below(prefix) => prefix.as_bytes(),
        }
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("none"),
            Self::Container(name) => f.write_str(name),
            Self::Below(prefix) => write!(f, "keys that begin with {prefix}"),
        }
    }
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
    match &opening.endpoint.protocol {
        KeyProtocol::Memcached { keys: Keys::All | Keys::Below(_), .. } => {}
        KeyProtocol::Memcached { dialect, keys: Keys::Container(name) } => select(&mut channel, *dialect, name).await?,
        KeyProtocol::HandlerSocket { secret, schema, table, columns } => {
            if !secret.is_empty() {
                handlersocket::authenticate(channel.outgoing(), secret);
                agreed(&mut channel, "its secret").await?;
            }
            handlersocket::open_index(channel.outgoing(), INDEX, schema, table, "PRIMARY", columns);
            agreed(&mut channel, &format!("the index of {schema}.{table}")).await?;
        }
    }
    Ok((channel, Nanos(clock::now().0 - begun.0)))
}

/// Chooses a container, which answers with the name of a table.
async fn select(channel: &mut Channel, dialect: Dialect, container: &str) -> Result<(), Fault> {
    let asked = dialect.select(channel.outgoing(), container);
    let (mut mapped, mut heard_before) = (false, false);
    loop {
        let heard = if heard_before { channel.receive().await } else { channel.exchange().await };
        heard.map_err(|e| lost(&e))?;
        heard_before = true;
        while let Some(heard) = dialect.hear(channel.incoming()).map_err(protocol)? {
            mapped |= matches!(heard.said, Said::Value { .. });
            let closed = dialect.closes(asked, &heard.said).map_err(protocol)?;
            let consumed = heard.consumed;
            channel.consume(consumed);
            if closed {
                let why = format!("the server maps no container {container}: every get of it would be a miss");
                return if mapped { Ok(()) } else { Err(Fault::Unopened(why)) };
            }
        }
    }
}

/// The answer to what was just said to HandlerSocket must be that it was done.
async fn agreed(channel: &mut Channel, what: &str) -> Result<(), Fault> {
    channel.exchange().await.map_err(|e| lost(&e))?;
    loop {
        if let Some(line) = handlersocket::hear(channel.incoming()).map_err(protocol)? {
            let refusal = line.refusal().map(|words| String::from_utf8_lossy(words).into_owned());
            let consumed = line.consumed;
            channel.consume(consumed);
            let Some(words) = refusal else { return Ok(()) };
            return Err(Fault::Unopened(format!("HandlerSocket refuses {what}: {words}")));
        }
        channel.receive().await.map_err(|e| lost(&e))?;
    }
}
