//! Failures of this protocol in the words of a workload. All cold: an answer that fails is no hot path.

use wire::mysql::{LoginError, Malformed};
use workload::session::Fault;

#[cold]
pub(crate) fn server_fault(error: &wire::mysql::ServerError) -> Fault {
    Fault::Server { code: error.number, state: error.sqlstate, message: error.message.clone() }
}

#[cold]
pub(crate) fn protocol(malformed: Malformed) -> Fault {
    Fault::Protocol(malformed.0.to_string())
}

/// What keeps a login from going on, with its mend where there is one.
#[cold]
pub(crate) fn unopened(error: &LoginError) -> Fault {
    let mend = match error {
        LoginError::Malformed(malformed) => return protocol(*malformed),
        LoginError::NotEncrypted => "give the server a certificate (ssl-cert, ssl-key), or connect with tls=off",
        LoginError::UnknownPlugin(_) => "let the account authenticate by one of these",
        LoginError::BadPublicKey => "connect with tls=required, which needs no such key",
    };
    Fault::Unopened(format!("{error}\n    {mend}"))
}

#[cold]
pub(crate) fn lost(error: &std::io::Error) -> Fault {
    match error.kind() {
        std::io::ErrorKind::TimedOut => Fault::TimedOut,
        std::io::ErrorKind::UnexpectedEof => Fault::Lost("the server closed the connection".into()),
        _ => Fault::Lost(error.to_string()),
    }
}
