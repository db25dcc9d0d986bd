//! mysql_native_password: SHA-1 of the password, masked by SHA-1 of the challenge and of what the server stored.

use sha1::{Digest, Sha1};

use super::super::handshake::SCRAMBLE_BYTES;
use super::xor;

pub fn proof(password: &[u8], scramble: &[u8; SCRAMBLE_BYTES]) -> [u8; 20] {
    let secret: [u8; 20] = Sha1::digest(password).into();
    let stored = Sha1::digest(secret);
    let mask = Sha1::new().chain_update(scramble).chain_update(stored).finalize();
    xor(secret, mask.into())
}
