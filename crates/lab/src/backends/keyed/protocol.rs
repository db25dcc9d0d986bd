//! Hot path: the protocols past SQL that read rows by key, as one: who speaks which is matched here and nowhere else.

use super::batch::{Notes, Read, Request};
use crate::backends::channel::Channel;
use crate::backends::handlersocket::session as handlersocket;
use crate::backends::memcached::session as memcached;
use serde::{Deserialize, Serialize};
use std::fmt;
use wire::memcached::Dialect;
use workload::session::Fault;

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyProtocol {
    Memcached {
        #[serde(with = "DialectWord")]
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

/// `Dialect` as data: the room of bytes knows no serde.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Dialect")]
enum DialectWord {
    Text,
    Binary,
    Meta,
}

/// Which of memcached's keys are meant.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
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

impl KeyProtocol {
    /// Says what has to be said before the first request.
    pub(super) async fn begin(&self, channel: &mut Channel) -> Result<(), Fault> {
        match self {
            Self::Memcached { keys: Keys::All | Keys::Below(_), .. } => Ok(()),
            Self::Memcached { dialect, keys: Keys::Container(name) } => {
                memcached::select(channel, *dialect, name).await
            }
            Self::HandlerSocket { secret, schema, table, columns } => {
                handlersocket::begin(channel, secret, (schema, table), columns).await
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, out: &mut Vec<u8>, keys: &[u64]) {
        match self {
            Self::Memcached { dialect, keys: of } => memcached::get(*dialect, of.prefix(), out, keys),
            Self::HandlerSocket { .. } => handlersocket::get(out, keys),
        }
    }

    #[inline]
    pub(super) fn set(&self, out: &mut Vec<u8>, key: u64, value: &[u8], notes: &mut Notes) {
        match self {
            Self::Memcached { dialect, keys } => memcached::set(*dialect, keys.prefix(), out, key, value),
            Self::HandlerSocket { .. } => handlersocket::set(out, key, value, &mut notes.room),
        }
    }

    pub(super) fn delete(&self, out: &mut Vec<u8>, key: u64) {
        let Self::Memcached { dialect, keys } = self else {
            unreachable!("only what the lab set in a cache of others is taken away")
        };
        memcached::delete(*dialect, keys.prefix(), out, key);
    }

    #[inline]
    pub(super) fn read(&self, bytes: &[u8], request: &mut Request, notes: &mut Notes) -> Result<Read, Fault> {
        match self {
            Self::Memcached { dialect, keys } => memcached::read(*dialect, keys.prefix(), bytes, request, notes),
            Self::HandlerSocket { .. } => handlersocket::read(bytes, request, notes),
        }
    }
}
