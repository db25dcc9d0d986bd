//! The certificates of a private server that offers TLS: a CA that signs one server and is then forgotten, its key with
//! it. Made anew for each instance, in its private folder, so that `verify_identity` has something true to verify;
//! versions of a server differ in what they generate themselves, and this is the same for all.

use super::folders::private_folder;
use crate::trouble::Trouble;
use model::{Server, Value};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const CA: &str = "ca.pem";
pub const CERTIFICATE: &str = "server.pem";
pub const KEY: &str = "server-key.pem";
/// By what names a private server is connected to.
const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Stands for the folder in [`LINES`].
pub const FOLDER: &str = "{certificates}";
/// Lines of an option file, the same for every kind and version.
pub const LINES: &[&str] =
    &["ssl-ca={certificates}/ca.pem", "ssl-cert={certificates}/server.pem", "ssl-key={certificates}/server-key.pem"];

/// Whether a server is to offer encrypted connections.
pub fn wanted(server: &Server) -> bool {
    server.settings.get("tls").and_then(Value::flag) == Some(true)
}

/// The CA's certificate, for clients.
pub fn ca(folder: &Path) -> PathBuf {
    folder.join(CA)
}

pub fn make(folder: &Path) -> Result<(), Trouble> {
    private_folder(folder)?;
    let made = signed().map_err(|e| Trouble::new("making a certificate for the private server").because(e))?;
    for (name, text) in [CA, CERTIFICATE, KEY].into_iter().zip(made) {
        write(&folder.join(name), &text)?;
    }
    Ok(())
}

/// CA, certificate and key, in PEM.
fn signed() -> Result<[String; 3], rcgen::Error> {
    let ca_key = KeyPair::generate()?;
    let mut ca = CertificateParams::default();
    ca.distinguished_name.push(DnType::CommonName, "assay's throw-away CA");
    ca.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let ca_text = ca.self_signed(&ca_key)?.pem();
    let key = KeyPair::generate()?;
    let mut server = CertificateParams::new(NAMES.map(String::from))?;
    server.distinguished_name.push(DnType::CommonName, NAMES[0]);
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let certificate = server.signed_by(&key, &Issuer::new(ca, ca_key))?;
    Ok([ca_text, certificate.pem(), key.serialize_pem()])
}

/// Only its owner may read it, from its first moment on.
fn write(path: &Path, text: &str) -> Result<(), Trouble> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    let mut file = file.map_err(Trouble::at("making", path))?;
    file.write_all(text.as_bytes()).map_err(Trouble::at("writing", path))
}
