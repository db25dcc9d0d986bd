//! PostgreSQL, so far for scripts only: the lab starts none and puts no data into it, and what it asks MySQL's family
//! beyond a session's settings (plans, handlers, tables) is not asked here.

pub mod samplers;
pub mod servers;
pub mod session;

use super::endpoint::{Endpoint, SqlEndpoint};
use super::needs::DatasetNeed;
use super::up::Up;
use super::{Backend, Servers, Witness};
use crate::load::UserGroup;
use crate::trouble::Unready;
use model::load::Work;
use model::plan::Cell;
use model::record::answer::{SessionAnswer, StatementPlan};
use std::collections::BTreeMap;
use std::time::Duration;
use workload::session::Fault;

pub struct PostgreSql;

impl Backend for PostgreSql {
    fn servers(&self) -> Option<&'static dyn Servers> {
        Some(&PostgreSql)
    }

    fn open(&self, _: &mut Up, _: &Cell, _: &Work, _: &[DatasetNeed]) -> Result<(), Unready> {
        Ok(())
    }

    fn endpoint(&self, _: &Up, _: &Work, _: &str) -> Option<Endpoint> {
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
    users.postgres.as_ref().ok_or_else(|| Fault::Unopened("its users know no PostgreSQL".into()))
}
