//! Authentication plugins, one file each: from password and challenge to the bytes that prove one by the other.
//!
//! A plugin only computes; the order of packets is `login`'s. mysql_clear_password and old_password are left out on
//! purpose, since no server of ours asks for them; MariaDB's parsec is not here yet, and is named when a server asks
//! for it.

pub mod caching_sha2;
pub mod ed25519;
pub mod native;
pub mod switch;

use super::handshake::SCRAMBLE_BYTES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plugin {
    Native,
    CachingSha2,
    Ed25519,
}

impl Plugin {
    pub const ALL: [Self; 3] = [Self::Native, Self::CachingSha2, Self::Ed25519];

    /// An empty name is that of a server older than plugins.
    pub fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"" => Some(Plugin::Native),
            _ => Self::ALL.into_iter().find(|plugin| plugin.name().as_bytes() == name),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Plugin::Native => "mysql_native_password",
            Plugin::CachingSha2 => "caching_sha2_password",
            Plugin::Ed25519 => "client_ed25519",
        }
    }

    /// What the client sends first. Where passwords are hashed, an empty one is proved by empty bytes.
    pub fn proof(self, password: &[u8], challenge: &[u8]) -> Vec<u8> {
        match self {
            Plugin::Native | Plugin::CachingSha2 if password.is_empty() => Vec::new(),
            Plugin::Native => native::proof(password, &scramble(challenge)).to_vec(),
            Plugin::CachingSha2 => caching_sha2::proof(password, &scramble(challenge)).to_vec(),
            Plugin::Ed25519 => {
                let own = &challenge[..challenge.len().min(ed25519::CHALLENGE_BYTES)];
                ed25519::proof(password, own).to_vec()
            }
        }
    }
}

/// The first bytes of a challenge, as those plugins take it that mix it with hashes; a shorter one is filled up.
pub fn scramble(challenge: &[u8]) -> [u8; SCRAMBLE_BYTES] {
    std::array::from_fn(|index| challenge.get(index).copied().unwrap_or(0))
}

fn xor<const N: usize>(left: [u8; N], right: [u8; N]) -> [u8; N] {
    std::array::from_fn(|index| left[index] ^ right[index])
}
