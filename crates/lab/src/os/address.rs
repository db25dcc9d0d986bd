//! Where somebody listens: a path or a host with its port, as the kernel is asked for it. Whatever is spoken there, and
//! as whom, is not here.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Address {
    Unix(PathBuf),
    Tcp { host: String, port: u16 },
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

impl Address {
    /// How bytes travel there, for a session that says whether it was encrypted.
    pub fn transport(&self, encrypted: bool) -> String {
        let way = match self {
            Self::Unix(_) => "unix",
            Self::Tcp { .. } => "tcp",
        };
        format!("{way} {}", if encrypted { "tls" } else { "plain" })
    }
}
