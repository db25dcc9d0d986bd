//! Users who live in one session of this protocol each.

use super::session::Session;
use crate::backends::access::{Access, Endpoint, nowhere};
use crate::backends::endpoint::{Address, SqlEndpoint};
use crate::backends::opening::Opening;
use crate::load::user::{Driver, User};
use model::Protocol;
use std::rc::Rc;
use workload::life::{Life, Living, SqlLife};
use workload::session::Fault;

/// Users of MySQL's family come by no such endpoint: an `Endpoint` of SQL is one of PostgreSQL.
impl Endpoint for SqlEndpoint {
    fn protocol(&self) -> Protocol {
        Protocol::PostgreSql
    }
    fn address(&self) -> &Address {
        &self.address
    }
    fn live<'a>(&'a self, user: &'a User<Access>, setup: &'a [String], life: Life<'a>) -> Living<'a> {
        match life {
            Life::Sql(life) => Box::pin(live(user, self, setup, life)),
            other => nowhere(&other),
        }
    }
    fn told(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("plain values with text keys")
    }
}

fn live<D: Driver>(
    user: &User<D>,
    endpoint: &SqlEndpoint,
    setup: &[String],
    life: &dyn SqlLife,
) -> impl Future<Output = Result<(), Fault>> {
    let (connect, again) = (user.connecting(&endpoint.address), user.again());
    let opening = Rc::new(Opening { endpoint: endpoint.clone(), connect, setup: setup.to_vec(), again });
    user.in_session(
        Box::pin(Session::open(opening, user.ledger())),
        |place, session, seat| life.user(place, session, seat),
        |session: Session<_>| session.quit(),
    )
}
