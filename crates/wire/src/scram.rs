//! SCRAM (RFC 5802, RFC 7677) as a client, for every protocol that carries it: two messages that prove the password
//! without telling it, and the server's proof that it knew it too. Without channel binding; the nonce arrives as an
//! argument, so that a recording can be replayed. How the messages are framed is each protocol's own.

use crate::reader::Malformed;
use base64ct::{Base64, Encoding};
use hmac::digest::KeyInit;
use hmac::{Hmac, Mac};
use pbkdf2::pbkdf2_hmac_array;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use stringprep::saslprep;

pub const NONCE_BYTES: usize = 18;
/// No channel binding, and none would be possible.
const HEADER: &str = "n,,";
/// The same in base 64.
const HEADER_AGAIN: &str = "biws";
/// A server's default is 4096 or 15000; a stranger's wish for a day of hashing is not granted.
const MOST_ITERATIONS: u32 = 1_000_000;

/// What everything is hashed by, and what names the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    Sha1,
    Sha256,
}

impl Hash {
    pub fn mechanism(self) -> &'static str {
        match self {
            Self::Sha1 => "SCRAM-SHA-1",
            Self::Sha256 => "SCRAM-SHA-256",
        }
    }

    fn digest(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha1 => Sha1::digest(bytes).to_vec(),
            Self::Sha256 => Sha256::digest(bytes).to_vec(),
        }
    }

    fn mac(self, key: &[u8], text: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha1 => keyed::<Hmac<Sha1>>(key).chain_update(text).finalize().into_bytes().to_vec(),
            Self::Sha256 => keyed::<Hmac<Sha256>>(key).chain_update(text).finalize().into_bytes().to_vec(),
        }
    }

    fn salted(self, password: &[u8], salt: &[u8], iterations: u32) -> Vec<u8> {
        match self {
            Self::Sha1 => pbkdf2_hmac_array::<Sha1, 20>(password, salt, iterations).to_vec(),
            Self::Sha256 => pbkdf2_hmac_array::<Sha256, 32>(password, salt, iterations).to_vec(),
        }
    }
}

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
    hash: Hash,
    user: String,
    nonce: String,
    /// What the server must say at the end.
    expected: Option<Vec<u8>>,
    proven: bool,
}

impl Scram {
    /// `user` may be empty where the server has the name from elsewhere; it is sent as it is.
    pub fn new(hash: Hash, user: &str, nonce: [u8; NONCE_BYTES]) -> Self {
        let user = user.replace('=', "=3D").replace(',', "=2C");
        Self { hash, user, nonce: Base64::encode_string(&nonce), expected: None, proven: false }
    }

    /// The server has proved that it knows the password.
    pub fn is_proven(&self) -> bool {
        self.proven
    }

    fn bare(&self) -> String {
        format!("n={},r={}", self.user, self.nonce)
    }

    pub fn first(&self) -> String {
        format!("{HEADER}{}", self.bare())
    }

    /// The answer to the server's challenge.
    pub fn answer(&mut self, password: &[u8], challenge: &[u8]) -> Result<String, ScramError> {
        let said = std::str::from_utf8(challenge).map_err(|_| Malformed("a SCRAM challenge is not text"))?;
        let Challenge { nonce, salt, iterations } = Challenge::parse(said)?;
        if !nonce.starts_with(&self.nonce) || nonce.len() == self.nonce.len() {
            return Err(Malformed("a SCRAM challenge is not to us").into());
        }
        let salted = self.hash.salted(&prepared(password), &salt, iterations);
        let client = self.hash.mac(&salted, b"Client Key");
        let without_proof = format!("c={HEADER_AGAIN},r={nonce}");
        let whole = format!("{},{said},{without_proof}", self.bare());
        let signature = self.hash.mac(&self.hash.digest(&client), whole.as_bytes());
        let proof: Vec<u8> = client.iter().zip(signature).map(|(key, sign)| key ^ sign).collect();
        self.expected = Some(self.hash.mac(&self.hash.mac(&salted, b"Server Key"), whole.as_bytes()));
        Ok(format!("{without_proof},p={}", Base64::encode_string(&proof)))
    }

    pub fn prove(&mut self, said: &[u8]) -> Result<(), ScramError> {
        let signature = said.strip_prefix(b"v=").and_then(|text| std::str::from_utf8(text).ok());
        let signature =
            signature.and_then(|text| Base64::decode_vec(text).ok()).ok_or(Malformed("no SCRAM signature"))?;
        let expected = self.expected.as_ref().ok_or(Malformed("a SCRAM signature before the challenge"))?;
        if signature != *expected {
            return Err(ScramError::Impostor);
        }
        self.proven = true;
        Ok(())
    }
}

/// The password as servers hash it: normalised by SASLprep (RFC 4013) where that has an answer, else byte by byte, as
/// PostgreSQL does.
fn prepared(password: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(password).map(saslprep) {
        Ok(Ok(Cow::Owned(text))) => Cow::Owned(text.into_bytes()),
        Ok(Ok(Cow::Borrowed(_)) | Err(_)) | Err(_) => Cow::Borrowed(password),
    }
}

fn keyed<M: Mac + KeyInit>(key: &[u8]) -> M {
    <M as KeyInit>::new_from_slice(key).expect("any length is a key")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One whole exchange of a standard.
    struct Exchange {
        hash: Hash,
        nonce: &'static str,
        server_first: &'static str,
        client_final: &'static str,
        server_final: &'static str,
    }

    /// RFC 5802, section 5, and RFC 7677, section 3: the user `user` with the password `pencil`.
    const STANDARDS: [Exchange; 2] = [
        Exchange {
            hash: Hash::Sha1,
            nonce: "fyko+d2lbbFgONRv9qkxdawL",
            server_first: "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
            client_final: "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
            server_final: "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
        },
        Exchange {
            hash: Hash::Sha256,
            nonce: "rOprNGfwEbeRWgbNEkqO",
            server_first: "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
            client_final: "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,\
                           p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
            server_final: "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=",
        },
    ];

    #[test]
    fn exchanges_are_those_of_the_standards() {
        for Exchange { hash, nonce, server_first, client_final, server_final } in STANDARDS {
            let (user, nonce) = ("user".to_string(), nonce.to_string());
            let mut scram = Scram { hash, user, nonce, expected: None, proven: false };
            assert!(scram.first().starts_with("n,,n=user,r="));
            assert_eq!(
                scram.prove(server_final.as_bytes()),
                Err(Malformed("a SCRAM signature before the challenge").into())
            );
            assert_eq!(scram.answer(b"pencil", server_first.as_bytes()).as_deref(), Ok(client_final));
            assert_eq!(scram.prove(b"v=AAAA"), Err(ScramError::Impostor));
            assert!(!scram.is_proven());
            assert_eq!(scram.prove(server_final.as_bytes()), Ok(()));
            assert!(scram.is_proven());
        }
    }

    #[test]
    fn a_password_is_normalised_as_servers_do_and_one_that_cannot_be_is_taken_as_it_is() {
        // RFC 4013, section 3: a soft hyphen is nothing, and a ligature of an ordinal is its letter.
        assert_eq!(*prepared("I\u{ad}X".as_bytes()), *b"IX");
        assert_eq!(*prepared("\u{aa}".as_bytes()), *b"a");
        assert_eq!(*prepared(b"\x07"), *b"\x07");
        assert_eq!(*prepared(b"\xff"), *b"\xff");
    }

    #[test]
    fn a_name_with_the_marks_of_the_protocol_is_written_so_that_it_is_one_name() {
        let first = Scram::new(Hash::Sha256, "a=b,c", [0; NONCE_BYTES]).first();
        assert!(first.starts_with("n,,n=a=3Db=2Cc,r=AAAA"), "{first}");
    }

    #[test]
    fn a_challenge_that_is_not_one_is_refused() {
        for said in ["", "r=x", "r=x,s=AA==", "r=x,s=??,i=1", "r=x,s=AA==,i=0", "r=x,s=AA==,i=99999999999"] {
            assert!(Challenge::parse(said).is_err(), "{said}");
        }
    }
}
