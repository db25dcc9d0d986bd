//! Why a run ended before its time, in words. A server that is there and answers nobody has stalled: a user waited a
//! whole deadline for an answer and another one for its new session (to be let in, or for its next answer while no
//! other user was answered either). One user alone that waits in vain is a failed operation, and goes on.

use super::UserGroup;
use model::errors::TOO_MANY_CONNECTIONS;
use workload::session::Fault;

/// What ended a run, where somebody has to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// The server takes no more connections; its limit is worth telling.
    Full,
    /// There is no use in asking the server anything.
    Stalled,
    /// A rank of the load is gone.
    Lost,
    #[default]
    Other,
}

impl Cause {
    pub(super) fn of(fault: &Fault) -> Self {
        match fault {
            Fault::Server { code, .. } if u32::from(*code) == TOO_MANY_CONNECTIONS => Self::Full,
            Fault::TimedOut => Self::Stalled,
            Fault::Server { .. }
            | Fault::Lost(_)
            | Fault::Protocol(_)
            | Fault::Unopened(_)
            | Fault::Stopped
            | Fault::Script(_)
            | Fault::Refused(_) => Self::Other,
        }
    }
}

/// A user whose first session could not be opened, while so many had theirs.
pub(super) fn not_let_in<D>(number: u32, user_group: &UserGroup<D>, others: u32, fault: &Fault) -> String {
    let UserGroup { users, deadline, .. } = user_group;
    match Cause::of(fault) {
        Cause::Full => format!("user {number} of {users} was refused with {others} users connected: {fault}"),
        Cause::Stalled => format!("the server did not let user {number} in within the deadline of {deadline}"),
        Cause::Lost | Cause::Other => format!("user {number} could not connect: {fault}"),
    }
}

/// A user who could not go on. An operation that meets its deadline is no reason, so it was the new session that did.
pub(super) fn gave_up<D>(number: u32, user_group: &UserGroup<D>, fault: &Fault) -> String {
    match Cause::of(fault) {
        Cause::Stalled => format!(
            "the server has stalled: user {number} waited {deadline} for an answer, and as long for a new session",
            deadline = user_group.deadline
        ),
        Cause::Full | Cause::Lost | Cause::Other => format!("user {number} gave up: {fault}"),
    }
}

/// A user whose operations met the deadline in two sessions while everybody else waited.
pub(super) fn stalled_again() -> String {
    "the server has stalled: it lets users in and answers none of them within the deadline".to_string()
}
