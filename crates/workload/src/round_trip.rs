//! The cheapest request that a SQL server answers: `SELECT 1`, prepared, without a table. What it takes is the way
//! there and back and a server's least work; by it the lab learns which way of waiting reaches most with a server
//! (`campaign/ceiling.rs`). It is no workload that an experiment names.

use crate::life::{Life, Living, Place, SqlLife};
use crate::session::{Class, Fault, Prepared, Sql};
use crate::user::{End, Operation, Seat, User, live};
use crate::{Doing, Statement, Workload};
use model::protocol::Protocol;
use model::words::{Footprint, WorkloadWords};
use std::borrow::Cow;

pub struct RoundTrip;

pub(crate) const STATEMENTS: &[Statement] = &[Statement { name: "round_trip", doing: Doing::Read }];
const SQL: &str = "SELECT 1";

impl Workload for RoundTrip {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: "round_trip".into(),
            why: "the cheapest request: the way there and back",
            writes: false,
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Vec::new(),
            operations: &["round_trip"],
            footprint: |_| Footprint::default(),
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Sql(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        STATEMENTS.into()
    }
}

impl SqlLife for RoundTrip {
    fn user<'a>(&self, _: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        Box::pin(live(Traveller::default(), session, seat))
    }
}

#[derive(Default)]
pub(crate) struct Traveller {
    prepared: Option<Prepared>,
}

impl User for Traveller {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        self.prepared = Some(session.prepare(Class(0), SQL).await?);
        Ok(())
    }
    fn choose(&mut self) -> Operation {
        Operation(0)
    }
    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        let prepared = self.prepared.expect("a user begins before it operates");
        session.execute(Class(0), prepared, &[]).await?;
        Ok(End::Done)
    }
    fn rollback(&self) -> Option<Class> {
        None
    }
}
