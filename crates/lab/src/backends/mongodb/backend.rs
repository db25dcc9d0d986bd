//! How users come to a store of documents, what their sessions say, and who is asked about their data.

use super::servers;
use super::servers::MongoDb;
use super::session::DocumentEndpoint;
use super::session::control::Control;
use crate::backends::access::{Endpoint, UserGroup};
use crate::backends::contract::{Backend, Servers, Witness};
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

/// One question may read a whole collection of a large dataset; who takes longer has no answer.
const QUESTION_PATIENCE: Duration = Duration::from_secs(900);

impl Backend for MongoDb {
    fn servers(&self) -> Option<&'static dyn Servers> {
        Some(&MongoDb)
    }

    fn open(&self, _: &mut Up, _: &Workloads, _: &Cell, _: &Work, _: &[DatasetNeed]) -> Result<(), Unready> {
        Ok(())
    }

    fn endpoint(&self, up: &Up, workloads: &Workloads, work: &Work, cell: &Cell) -> Option<Arc<dyn Endpoint>> {
        let engine = &cell.server.engine;
        let schema = up.datasets.get(&identity(workloads, work, engine).0)?.clone().ok()?;
        let own = up.own_as::<DocumentEndpoint>()?.clone();
        Some(Arc::new(DocumentEndpoint { schema, ..own }))
    }

    fn endpoint_told(&self, told: serde_json::Value) -> Option<Arc<dyn Endpoint>> {
        serde_json::from_value::<DocumentEndpoint>(told).ok().map(|endpoint| Arc::new(endpoint) as _)
    }

    fn ask(&self, users: &UserGroup, _: Duration) -> Result<SessionAnswer, Fault> {
        let documents = users.access.beside_as::<DocumentEndpoint>();
        servers::ask(documents.ok_or_else(|| Fault::Unopened("its users know no store of documents".into()))?)
    }

    fn ask_again(&self, _: &UserGroup, _: &[StatementPlan]) -> Option<BTreeMap<String, String>> {
        None
    }

    fn witness(&self, users: &UserGroup, _: &[String]) -> Result<Box<dyn Witness>, String> {
        let documents = users.access.beside_as::<DocumentEndpoint>();
        let documents = documents.ok_or("its users know no store of documents")?;
        Ok(Box::new(Control::connect(documents, QUESTION_PATIENCE).map_err(|e| e.to_string())?))
    }
}

impl Witness for Control {
    fn number(&mut self, question: &str) -> Result<i64, String> {
        self.question(question)
    }
}
