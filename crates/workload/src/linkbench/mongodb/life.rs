//! Hot path: the life of a user over MongoDB's protocol: as `user::live`, with its own session. There is nothing to
//! prepare; what is open after a fault is aborted.

use super::client::Client;
use crate::session::documents::Documents;
use crate::session::{Class, Fault};
use crate::user::{Decision, End, Memory, Seat};
use std::future::poll_fn;

pub(super) async fn live(
    mut user: Client,
    session: &mut (dyn Documents + '_),
    seat: &mut (dyn Seat + '_),
) -> Result<(), Fault> {
    user.begin(session).await?;
    seat.ready([Memory::NONE; 2]);
    while poll_fn(|cx| seat.poll_turn(cx)).await {
        let operation = user.choose();
        loop {
            let fault = match user.operate(session).await {
                Ok(()) => {
                    seat.ended(operation, End::Done);
                    break;
                }
                Err(fault) => fault,
            };
            let decision = seat.met(operation, &fault);
            if decision == Decision::Stop {
                return Err(fault);
            }
            recover(session, fault.session_survives()).await?;
            if decision == Decision::GiveUp {
                break;
            }
            poll_fn(|cx| seat.poll_again(cx)).await;
        }
        if seat.wants_new_session() {
            session.reconnect().await?;
        }
    }
    Ok(())
}

const ABORT: Class = Class(11);

/// A transaction that the server ended by itself cannot be aborted, which is well.
#[cold]
async fn recover(session: &mut (dyn Documents + '_), survives: bool) -> Result<(), Fault> {
    if survives {
        match session.abort(ABORT).await {
            Err(fault) if !fault.session_survives() => {}
            Ok(_) | Err(_) => return Ok(()),
        }
    }
    session.reconnect().await
}
