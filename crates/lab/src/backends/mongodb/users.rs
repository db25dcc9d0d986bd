//! Users who live in one session of this protocol each. Nobody counts goodbyes here.

use super::session::{DocumentEndpoint, Opening, Session};
use crate::backends::access::{Access, Endpoint, nowhere};
use crate::backends::endpoint::Address;
use crate::load::user::{Driver, User};
use model::Protocol;
use std::rc::Rc;
use workload::life::{DocumentsLife, Life, Living};
use workload::session::Fault;

impl Endpoint for DocumentEndpoint {
    fn protocol(&self) -> Protocol {
        Protocol::MongoDb
    }
    fn address(&self) -> &Address {
        &self.store.address
    }
    fn live<'a>(&'a self, user: &'a User<Access>, _: &'a [String], life: Life<'a>) -> Living<'a> {
        match life {
            Life::Documents(life) => Box::pin(live(user, self, life)),
            other => nowhere(&other),
        }
    }
    fn told(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("plain values with text keys")
    }
}

fn live<D: Driver>(
    user: &User<D>,
    endpoint: &DocumentEndpoint,
    life: &dyn DocumentsLife,
) -> impl Future<Output = Result<(), Fault>> {
    let connect = user.connecting(&endpoint.store.address);
    let opening = Rc::new(Opening { endpoint: endpoint.clone(), connect });
    user.in_session(
        Box::pin(Session::open(opening, user.ledger())),
        |place, session, seat| life.user(place, session, seat),
        async |session| drop(session),
    )
}
