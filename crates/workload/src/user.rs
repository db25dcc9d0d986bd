//! Hot path: the life of one user: prepare once, then wait for a turn, operate, say how it ended, until the run is
//! over. Who gives turns, keeps time and decides about retries is the load (the `Seat`); what an operation does is
//! the workload (`User`).

use crate::session::{Class, Fault, Sql};
use model::units::Nanos;
use std::future::poll_fn;
use std::task::{Context, Poll};

/// An index into the workload's `operations()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation(pub u16);

/// How an operation ended when nothing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Done,
    /// Rolled back by design of the workload.
    RolledBack,
}

/// What the load wants after a fault. Before anything else is said, what is open is rolled back, or a session that did
/// not survive is opened anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Do the same operation again.
    Retry,
    /// The operation is counted as failed; go on with the next.
    GiveUp,
    /// This user ends.
    Stop,
}

/// Where something lies that a user reads in each of its operations. The address is only ever a hint to the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    pub at: usize,
    pub bytes: usize,
}

impl Memory {
    pub const NONE: Self = Self { at: 0, bytes: 0 };

    pub fn of<T: ?Sized>(value: &T) -> Self {
        Self { at: std::ptr::from_ref(value).addr(), bytes: size_of_val(value) }
    }

    /// All that a list has room for.
    pub fn room<T>(list: &Vec<T>) -> Self {
        Self { at: list.as_ptr().addr(), bytes: list.capacity() * size_of::<T>() }
    }
}

/// One user's place in the load.
pub trait Seat {
    /// Ready with true when the next operation is to begin now, with false when the run is over.
    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<bool>;
    /// Which turn of all users together this is, from 0, in a phase by count; `None` where nobody numbers them.
    fn turn(&self) -> Option<u64> {
        None
    }
    /// The operation that was begun with the last turn ended; how long it took since then.
    fn ended(&mut self, operation: Operation, end: End) -> Nanos;
    /// The operation that was begun with the last turn is none: nothing is counted.
    fn withdrawn(&mut self);
    /// The operation met a fault.
    fn met(&mut self, operation: Operation, fault: &Fault) -> Decision;
    /// Ready when the operation that is to be retried may begin again.
    fn poll_again(&mut self, cx: &mut Context<'_>) -> Poll<()>;
    /// Whether the load wants a new session for this user before its next operation.
    fn wants_new_session(&mut self) -> bool;
    /// This user is connected and has prepared its statements; measuring starts when all have. What it reads in each
    /// operation beside itself lies there to its end.
    fn ready(&mut self, reads: [Memory; 2]);
    /// What it reads lies there from now on.
    fn reads(&mut self, _: [Memory; 2]) {}
}

/// What one user does.
pub trait User {
    /// Prepares statements; called after every connect.
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault>;
    /// Draws what is to be done next. Drawn once per operation: a retry does the same again.
    fn choose(&mut self) -> Operation;
    async fn operate(&mut self, session: &mut (dyn Sql + '_), operation: Operation) -> Result<End, Fault>;
    /// The most of what it reads in each operation and holds by a pointer.
    fn reads(&self) -> [Memory; 2] {
        [Memory::NONE; 2]
    }
    /// The class under which a rollback before a retry is counted; `None` when operations are single statements.
    fn rollback(&self) -> Option<Class>;
}

/// Lives one user's life in its seat. Ends with `Ok` when the run is over.
pub async fn live<U: User>(user: U, session: &mut (dyn Sql + '_), seat: &mut (dyn Seat + '_)) -> Result<(), Fault> {
    live_so(user, session, seat, |user, _| user.choose()).await
}

/// The same for users who share out numbered work: each operation follows from the number of its turn.
pub async fn live_by_turns<U: User>(
    user: U,
    session: &mut (dyn Sql + '_),
    seat: &mut (dyn Seat + '_),
    choose: fn(&mut U, Option<u64>) -> Operation,
) -> Result<(), Fault> {
    live_so(user, session, seat, |user, seat| choose(user, seat.turn())).await
}

async fn live_so<U: User>(
    mut user: U,
    session: &mut (dyn Sql + '_),
    seat: &mut (dyn Seat + '_),
    choose: impl Fn(&mut U, &dyn Seat) -> Operation,
) -> Result<(), Fault> {
    user.begin(session).await?;
    seat.ready(user.reads());
    while poll_fn(|cx| seat.poll_turn(cx)).await {
        let operation = choose(&mut user, &*seat);
        loop {
            let fault = match user.operate(session, operation).await {
                Ok(end) => {
                    seat.ended(operation, end);
                    break;
                }
                Err(fault) => fault,
            };
            let decision = seat.met(operation, &fault);
            if decision == Decision::Stop {
                return Err(fault);
            }
            recover(&mut user, session, fault.session_survives()).await?;
            if decision == Decision::GiveUp {
                break;
            }
            poll_fn(|cx| seat.poll_again(cx)).await;
        }
        if seat.wants_new_session() {
            renew(&mut user, session).await?;
        }
    }
    Ok(())
}

/// Rolls back: after a lock wait time-out the transaction is still open, and its locks with it. A session that did not
/// survive, or does not survive that, is opened anew.
#[cold]
async fn recover<U: User>(user: &mut U, session: &mut (dyn Sql + '_), survives: bool) -> Result<(), Fault> {
    if survives {
        let Some(class) = user.rollback() else { return Ok(()) };
        match session.query(class, "ROLLBACK").await {
            Err(fault) if !fault.session_survives() => {}
            other => return other.map(|_| ()),
        }
    }
    renew(user, session).await
}

#[cold]
async fn renew<U: User>(user: &mut U, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
    session.reconnect().await?;
    user.begin(session).await
}
