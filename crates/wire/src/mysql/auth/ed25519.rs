//! client_ed25519, MariaDB's own: an Ed25519 signature of the challenge (RFC 8032) under a key that is the password
//! itself.
//!
//! RFC 8032 begins with a seed of 32 bytes; here the password, of whatever length, is the seed, and all else is the
//! same. MySQL has no such plugin. Computed from the curve, since signing crates insist on 32 bytes of seed.

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use sha2::{Digest, Sha512};

/// Random bytes that the server has signed.
pub const CHALLENGE_BYTES: usize = 32;
/// The signature: a point and a scalar of 32 bytes each.
pub const SIGNATURE_BYTES: usize = 64;

/// Signs even with an empty password, as the server expects.
pub fn proof(password: &[u8], challenge: &[u8]) -> [u8; SIGNATURE_BYTES] {
    let (secret, prefix) = expand(password);
    let nonce = wide(&[&prefix, challenge]);
    let point = EdwardsPoint::mul_base(&nonce).compress();
    let key = EdwardsPoint::mul_base(&secret).compress();
    let scalar = nonce + wide(&[point.as_bytes(), key.as_bytes(), challenge]) * secret;
    let mut signature = [0; SIGNATURE_BYTES];
    signature[..32].copy_from_slice(point.as_bytes());
    signature[32..].copy_from_slice(scalar.as_bytes());
    signature
}

/// The secret scalar, and the bytes that nonces are drawn from.
fn expand(password: &[u8]) -> (Scalar, [u8; 32]) {
    let hash = Sha512::digest(password);
    let halves: (&[u8], &[u8]) = hash.split_at(32);
    let [low, high] = [halves.0, halves.1].map(|half| half.try_into().expect("half of 64 bytes"));
    (Scalar::from_bytes_mod_order(clamp_integer(low)), high)
}

/// SHA-512 of the parts, as a scalar.
fn wide(parts: &[&[u8]]) -> Scalar {
    let hash = parts.iter().fold(Sha512::new(), |hash, part| hash.chain_update(part));
    Scalar::from_bytes_mod_order_wide(&hash.finalize().into())
}
