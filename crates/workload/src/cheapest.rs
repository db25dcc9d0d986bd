//! The cheapest request of every life that users lead: `SELECT 1` where they speak SQL, a get of one key, a ping of a
//! store of documents. What it takes is the floor of the way to the server, over sessions that are opened as those of
//! the users are (`execution/way.rs`). It is no workload that an experiment names.

use crate::life::{DocumentsLife, KeyValueLife, Life, Living, Place, ScriptLife};
use crate::round_trip::{RoundTrip, STATEMENTS, Traveller};
use crate::session::documents::{Documents, Value};
use crate::session::key_value::KeyValue;
use crate::session::{Class, Fault, Sessions, Want};
use crate::user::{Decision, End, Memory, Operation, Seat, live};
use crate::{Statement, Workload};
use model::words::WorkloadWords;
use std::borrow::Cow;
use std::future::poll_fn;

pub struct Cheapest(By);

#[derive(Clone, Copy)]
enum By {
    Sql,
    /// The driver of a script whose server speaks another SQL than MySQL's.
    Script(&'static str),
    Keys,
    Documents,
}

/// A key that every dataset has.
const KEY: u64 = 1;

impl Cheapest {
    /// For users who live so; `driver` is that of scripts, where it is not MySQL's.
    pub fn of(life: &Life<'_>, driver: Option<&'static str>) -> Self {
        Self(match (life, driver) {
            (Life::Script(_), Some(driver)) => By::Script(driver),
            (Life::Sql(_) | Life::Script(_), _) => By::Sql,
            (Life::KeyValue(_), _) => By::Keys,
            (Life::Documents(_), _) => By::Documents,
        })
    }

    pub fn request(&self) -> &'static str {
        match self.0 {
            By::Sql | By::Script(_) => "SELECT 1",
            By::Keys => "get of one key",
            By::Documents => "ping",
        }
    }
}

impl Workload for Cheapest {
    fn words(&self) -> WorkloadWords {
        RoundTrip.words()
    }
    fn life(&self) -> Life<'_> {
        match self.0 {
            By::Sql => Life::Sql(&RoundTrip),
            By::Script(_) => Life::Script(self),
            By::Keys => Life::KeyValue(self),
            By::Documents => Life::Documents(self),
        }
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        STATEMENTS.into()
    }
}

impl ScriptLife for Cheapest {
    fn user<'a>(
        &'a self,
        _: Place<'_>,
        sessions: &'a mut (dyn Sessions + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a> {
        let driver = match self.0 {
            By::Script(driver) => driver,
            By::Sql | By::Keys | By::Documents => "mysql",
        };
        Box::pin(async move {
            let session = sessions.open(driver).await?;
            live(Traveller::default(), sessions.at(session), seat).await?;
            sessions.close(session).await;
            Ok(())
        })
    }
}

impl KeyValueLife for Cheapest {
    fn user<'a>(
        &self,
        _: Place<'_>,
        session: &'a mut (dyn KeyValue + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a> {
        Box::pin(async move {
            seat.ready([Memory::NONE; 2]);
            while poll_fn(|cx| seat.poll_turn(cx)).await {
                session.get(Class(0), &[KEY], Want::Count);
                let answer = session.answers().await;
                told(seat, answer.map(|_| ()))?;
            }
            Ok(())
        })
    }
}

impl DocumentsLife for Cheapest {
    fn user<'a>(
        &self,
        _: Place<'_>,
        session: &'a mut (dyn Documents + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a> {
        Box::pin(async move {
            seat.ready([Memory::NONE; 2]);
            while poll_fn(|cx| seat.poll_turn(cx)).await {
                session.start(Class(0), &[("ping", Value::Int32(1))], &[]);
                let answer = session.answer().await;
                told(seat, answer.map(|_| ()))?;
            }
            Ok(())
        })
    }
}

/// A request that failed is the last.
fn told(seat: &mut (dyn Seat + '_), answer: Result<(), Fault>) -> Result<(), Fault> {
    match answer {
        Ok(()) => {
            seat.ended(Operation(0), End::Done);
            Ok(())
        }
        Err(fault) => match seat.met(Operation(0), &fault) {
            Decision::Retry | Decision::GiveUp | Decision::Stop => Err(fault),
        },
    }
}
