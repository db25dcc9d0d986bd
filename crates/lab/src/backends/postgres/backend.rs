//! How users and scripts come to a PostgreSQL, what their sessions say, and who is asked about their data.

use super::servers::PostgreSql;
use super::session::control::Control;
use super::{answers, servers};
use crate::backends::access::{Endpoint, UserGroup};
use crate::backends::contract::{Backend, Servers, Witness};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::needs::{DatasetNeed, identity};
use crate::backends::up::Up;
use crate::trouble::Unready;
use model::load::Work;
use model::plan::Cell;
use model::record::answer::{SessionAnswer, StatementPlan};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use workload::Workloads;
use workload::session::Fault;

/// One question may read a whole table of a large dataset; who takes longer has no answer.
const QUESTION_PATIENCE: Duration = Duration::from_secs(900);

impl Backend for PostgreSql {
    fn servers(&self) -> Option<&'static dyn Servers> {
        Some(&PostgreSql)
    }

    fn open(&self, _: &mut Up, _: &Workloads, _: &Cell, _: &Work, _: &[DatasetNeed]) -> Result<(), Unready> {
        Ok(())
    }

    fn endpoint(&self, up: &Up, workloads: &Workloads, work: &Work, cell: &Cell) -> Option<Arc<dyn Endpoint>> {
        let own = up.own_as::<SqlEndpoint>()?;
        let own = up.endpoints.of(cell.load.transport, own);
        let database =
            up.datasets.get(&identity(workloads, work, &cell.server.engine).0).and_then(|known| known.as_ref().ok());
        Some(Arc::new(database.map_or_else(|| own.clone(), |database| own.within(database))))
    }

    fn endpoint_told(&self, told: serde_json::Value) -> Option<Arc<dyn Endpoint>> {
        serde_json::from_value::<SqlEndpoint>(told).ok().map(|endpoint| Arc::new(endpoint) as _)
    }

    fn ask(&self, users: &UserGroup, patience: Duration) -> Result<SessionAnswer, Fault> {
        let endpoint = own(users)?;
        let plans = answers::plans(endpoint, &*users.workload, &users.parameters, patience)?;
        Ok(SessionAnswer { plans, ..servers::ask(endpoint)? })
    }

    fn ask_again(&self, users: &UserGroup, plans: &[StatementPlan]) -> Option<BTreeMap<String, String>> {
        answers::again(own(users).ok()?, plans).ok()
    }

    fn witness(&self, users: &UserGroup, setup: &[String]) -> Result<Box<dyn Witness>, String> {
        let endpoint = own(users).map_err(|e| e.to_string())?;
        let mut control = Control::connect(endpoint, QUESTION_PATIENCE).map_err(|e| e.to_string())?;
        for sql in setup {
            match control.execute(sql) {
                Ok(_) | Err(Fault::Server { .. }) => {}
                Err(other) => return Err(other.to_string()),
            }
        }
        Ok(Box::new(control))
    }
}

impl Witness for Control {
    /// A sum over nothing is NULL, and none; one over large numbers is a `numeric`.
    fn number(&mut self, question: &str) -> Result<i64, String> {
        match self.value(question).map_err(|e| e.to_string())? {
            None => Ok(0),
            Some(text) => text.parse().map_err(|_| format!("`{text}` is no whole number")),
        }
    }
}

fn own(users: &UserGroup) -> Result<&SqlEndpoint, Fault> {
    let endpoint = users.access.beside_as();
    endpoint.ok_or_else(|| Fault::Unopened("its users know no PostgreSQL".into()))
}
