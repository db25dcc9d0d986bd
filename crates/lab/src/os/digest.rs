//! SHA-256 as a text: of what was asked, of data directories, of binaries.

use sha2::{Digest, Sha256};

pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// A binary's, because a version does not say who compiled it; `None` where it cannot be read.
pub fn of_file(path: &str) -> Option<String> {
    Some(digest(&std::fs::read(path).ok()?))
}
