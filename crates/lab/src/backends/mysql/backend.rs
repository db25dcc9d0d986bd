//! How users come to servers of MySQL's family, what their sessions say, and who is asked about their data.

use super::answers;
use super::control::Control;
use super::servers::MySql;
use crate::backends::access::{Endpoint, UserGroup};
use crate::backends::contract::{Backend, Servers, Witness};
use crate::backends::memcached::plugin;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::Up;
use crate::trouble::Unready;
use model::{Cell, Protocol, SessionAnswer, StatementPlan, Work};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use workload::Workloads;
use workload::session::Fault;

/// One question may read a whole table of a large dataset; who takes longer has no answer.
const QUESTION_PATIENCE: Duration = Duration::from_secs(900);

impl Backend for MySql {
    fn servers(&self) -> Option<&'static dyn Servers> {
        Some(&MySql)
    }

    /// Their listeners are open since the server's start. The plugin by which others come to the same server is there
    /// for all of its cells.
    fn open(&self, up: &mut Up, _: &Workloads, cell: &Cell, _: &Work, _: &[DatasetNeed]) -> Result<(), Unready> {
        if plugin::is_wanted(up, cell) {
            plugin::install(&up.endpoint, &up.build.share)
                .map_err(|trouble| Unready::Fail(trouble.to_string()))?
                .quit();
        }
        Ok(())
    }

    fn endpoint(&self, _: &Up, _: &Workloads, _: &Work, _: &Cell) -> Option<Arc<dyn Endpoint>> {
        None
    }

    fn endpoint_told(&self, _: serde_json::Value) -> Option<Arc<dyn Endpoint>> {
        None
    }

    fn ask(&self, users: &UserGroup, patience: Duration) -> Result<SessionAnswer, Fault> {
        let probes = answers::probes(Protocol::MySql, &*users.workload, &users.parameters);
        answers::ask(&users.access.endpoint, &users.access.setup, &probes, patience)
    }

    fn ask_again(&self, users: &UserGroup, plans: &[StatementPlan]) -> Option<BTreeMap<String, String>> {
        answers::again(&users.access.endpoint, &users.access.setup, plans).ok()
    }

    fn witness(&self, users: &UserGroup, setup: &[String]) -> Result<Box<dyn Witness>, String> {
        let mut control =
            Control::connect_with(&users.access.endpoint, QUESTION_PATIENCE).map_err(|e| e.to_string())?;
        for sql in setup {
            // A switch that only some servers have.
            let _ = control.rows(sql);
        }
        Ok(Box::new(control))
    }
}

impl Witness for Control {
    /// A sum over nothing is NULL, and none.
    fn number(&mut self, question: &str) -> Result<i64, String> {
        match self.value(question).map_err(|e| e.to_string())? {
            None => Ok(0),
            Some(text) => text.parse().map_err(|_| format!("`{text}` is no whole number")),
        }
    }
}
