//! A PostgreSQL as a disturbance comes to it: within the database of the run's data, because nobody there sees another.

use super::session::control::Control;
use crate::backends::endpoint::SqlEndpoint;
use crate::disturbances::scene::target::{Account, Session, Target};
use model::Protocol;
use std::time::Duration;
use workload::session::{Answer, Fault};

/// A query of a disturbance lasts as long as its phase.
const PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

pub(super) struct Disturbed(pub SqlEndpoint);

impl Target for Disturbed {
    fn session(&self) -> Result<Box<dyn Session>, Fault> {
        Ok(Box::new(Control::connect(&self.0, PATIENCE)?))
    }

    fn account(&self) -> Account<'_> {
        Account { address: &self.0.address, user: &self.0.user, password: &self.0.password }
    }

    fn dialect(&self) -> Protocol {
        Protocol::PostgreSql
    }

    fn number(&self) -> &'static str {
        "SELECT pg_backend_pid()"
    }

    fn give_up(&self, number: &str) -> String {
        format!("SELECT pg_cancel_backend({number})")
    }

    fn largest(&self, _: &[String]) -> String {
        "SELECT quote_ident(nspname) || '.' || quote_ident(relname), greatest(reltuples, 0)::bigint FROM pg_class c \
         JOIN pg_namespace n ON n.oid = c.relnamespace WHERE relkind IN ('r', 'p') AND NOT relispartition \
         AND nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 2 DESC, 1 LIMIT 1"
            .into()
    }

    fn isolation(&self, level: &str) -> String {
        format!("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {level}")
    }

    fn never(&self) -> &'static str {
        "random() < 0"
    }

    fn canary(&self, schema: &str, _: &str) -> Vec<String> {
        let table = format!("CREATE TABLE {schema}.canary (id INT PRIMARY KEY, sung BIGINT)");
        vec![format!("CREATE SCHEMA {schema}"), table]
    }

    fn drop_schema(&self, schema: &str) -> String {
        format!("DROP SCHEMA IF EXISTS {schema} CASCADE")
    }

    fn held(&self, _: &str) -> Option<(&'static str, &'static str)> {
        let what = "the age in transactions of what it keeps vacuum from (backend_xmin)";
        Some((what, "SELECT age(backend_xmin) FROM pg_stat_activity WHERE pid = pg_backend_pid()"))
    }
}

impl Session for Control {
    fn execute(&mut self, sql: &str) -> Result<Answer, Fault> {
        Control::execute(self, sql)
    }

    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Fault> {
        Control::rows(self, sql)
    }

    fn quit(self: Box<Self>) {
        Control::quit(*self);
    }
}
