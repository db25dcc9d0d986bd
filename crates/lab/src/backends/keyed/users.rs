//! Users who live in one session past SQL each. Nobody counts goodbyes here.

use super::{KeyEndpoint, KeyProtocol, Opening, Session};
use crate::backends::access::{Access, Endpoint, nowhere};
use crate::backends::endpoint::Address;
use crate::load::user::{Driver, User};
use model::Protocol;
use std::rc::Rc;
use workload::life::{KeyValueLife, Life, Living};
use workload::session::Fault;

impl Endpoint for KeyEndpoint {
    fn protocol(&self) -> Protocol {
        match self.protocol {
            KeyProtocol::Memcached { .. } => Protocol::Memcached,
            KeyProtocol::HandlerSocket { .. } => Protocol::HandlerSocket,
        }
    }
    fn address(&self) -> &Address {
        &self.address
    }
    fn live<'a>(&'a self, user: &'a User<Access>, _: &'a [String], life: Life<'a>) -> Living<'a> {
        match life {
            Life::KeyValue(life) => Box::pin(live(user, self, life)),
            other => nowhere(&other),
        }
    }
    fn told(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("plain values with text keys")
    }
}

fn live<D: Driver>(
    user: &User<D>,
    endpoint: &KeyEndpoint,
    life: &dyn KeyValueLife,
) -> impl Future<Output = Result<(), Fault>> {
    let opening = Rc::new(Opening { endpoint: endpoint.clone(), connect: user.connecting(&endpoint.address) });
    user.in_session(
        Box::pin(Session::open(opening, user.ledger())),
        |place, session, seat| life.user(place, session, seat),
        async |session| drop(session),
    )
}
