//! Users who live in one session of this protocol each.

use super::session::Session;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::opening::Opening;
use crate::load::user::{Driver, User};
use std::rc::Rc;
use workload::life::SqlLife;
use workload::session::Fault;

pub(crate) fn live<D: Driver>(
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
