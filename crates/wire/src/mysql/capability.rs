//! What the two sides of a connection can do, and therefore which dialect they speak.
//!
//! The low 32 bits are the protocol's; the high 32 are MariaDB's own and travel in what MySQL calls filler. A client
//! may only set what the server offered. Bits that assay never asks for are not named here.

use std::ops::{BitAnd, BitOr};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities(pub u64);

impl Capabilities {
    /// Named CLIENT_MYSQL by MariaDB, which offers its own high bits only where this one is absent.
    pub const LONG_PASSWORD: Self = Capabilities(1);
    pub const CONNECT_WITH_DB: Self = Capabilities(1 << 3);
    /// Never asked for; named so that a session can say that the server offered it.
    pub const COMPRESS: Self = Capabilities(1 << 5);
    /// A statement may ask the client for a file; without this bit the server refuses the statement itself.
    pub const LOCAL_FILES: Self = Capabilities(1 << 7);
    pub const PROTOCOL_41: Self = Capabilities(1 << 9);
    pub const SSL: Self = Capabilities(1 << 11);
    pub const TRANSACTIONS: Self = Capabilities(1 << 13);
    pub const SECURE_CONNECTION: Self = Capabilities(1 << 15);
    /// A text may hold several statements, each answered in turn.
    pub const MULTI_STATEMENTS: Self = Capabilities(1 << 16);
    pub const MULTI_RESULTS: Self = Capabilities(1 << 17);
    pub const PS_MULTI_RESULTS: Self = Capabilities(1 << 18);
    pub const PLUGIN_AUTH: Self = Capabilities(1 << 19);
    pub const CONNECT_ATTRS: Self = Capabilities(1 << 20);
    pub const PLUGIN_AUTH_LENENC: Self = Capabilities(1 << 21);
    pub const DEPRECATE_EOF: Self = Capabilities(1 << 24);
    /// MariaDB 10.6: replies to an execute leave out column definitions that have not changed.
    pub const CACHE_METADATA: Self = Capabilities(1 << 36);

    /// What a session of assay asks for; a server gets the part of it that it offered.
    pub const WANTED: Self = Capabilities(
        Self::LONG_PASSWORD.0
            | Self::PROTOCOL_41.0
            | Self::TRANSACTIONS.0
            | Self::SECURE_CONNECTION.0
            | Self::MULTI_RESULTS.0
            | Self::PS_MULTI_RESULTS.0
            | Self::PLUGIN_AUTH.0
            | Self::CONNECT_ATTRS.0
            | Self::PLUGIN_AUTH_LENENC.0
            | Self::DEPRECATE_EOF.0
            | Self::CACHE_METADATA.0,
    );

    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn without(self, other: Self) -> Self {
        Capabilities(self.0 & !other.0)
    }

    pub(super) fn low(self) -> u32 {
        self.0 as u32
    }

    pub(super) fn high(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(super) fn from_halves(low: u32, high: u32) -> Self {
        Capabilities(u64::from(low) | u64::from(high) << 32)
    }
}

impl BitOr for Capabilities {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Capabilities(self.0 | other.0)
    }
}

impl BitAnd for Capabilities {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Capabilities(self.0 & other.0)
    }
}
