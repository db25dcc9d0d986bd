//! Encrypted connections: whether, to whom, and by which parts. rustls with ring, TLS 1.2 and 1.3; older versions are
//! broken and are refused with the mend. Sessions are never resumed, so that each connect costs what a fresh one costs.

mod faults;
mod trust;

pub use faults::fault;

use crate::trouble::Trouble;
use rustls::client::{Resumption, UnbufferedClientConnection};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much is asked of an encrypted connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Encrypted where the server offers it.
    Preferred,
    /// Encrypted, with whoever answers.
    Required,
    /// The server's certificate is signed by the CA.
    VerifyCa,
    /// And it is for the name that was connected to.
    VerifyIdentity,
}

impl Mode {
    const ALL: [Self; 4] = [Self::Preferred, Self::Required, Self::VerifyCa, Self::VerifyIdentity];
    /// As a DSN has them; `off` is the absence of all.
    pub const WORDS: &str = "off, preferred, required, verify_ca, verify_identity";

    pub fn word(self) -> &'static str {
        match self {
            Self::Preferred => "preferred",
            Self::Required => "required",
            Self::VerifyCa => "verify_ca",
            Self::VerifyIdentity => "verify_identity",
        }
    }

    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }

    pub fn verifies(self) -> bool {
        match self {
            Self::Preferred | Self::Required => false,
            Self::VerifyCa | Self::VerifyIdentity => true,
        }
    }
}

/// A way to encrypt, made once and shared by all sessions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Asked", into = "Asked")]
pub struct Tls {
    pub mode: Mode,
    ca: Option<PathBuf>,
    config: Arc<ClientConfig>,
}

/// What another rank makes the same of: the CA's file lies there too.
#[derive(Serialize, Deserialize)]
struct Asked {
    mode: String,
    ca: Option<PathBuf>,
}

impl From<Tls> for Asked {
    fn from(Tls { mode, ca, .. }: Tls) -> Self {
        Self { mode: mode.word().into(), ca }
    }
}

impl TryFrom<Asked> for Tls {
    type Error = Trouble;
    fn try_from(Asked { mode, ca }: Asked) -> Result<Self, Trouble> {
        Self::new(Mode::named(&mode).ok_or_else(|| Trouble::new(format!("tls={mode} is no mode")))?, ca)
    }
}

impl PartialEq for Tls {
    fn eq(&self, other: &Self) -> bool {
        (self.mode, &self.ca) == (other.mode, &other.ca)
    }
}
impl Eq for Tls {}

impl Tls {
    /// `ca` is a PEM file with the certificates that may sign; needed exactly by the modes that verify.
    pub fn new(mode: Mode, ca: Option<PathBuf>) -> Result<Self, Trouble> {
        let provider = Arc::new(ring::default_provider());
        let verifier = match (&ca, mode.verifies()) {
            (None, false) => trust::anybody(&provider),
            (Some(path), true) => {
                trust::signed_by(roots(path)?, mode, &provider).map_err(Trouble::at("reading", path))?
            }
            (None, true) => {
                return Err(Trouble::new(format!("tls={} verifies against a CA, and none is named", mode.word()))
                    .mend("add ca=/PATH of its certificate (PEM)"));
            }
            (Some(_), false) => {
                return Err(Trouble::new(format!("tls={} looks at no certificate, and a CA is named", mode.word()))
                    .mend("write tls=verify_ca or tls=verify_identity, or leave ca out"));
            }
        };
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("ring has the ciphers of both versions")
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        config.resumption = Resumption::disabled();
        Ok(Self { mode, ca, config: Arc::new(config) })
    }

    /// A connection that keeps its own buffers, for who moves bytes and does not measure.
    pub fn connection(&self, host: &str) -> Result<ClientConnection, Trouble> {
        ClientConnection::new(Arc::clone(&self.config), name(host)?)
            .map_err(|e| Trouble::new("TLS cannot begin").because(e))
    }

    /// The CA's file, for messages.
    pub fn ca(&self) -> Option<&Path> {
        self.ca.as_deref()
    }
}

fn roots(path: &Path) -> Result<RootCertStore, Trouble> {
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(path).map_err(Trouble::at("reading the CA", path))?;
    for certificate in certificates {
        let certificate = certificate.map_err(Trouble::at("reading the CA", path))?;
        roots.add(certificate).map_err(Trouble::at("reading the CA", path))?;
    }
    if roots.is_empty() {
        return Err(Trouble::new(format!("{} holds no certificate", path.display())).mend("name a PEM file of the CA"));
    }
    Ok(roots)
}

/// One connection's machine.
pub fn machine(tls: &Tls, host: &str) -> Result<UnbufferedClientConnection, Trouble> {
    UnbufferedClientConnection::new(Arc::clone(&tls.config), name(host)?)
        .map_err(|e| Trouble::new("TLS cannot begin").because(e))
}

fn name(host: &str) -> Result<ServerName<'static>, Trouble> {
    let bad = |e| Trouble::new(format!("{host} is no name that a certificate can have")).because(e);
    ServerName::try_from(host.to_string()).map_err(bad)
}
