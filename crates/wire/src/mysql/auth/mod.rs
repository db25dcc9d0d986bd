//! Authentication plugins, one file each: from password and challenge to the bytes that prove one by the other.
//!
//! A plugin only computes; the order of packets is `login`'s. `client_ed25519` joins here as a further `Plugin`.
//! mysql_clear_password and old_password are left out on purpose: no server of ours asks for them.

pub mod caching_sha2;
pub mod native;
pub mod switch;

use super::handshake::SCRAMBLE_BYTES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plugin {
    Native,
    CachingSha2,
}

impl Plugin {
    /// An empty name is that of a server older than plugins.
    pub fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"" | b"mysql_native_password" => Some(Plugin::Native),
            b"caching_sha2_password" => Some(Plugin::CachingSha2),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Plugin::Native => "mysql_native_password",
            Plugin::CachingSha2 => "caching_sha2_password",
        }
    }

    /// What the client sends first. An empty password is proved by empty bytes.
    pub fn proof(self, password: &[u8], scramble: &[u8; SCRAMBLE_BYTES]) -> Vec<u8> {
        if password.is_empty() {
            return Vec::new();
        }
        match self {
            Plugin::Native => native::proof(password, scramble).to_vec(),
            Plugin::CachingSha2 => caching_sha2::proof(password, scramble).to_vec(),
        }
    }
}

fn xor<const N: usize>(left: [u8; N], right: [u8; N]) -> [u8; N] {
    std::array::from_fn(|index| left[index] ^ right[index])
}
