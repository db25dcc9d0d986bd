//! The ways in: none at all, the password in the clear, under MD5, and SCRAM (`crate::scram`), of which PostgreSQL
//! speaks that with SHA-256.

use crate::scram::Hash;
use md5::{Digest, Md5};

pub const OK: i32 = 0;
pub const CLEAR: i32 = 3;
pub const MD5: i32 = 5;
pub const SASL: i32 = 10;
pub const SASL_CONTINUE: i32 = 11;
pub const SASL_FINAL: i32 = 12;

pub const SALT_BYTES: usize = 4;
pub const SCRAM: Hash = Hash::Sha256;

/// How a server let us in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// It asked for nothing.
    #[default]
    Trust,
    Clear,
    Md5,
    Scram,
}

impl Method {
    /// As the server's own files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trust => "trust",
            Self::Clear => "password",
            Self::Md5 => "md5",
            Self::Scram => "scram-sha-256",
        }
    }
}

/// What proves the password: it and the user's name hashed, and that with the salt hashed again.
pub fn md5(user: &[u8], password: &[u8], salt: &[u8]) -> String {
    let inner = hex(&Md5::new().chain_update(password).chain_update(user).finalize());
    format!("md5{}", hex(&Md5::new().chain_update(inner.as_bytes()).chain_update(salt).finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a way that assay does not speak is called.
pub fn name_of(code: i32) -> String {
    match code {
        2 => "Kerberos".into(),
        7 => "GSSAPI".into(),
        9 => "SSPI".into(),
        other => format!("method {other}"),
    }
}
