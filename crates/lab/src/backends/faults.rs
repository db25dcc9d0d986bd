//! Failures that every protocol has, in the words of a workload. All cold: an answer that fails is no hot path.

use wire::mysql::Malformed;
use workload::session::Fault;

#[cold]
pub fn protocol(malformed: Malformed) -> Fault {
    Fault::Protocol(malformed.0.to_string())
}

#[cold]
pub fn lost(error: &std::io::Error) -> Fault {
    match error.kind() {
        std::io::ErrorKind::TimedOut => Fault::TimedOut,
        std::io::ErrorKind::UnexpectedEof => Fault::Lost("the server closed the connection".into()),
        std::io::ErrorKind::NotFound => {
            Fault::Lost(format!("{error}: the server's socket is gone, or somebody moved it"))
        }
        _ => Fault::Lost(error.to_string()),
    }
}
