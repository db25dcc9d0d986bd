//! Users who live in one session past SQL each. Nobody counts goodbyes here.

use super::{KeyEndpoint, Opening, Session};
use crate::load::user::{Driver, User};
use std::rc::Rc;
use workload::life::KeyValueLife;
use workload::session::Fault;

pub(crate) fn live<D: Driver>(
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
