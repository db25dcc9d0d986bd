//! The digest by which files, data and answers are told apart: SHA-256, as hexadecimal digits.

use sha2::{Digest, Sha256};

pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}
