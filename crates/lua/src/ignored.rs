//! Which errors an event is begun again after (`--mysql-ignore-errors`), and the numbers by which scripts know those
//! that no server sent: the client library's, which their hooks compare with.

use crate::postgres_words;
use workload::session::{Fault, NO_ADDRESS};

/// Errors that MySQL's client library numbers.
const CONNECTION_ERROR: u16 = 2002;
const UNKNOWN_HOST: u16 = 2005;
const SERVER_LOST: u16 = 2013;
const MALFORMED: u16 = 2027;

/// PostgreSQL's serialization failure, deadlock and duplicate key: sysbench begins anew after these.
const STATES: [&[u8; 5]; 3] = [b"40001", b"40P01", b"23505"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    All,
    These(Vec<u16>),
}

impl Default for Ignored {
    /// A row that changed, a lock that was waited for too long, a deadlock.
    fn default() -> Self {
        Self::These(vec![1213, 1020, 1205])
    }
}

/// An error in the words of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub number: i32,
    pub state: String,
    pub message: String,
}

impl Trouble {
    pub fn of(fault: &Fault) -> Self {
        let client = |number: u16, message: String| Self { number: number.into(), state: "HY000".into(), message };
        match fault {
            // Only PostgreSQL numbers no errors.
            Fault::Server { code, state, message } => Self {
                number: i32::from(*code),
                state: String::from_utf8_lossy(state).into_owned(),
                message: if *code == 0 { postgres_words::message(message).to_string() } else { message.clone() },
            },
            Fault::Lost(_) | Fault::TimedOut => client(SERVER_LOST, "Lost connection to server during query".into()),
            Fault::Protocol(what) => client(MALFORMED, format!("Malformed packet: {what}")),
            Fault::Unopened(why) => client(CONNECTION_ERROR, why.clone()),
            Fault::Stopped | Fault::Script(_) | Fault::Refused(_) => client(SERVER_LOST, fault.to_string()),
        }
    }

    /// The same for a connection that was never made, to `place` as a session is told of it; in the client library's
    /// words.
    pub fn of_connecting(fault: &Fault, place: &str) -> Self {
        let client = |number: u16, message| Self { number: number.into(), state: "HY000".into(), message };
        let Fault::Lost(why) = fault else { return Self::of(fault) };
        if let Some((host, _)) = unknown_host(fault) {
            return client(UNKNOWN_HOST, format!("Unknown MySQL server host '{host}' (0)"));
        }
        let code = why.rsplit_once("(os error ").and_then(|(_, code)| code.strip_suffix(')'));
        let host = place.strip_prefix("host ").and_then(|rest| rest.split(", port ").next());
        let message = match (code, place.strip_prefix("socket "), host) {
            (Some(code), Some(path), _) => format!("Can't connect to local server through socket {path} ({code})"),
            (Some(code), None, Some(host)) => format!("Can't connect to server on {host} ({code})"),
            _ => why.clone(),
        };
        client(CONNECTION_ERROR, message)
    }
}

/// A host whose name is of no address, and why.
fn unknown_host(fault: &Fault) -> Option<(&str, &str)> {
    let Fault::Lost(why) = fault else { return None };
    why.strip_prefix(NO_ADDRESS)?.split_once(": ")
}

/// Why no connection was made, as PostgreSQL's client library says it, which ends in a new line.
pub fn unconnected(fault: &Fault) -> String {
    match (unknown_host(fault), fault) {
        (Some((host, why)), _) => format!("could not translate host name \"{host}\" to address: {why}\n"),
        (None, Fault::Server { message, .. }) => format!("{message}\n"),
        (None, other) => format!("{}\n", Trouble::of_connecting(other, "").message),
    }
}

impl Ignored {
    pub fn of(words: &[String]) -> Self {
        if words.iter().any(|word| word == "all") {
            return Self::All;
        }
        Self::These(words.iter().filter_map(|word| word.trim().parse().ok()).collect())
    }

    pub fn has(&self, trouble: &Trouble) -> bool {
        match self {
            Self::All => true,
            Self::These(_) if trouble.number == 0 => STATES.iter().any(|state| trouble.state.as_bytes() == *state),
            Self::These(numbers) => numbers.iter().any(|number| i32::from(*number) == trouble.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_that_was_not_made_is_told_in_the_words_of_the_client_library() {
        let told = |why: &str, place: &str| {
            let trouble = Trouble::of_connecting(&Fault::Lost(why.into()), place);
            format!("{} {}", trouble.number, trouble.message)
        };
        let socket = "2002 Can't connect to local server through socket '/nowhere/x' (2)";
        assert_eq!(told("No such file or directory (os error 2)", "socket '/nowhere/x'"), socket);
        let host = "2002 Can't connect to server on 'far' (111)";
        assert_eq!(told("Connection refused (os error 111)", "host 'far', port 1"), host);
        assert_eq!(
            told("the server closed the connection", "host 'far', port 1"),
            "2002 the server closed the connection"
        );
    }

    #[test]
    fn errors_are_ignored_by_their_number_or_state() {
        let refused =
            |code, state: &[u8; 5]| Trouble::of(&Fault::Server { code, state: *state, message: String::new() });
        let usual = Ignored::default();
        assert!(usual.has(&refused(1213, b"40001")) && !usual.has(&refused(1062, b"23000")));
        assert!(usual.has(&refused(0, b"40P01")) && !usual.has(&refused(0, b"42P01")));
        let lost = Trouble::of(&Fault::Lost("gone".into()));
        assert!(
            !usual.has(&lost) && Ignored::of(&["2013".into()]).has(&lost) && Ignored::of(&["all".into()]).has(&lost)
        );
        assert_eq!(Ignored::of(&[]), Ignored::These(Vec::new()));
    }
}
