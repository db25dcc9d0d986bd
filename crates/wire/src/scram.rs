//! SCRAM-SHA-256 (RFC 5802, RFC 7677) as a client: two messages that prove the password without telling it, and the server's
//! proof that it knew it too. Without channel binding; the nonce arrives as an argument, so that a recording can be replayed.

use crate::mysql::Malformed;
use base64ct::{Base64, Encoding};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

pub const NAME: &str = "SCRAM-SHA-256";
pub const NONCE_BYTES: usize = 18;
const HASH_BYTES: usize = 32;
/// No channel binding, and none would be possible.
const HEADER: &str = "n,,";
/// The same in base 64.
const HEADER_AGAIN: &str = "biws";
/// A server's default is 4096; a stranger's wish for a day of hashing is not granted.
const MOST_ITERATIONS: u32 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScramError {
    Malformed(Malformed),
    Impostor,
}

impl From<Malformed> for ScramError {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// What the server says first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge<'a> {
    pub nonce: &'a str,
    pub salt: Vec<u8>,
    pub iterations: u32,
}

impl<'a> Challenge<'a> {
    pub fn parse(said: &'a str) -> Result<Self, Malformed> {
        let mut parts = said.split(',');
        let mut part = |mark: &str| {
            parts.next().and_then(|part| part.strip_prefix(mark)).ok_or(Malformed("a SCRAM challenge lacks a part"))
        };
        let (nonce, salt, iterations) = (part("r=")?, part("s=")?, part("i=")?);
        let salt = Base64::decode_vec(salt).map_err(|_| Malformed("a SCRAM salt is not base 64"))?;
        let iterations = iterations.parse().ok().filter(|n| (1..=MOST_ITERATIONS).contains(n));
        let iterations = iterations.ok_or(Malformed("a SCRAM challenge of an impossible length"))?;
        Ok(Self { nonce, salt, iterations })
    }
}

pub struct Scram {
    nonce: String,
    /// What the server must say at the end.
    expected: Option<[u8; HASH_BYTES]>,
    proven: bool,
}

impl Scram {
    pub fn new(nonce: [u8; NONCE_BYTES]) -> Self {
        Self { nonce: Base64::encode_string(&nonce), expected: None, proven: false }
    }

    /// The server has proved that it knows the password.
    pub fn is_proven(&self) -> bool {
        self.proven
    }

    /// The user's name is left out: the server has it from the start-up message.
    fn bare(&self) -> String {
        format!("n=,r={}", self.nonce)
    }

    pub fn first(&self, out: &mut Vec<u8>) {
        let first = format!("{HEADER}{}", self.bare());
        out.extend_from_slice(NAME.as_bytes());
        out.push(0);
        out.extend_from_slice(&(first.len() as u32).to_be_bytes());
        out.extend_from_slice(first.as_bytes());
    }

    /// The answer to the server's challenge.
    pub fn answer(&mut self, password: &[u8], challenge: &[u8]) -> Result<String, ScramError> {
        let said = std::str::from_utf8(challenge).map_err(|_| Malformed("a SCRAM challenge is not text"))?;
        let Challenge { nonce, salt, iterations } = Challenge::parse(said)?;
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err(Malformed("a SCRAM challenge is not to us").into());
        }
        let salted = salted(password, &salt, iterations);
        let client = mac(&salted, &[b"Client Key"]);
        let stored: [u8; HASH_BYTES] = Sha256::digest(client).into();
        let without_proof = format!("c={HEADER_AGAIN},r={nonce}");
        let whole = format!("{},{said},{without_proof}", self.bare());
        let signature = mac(&stored, &[whole.as_bytes()]);
        let proof: Vec<u8> = client.iter().zip(signature).map(|(key, sign)| key ^ sign).collect();
        self.expected = Some(mac(&mac(&salted, &[b"Server Key"]), &[whole.as_bytes()]));
        Ok(format!("{without_proof},p={}", Base64::encode_string(&proof)))
    }

    pub fn prove(&mut self, said: &[u8]) -> Result<(), ScramError> {
        let signature = said.strip_prefix(b"v=").and_then(|text| std::str::from_utf8(text).ok());
        let signature =
            signature.and_then(|text| Base64::decode_vec(text).ok()).ok_or(Malformed("no SCRAM signature"))?;
        let expected = self.expected.ok_or(Malformed("a SCRAM signature before the challenge"))?;
        if signature != expected {
            return Err(ScramError::Impostor);
        }
        self.proven = true;
        Ok(())
    }
}

/// PBKDF2 with one block, which is as long as the hash.
fn salted(password: &[u8], salt: &[u8], iterations: u32) -> [u8; HASH_BYTES] {
    let keyed = keyed(password);
    let mut last: [u8; HASH_BYTES] =
        keyed.clone().chain_update(salt).chain_update(1_u32.to_be_bytes()).finalize().into_bytes().into();
    let mut sum = last;
    for _ in 1..iterations {
        last = keyed.clone().chain_update(last).finalize().into_bytes().into();
        sum.iter_mut().zip(last).for_each(|(sum, byte)| *sum ^= byte);
    }
    sum
}

fn mac(key: &[u8], parts: &[&[u8]]) -> [u8; HASH_BYTES] {
    parts.iter().fold(keyed(key), |mac, part| mac.chain_update(part)).finalize().into_bytes().into()
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("any length is a key")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exchange of RFC 7677, section 3, with the user's name that PostgreSQL's clients leave out.
    #[test]
    fn the_password_is_salted_as_the_standard_says() {
        let salt = Base64::decode_vec("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let salted = salted(b"pencil", &salt, 4096);
        let nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        let whole =
            format!("n=user,r=rOprNGfwEbeRWgbNEkqO,r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r={nonce}");
        let signature = mac(&mac(&salted, &[b"Server Key"]), &[whole.as_bytes()]);
        assert_eq!(Base64::encode_string(&signature), "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    #[test]
    fn a_challenge_that_is_not_one_is_refused() {
        for said in ["", "r=x", "r=x,s=AA==", "r=x,s=??,i=1", "r=x,s=AA==,i=0", "r=x,s=AA==,i=99999999999"] {
            assert!(Challenge::parse(said).is_err(), "{said}");
        }
    }
}
