//! How users come to a cache, or to InnoDB's plugin, and what their sessions say.

use super::cache;
use super::guest::Cache;
use super::plugin;
use super::servers::Memcached;
use crate::backends::access::{Endpoint, UserGroup};
use crate::backends::contract::{Backend, Servers, Witness};
use crate::backends::keyed::answers::compare;
use crate::backends::keyed::{self, KeyEndpoint, KeyProtocol, Keys};
use crate::backends::mysql::MySql;
use crate::backends::needs::{DatasetNeed, identity};
use crate::backends::up::Up;
use crate::trouble::Unready;
use model::load::Work;
use model::plan::Cell;
use model::protocol::Protocol;
use model::record::answer::{SessionAnswer, StatementPlan};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use wire::memcached::Dialect;
use workload::Workloads;
use workload::session::Fault;

impl Backend for Memcached {
    fn servers(&self) -> Option<&'static dyn Servers> {
        Some(&Memcached)
    }

    /// A cache listens since its start.
    fn open(
        &self,
        up: &mut Up,
        workloads: &Workloads,
        cell: &Cell,
        work: &Work,
        needs: &[DatasetNeed],
    ) -> Result<(), Unready> {
        if up.own.is_some() {
            return Ok(());
        }
        plugin::open(up, workloads, cell, work, needs)?;
        let endpoint = self.endpoint(up, workloads, work, cell);
        let endpoint =
            endpoint.as_ref().and_then(|endpoint| endpoint.downcast()).expect("its listener was just opened");
        compare(endpoint, work).map_err(|trouble| Unready::Fail(trouble.to_string()))
    }

    fn endpoint(&self, up: &Up, workloads: &Workloads, work: &Work, cell: &Cell) -> Option<Arc<dyn Endpoint>> {
        let engine = &cell.server.engine;
        let schema = up.datasets.get(&identity(workloads, work, engine).0)?.clone().ok()?;
        let dialect = match work.parameters.get("dialect").and_then(model::value::Value::text) {
            Some("binary") => Dialect::Binary,
            Some("meta") => Dialect::Meta,
            Some(_) | None => Dialect::Text,
        };
        let (address, keys) = match up.own_as::<Cache>() {
            Some(cache) => (cache.endpoint.address.clone(), cache::keys(up, &schema)),
            None => (up.listeners.get(&Protocol::Memcached)?[0].address.clone(), Keys::Container(schema)),
        };
        Some(Arc::new(KeyEndpoint { address, protocol: KeyProtocol::Memcached { dialect, keys } }))
    }

    fn endpoint_told(&self, told: serde_json::Value) -> Option<Arc<dyn Endpoint>> {
        serde_json::from_value::<KeyEndpoint>(told).ok().map(|endpoint| Arc::new(endpoint) as _)
    }

    fn ask(&self, users: &UserGroup, _: Duration) -> Result<SessionAnswer, Fault> {
        keyed::answers::ask(users)
    }

    fn ask_again(&self, _: &UserGroup, _: &[StatementPlan]) -> Option<BTreeMap<String, String>> {
        None
    }

    /// Rows behind a plugin are asked about in SQL; a cache answers no questions.
    fn witness(&self, users: &UserGroup, setup: &[String]) -> Result<Box<dyn Witness>, String> {
        MySql.witness(users, setup)
    }
}
