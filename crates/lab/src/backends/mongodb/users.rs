//! Users who live in one session of this protocol each. Nobody counts goodbyes here.

use super::session::{DocumentEndpoint, Opening, Session};
use crate::load::user::{Driver, User};
use std::rc::Rc;
use workload::life::DocumentsLife;
use workload::session::Fault;

pub(crate) fn live<D: Driver>(
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
