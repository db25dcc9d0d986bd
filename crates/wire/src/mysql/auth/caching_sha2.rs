//! caching_sha2_password: a proof by SHA-256 where the server remembers the account (the fast path); else the password
//! itself, in the clear where the transport is private, or sealed with the server's RSA key (the full path).
//!
//! The random bytes of the seal are an argument: this crate draws none.

use rsa::pkcs8::DecodePublicKey;
use rsa::rand_core::{self, CryptoRng, RngCore};
use rsa::{Oaep, RsaPublicKey};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::super::handshake::SCRAMBLE_BYTES;
use super::xor;

/// What the server says after the proof (first byte of "more data").
pub const FAST_PATH_OK: u8 = 3;
pub const FULL_PATH: u8 = 4;
/// What the client sends to be given the server's public key.
pub const ASK_PUBLIC_KEY: u8 = 2;
/// Random bytes that sealing one password takes: OAEP's seed is one SHA-1 long.
pub const SEED_BYTES: usize = 20;

pub fn proof(password: &[u8], scramble: &[u8; SCRAMBLE_BYTES]) -> [u8; 32] {
    let secret: [u8; 32] = Sha256::digest(password).into();
    let stored = Sha256::digest(secret);
    let mask = Sha256::new().chain_update(stored).chain_update(scramble).finalize();
    xor(secret, mask.into())
}

/// The password as a private transport carries it: with its closing zero byte.
pub fn clear(password: &[u8]) -> Vec<u8> {
    [password, &[0]].concat()
}

/// The key that a server sent could not be read, or is too small for this password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadPublicKey;

/// The password masked by the challenge and sealed with the server's key (PEM), by RSA-OAEP over SHA-1.
pub fn seal(
    password: &[u8],
    scramble: &[u8; SCRAMBLE_BYTES],
    public_key: &[u8],
    seed: [u8; SEED_BYTES],
) -> Result<Vec<u8>, BadPublicKey> {
    let pem = std::str::from_utf8(public_key).map_err(|_| BadPublicKey)?;
    let key = RsaPublicKey::from_public_key_pem(pem.trim_end_matches('\0')).map_err(|_| BadPublicKey)?;
    let masked: Vec<u8> = clear(password).iter().zip(scramble.iter().cycle()).map(|(a, b)| a ^ b).collect();
    key.encrypt(&mut Given(seed), Oaep::new::<Sha1>(), &masked).map_err(|_| BadPublicKey)
}

/// Hands the caller's random bytes to the cipher, once.
struct Given([u8; SEED_BYTES]);

impl CryptoRng for Given {}

impl RngCore for Given {
    fn next_u32(&mut self) -> u32 {
        unreachable!("OAEP asks for its seed as bytes")
    }

    fn next_u64(&mut self) -> u64 {
        unreachable!("OAEP asks for its seed as bytes")
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        out.copy_from_slice(&self.0);
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), rand_core::Error> {
        self.fill_bytes(out);
        Ok(())
    }
}
