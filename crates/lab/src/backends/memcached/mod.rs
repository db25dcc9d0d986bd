//! memcached, and every server that speaks its protocol: a cache, which is nothing else, and MySQL with InnoDB's plugin.

pub mod found;
pub mod kind;
pub mod plugin;
pub mod samplers;
pub mod servers;
pub mod session;

use super::endpoint::Endpoint;
use super::keyed::{self, KeyEndpoint, KeyProtocol, Keys};
use super::mysql::MySql;
use super::needs::{DatasetNeed, identity};
use super::up::Up;
use super::{Backend, Servers, Witness};
use crate::load::UserGroup;
use crate::trouble::Unready;
use model::load::Work;
use model::plan::Cell;
use model::protocol::Protocol;
use model::record::answer::{SessionAnswer, StatementPlan};
use std::collections::BTreeMap;
use std::time::Duration;
use wire::memcached::Dialect;
use workload::session::Fault;

pub struct Memcached;

impl Backend for Memcached {
    fn servers(&self) -> Option<&'static dyn Servers> {
        Some(&Memcached)
    }

    /// A cache listens since its start.
    fn open(&self, up: &mut Up, cell: &Cell, work: &Work, needs: &[DatasetNeed]) -> Result<(), Unready> {
        if up.own.is_some() {
            return Ok(());
        }
        plugin::open(up, cell, work, needs)
    }

    fn endpoint(&self, up: &Up, work: &Work, engine: &str) -> Option<Endpoint> {
        let schema = up.datasets.get(&identity(work, engine).0)?.clone().ok()?;
        let dialect = match work.parameters.get("dialect").and_then(model::value::Value::text) {
            Some("binary") => Dialect::Binary,
            Some("meta") => Dialect::Meta,
            Some(_) | None => Dialect::Text,
        };
        let (address, keys) = match up.own.as_ref().and_then(Endpoint::keys) {
            Some(cache) => (cache.address.clone(), servers::keys(up, &schema)),
            None => (up.listeners.get(&Protocol::Memcached)?[0].address.clone(), Keys::Container(schema)),
        };
        Some(Endpoint::Keys(KeyEndpoint { address, protocol: KeyProtocol::Memcached { dialect, keys } }))
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
