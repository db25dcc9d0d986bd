//! Failures of this protocol in the words of a workload. All cold: an answer that fails is no hot path.

use wire::mysql::Malformed;
use workload::session::Fault;

#[cold]
pub(super) fn server_fault(error: &wire::mysql::ServerError) -> Fault {
    Fault::Server { code: error.number, state: error.sqlstate, message: error.message.clone() }
}

#[cold]
pub(super) fn protocol(malformed: Malformed) -> Fault {
    Fault::Protocol(malformed.0.to_string())
}

#[cold]
pub(super) fn lost(error: &std::io::Error) -> Fault {
    match error.kind() {
        std::io::ErrorKind::TimedOut => Fault::TimedOut,
        std::io::ErrorKind::UnexpectedEof => Fault::Lost("the server closed the connection".into()),
        _ => Fault::Lost(error.to_string()),
    }
}
