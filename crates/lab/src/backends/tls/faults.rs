//! What went wrong while TLS began, as one sentence and its mend. rustls says precisely what it found; here stands what
//! that means for whoever runs databases.

use super::Tls;
use rustls::{AlertDescription, CertificateError, Error};
use std::io;
use workload::session::Fault;

/// Why a session did not begin.
pub fn fault(error: &io::Error, tls: &Tls, host: &str) -> Fault {
    match error.kind() {
        io::ErrorKind::TimedOut => Fault::TimedOut,
        _ => Fault::Unopened(explain(error, tls, host)),
    }
}

/// The sentence and the mend, on lines of their own.
fn explain(error: &io::Error, tls: &Tls, host: &str) -> String {
    let cause = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let (what, mend) = match cause {
        Some(Error::InvalidCertificate(certificate)) => of_certificate(certificate, tls, host),
        Some(
            Error::PeerIncompatible(_)
            | Error::AlertReceived(
                AlertDescription::ProtocolVersion
                | AlertDescription::HandshakeFailure
                | AlertDescription::InsufficientSecurity,
            ),
        ) => too_old(host, &cause.map(ToString::to_string).unwrap_or_default()),
        // Servers with yaSSL hang up on a greeting that they cannot read.
        None if error.kind() == io::ErrorKind::UnexpectedEof => too_old(host, "it hung up"),
        Some(_) | None => {
            (format!("TLS with {host} could not begin: {error}"), "look into the server's error log".into())
        }
    };
    format!("{what}\n    {mend}")
}

fn too_old(host: &str, said: &str) -> (String, String) {
    let what =
        format!("{host} and assay have no version or cipher of TLS in common, assay's being 1.2 and 1.3 ({said})");
    (what, "connect in the clear (tls=off, or transport = \"unix\" or \"tcp\"), or take a server of this decade".into())
}

const ANYBODY: &str = "write tls=required to encrypt without asking who answers";

fn of_certificate(error: &CertificateError, tls: &Tls, host: &str) -> (String, String) {
    let ca = tls.ca().map_or(String::new(), |path| path.display().to_string());
    match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => (
            format!("the certificate of {host} is not signed by the CA in {ca}"),
            format!("name the CA that signed it, or {ANYBODY}"),
        ),
        CertificateError::NotValidForName => named(host, "another name"),
        CertificateError::NotValidForNameContext { presented, .. } if presented.is_empty() => {
            named(host, "no name at all")
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            named(host, &presented.iter().map(|name| bare(name)).collect::<Vec<_>>().join(", "))
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            (format!("the certificate of {host} has expired"), format!("renew it, or {ANYBODY}"))
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => (
            format!("the certificate of {host} is not valid yet"),
            format!("compare the clocks of both machines, or {ANYBODY}"),
        ),
        other => (
            format!("the certificate of {host} cannot be verified: {other}"),
            format!("have the CA sign it as a server's certificate (version 3), or {ANYBODY}"),
        ),
    }
}

/// `DnsName("db.example")` as people write it.
fn bare(presented: &str) -> &str {
    presented.trim_start_matches(char::is_alphabetic).trim_matches(['(', ')', '"'])
}

fn named(host: &str, names: &str) -> (String, String) {
    (
        format!("the certificate is for {names} and not for {host}"),
        "connect by a name that it has, or write tls=verify_ca, which looks at no name".into(),
    )
}
