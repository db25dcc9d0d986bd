//! Hot path: one user past SQL: says a batch, and looks at what came back. There is nothing to prepare and nothing to
//! roll back, so its life is shorter than that of a user who speaks SQL.

use super::work::{Wish, Work};
use super::{GET, MISSES, SET, VERIFIED, WRONG, value};
use crate::rows::Cell;
use crate::session::key_value::KeyValue;
use crate::session::{Fault, Want};
use crate::user::{Decision, End, Memory, Operation, Seat};
use std::future::poll_fn;

pub struct Client {
    work: Work,
    /// The value being written, and the one being compared with.
    text: Vec<u8>,
}

impl Client {
    pub fn new(work: Work) -> Self {
        Self { text: Vec::with_capacity(work.sizes.most()), work }
    }

    async fn operate(&mut self, session: &mut (dyn KeyValue + '_)) -> Result<(), Fault> {
        let mut sets = 0;
        for wish in &self.work.wishes {
            match *wish {
                Wish::Get { from, to, verified } => {
                    session.get(GET, self.work.keys(from, to), if verified { Want::Keep } else { Want::Count });
                }
                Wish::Set { key, stamp } => {
                    value::write(&mut self.text, key, stamp, self.work.sizes.bytes(key));
                    session.set(SET, key, &self.text);
                    sets += 1;
                }
            }
        }
        let answer = session.answers().await?;
        let misses = self.work.asked().saturating_sub(answer.rows);
        if misses > 0 {
            session.count(MISSES, misses as i64);
            session.unexpected(GET, misses);
        }
        if answer.affected != sets {
            session.unexpected(SET, sets.abs_diff(answer.affected));
        }
        self.verify(session);
        Ok(())
    }

    fn verify(&mut self, session: &mut (dyn KeyValue + '_)) {
        let kept = session.kept();
        let rows = kept.rows();
        if rows == 0 {
            return;
        }
        let is_wrong = |row: &usize| match (kept.cell(*row, 0), kept.cell(*row, 1)) {
            (Cell::UInt(key), Cell::Bytes(text)) => {
                !value::is_of(key, text, self.work.sizes.bytes(key), &mut self.text)
            }
            _ => true,
        };
        let wrong = (0..rows).filter(is_wrong).count();
        session.count(VERIFIED, rows as i64);
        if wrong > 0 {
            session.count(WRONG, wrong as i64);
            session.unexpected(GET, wrong as u64);
        }
    }
}

/// As `user::live`, with its own session.
pub async fn live(
    mut user: Client,
    session: &mut (dyn KeyValue + '_),
    seat: &mut (dyn Seat + '_),
) -> Result<(), Fault> {
    const BATCH: Operation = Operation(0);
    seat.ready([Memory::NONE; 2]);
    while poll_fn(|cx| seat.poll_turn(cx)).await {
        user.work.draw();
        loop {
            let fault = match user.operate(session).await {
                Ok(()) => {
                    seat.ended(BATCH, End::Done);
                    break;
                }
                Err(fault) => fault,
            };
            let decision = seat.met(BATCH, &fault);
            if decision == Decision::Stop {
                return Err(fault);
            }
            if !fault.session_survives() {
                session.reconnect().await?;
            }
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
