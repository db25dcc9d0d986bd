//! Failures of this protocol in the words of a workload. All cold: an answer that fails is no hot path.

use crate::backends::faults::protocol;
use wire::postgres::{LoginError, ServerError};
use workload::session::Fault;

/// A server of this kind numbers no errors: they have an SQLSTATE.
const NO_NUMBER: u16 = 0;

#[cold]
pub(crate) fn server_fault(error: ServerError) -> Fault {
    Fault::Server { code: NO_NUMBER, state: error.sqlstate, message: error.message }
}

/// What keeps a login from going on, with its mend where there is one.
#[cold]
pub(crate) fn unopened(error: &LoginError) -> Fault {
    let mend = match error {
        LoginError::Malformed(malformed) => return protocol(*malformed),
        LoginError::NotEncrypted => "turn ssl on at the server, or connect without TLS",
        LoginError::UnknownMethod(_) => "let pg_hba.conf ask this account for one of these",
        LoginError::Impostor => "look whether this is the server that was meant",
    };
    Fault::Unopened(format!("{error}\n    {mend}"))
}
