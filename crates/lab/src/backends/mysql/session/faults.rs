//! Failures of this protocol in the words of a workload. All cold: an answer that fails is no hot path.

use crate::backends::faults::protocol;
use wire::mysql::LoginError;
use workload::session::Fault;

#[cold]
pub(crate) fn server_fault(error: &wire::mysql::ServerError) -> Fault {
    Fault::Server { code: error.number, state: error.sqlstate, message: error.message.clone() }
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
