//! How scripts come to a PostgreSQL, and what their sessions say.

use super::servers;
use super::servers::PostgreSql;
use crate::backends::access::{Endpoint, UserGroup};
use crate::backends::contract::{Backend, Servers, Witness};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::Up;
use crate::trouble::Unready;
use model::load::Work;
use model::plan::Cell;
use model::record::answer::{SessionAnswer, StatementPlan};
use std::collections::BTreeMap;
use std::time::Duration;
use workload::Workloads;
use workload::session::Fault;

impl Backend for PostgreSql {
    fn servers(&self) -> Option<&'static dyn Servers> {
        Some(&PostgreSql)
    }

    fn open(&self, _: &mut Up, _: &Workloads, _: &Cell, _: &Work, _: &[DatasetNeed]) -> Result<(), Unready> {
        Ok(())
    }

    fn endpoint(&self, _: &Up, _: &Workloads, _: &Work, _: &str) -> Option<Endpoint> {
        None
    }

    fn ask(&self, users: &UserGroup, _: Duration) -> Result<SessionAnswer, Fault> {
        servers::ask(own(users)?)
    }

    fn ask_again(&self, _: &UserGroup, _: &[StatementPlan]) -> Option<BTreeMap<String, String>> {
        None
    }

    /// Scripts have no questions.
    fn witness(&self, _: &UserGroup, _: &[String]) -> Result<Box<dyn Witness>, String> {
        Err("questions about data are asked of MySQL's family".into())
    }
}

fn own(users: &UserGroup) -> Result<&SqlEndpoint, Fault> {
    let endpoint = users.access.beside.as_ref().and_then(Endpoint::postgres);
    endpoint.ok_or_else(|| Fault::Unopened("its users know no PostgreSQL".into()))
}
