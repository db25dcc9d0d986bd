//! A PostgreSQL as a disturbance comes to it: within the database of the run's data, because nobody there sees another.

use super::session::control::Control;
use crate::backends::endpoint::SqlEndpoint;
use crate::disturbances::scene::target::{Dump, Session, Target};
use crate::os::address::Address;
use std::time::Duration;
use workload::session::{Answer, Fault};

/// A query of a disturbance lasts as long as its phase.
const PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

pub(super) struct Disturbed(pub SqlEndpoint);

impl Target for Disturbed {
    fn session(&self) -> Result<Box<dyn Session>, Fault> {
        Ok(Box::new(Control::connect(&self.0, PATIENCE)?))
    }

    /// A program of the database's own, in one transaction by itself.
    fn dump(&self, _: &[String]) -> Dump<'_> {
        let Disturbed(endpoint) = self;
        let mut arguments = vec!["--no-password".into(), format!("--username={}", endpoint.user)];
        match &endpoint.address {
            // The socket's folder and the number behind its name.
            Address::Unix(path) => {
                let folder = path.parent().unwrap_or(path).display();
                let port = path.extension().unwrap_or_default().to_string_lossy();
                arguments.extend([format!("--host={folder}"), format!("--port={port}")]);
            }
            Address::Tcp { host, port } => arguments.extend([format!("--host={host}"), format!("--port={port}")]),
        }
        arguments.extend(endpoint.schema.iter().map(|database| format!("--dbname={database}")));
        Dump { programs: &["pg_dump"], arguments, password: ("PGPASSWORD", &endpoint.password) }
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

    fn waits_long(&self) -> &'static str {
        "SET lock_timeout = 0"
    }

    fn indexable(&self, table: &str) -> String {
        format!(
            "SELECT quote_ident(attname) FROM pg_attribute a WHERE attrelid = '{table}'::regclass AND attnum > 0 \
             AND NOT attisdropped AND atttypid NOT IN ('bytea'::regtype, 'text'::regtype) AND NOT EXISTS (SELECT 1 \
             FROM pg_index WHERE indrelid = attrelid AND indisprimary AND attnum = ANY(indkey)) ORDER BY attnum LIMIT 1"
        )
    }

    fn add_index(&self, table: &str, column: &str, index: &str) -> String {
        format!("CREATE INDEX CONCURRENTLY {index} ON {table} ({column})")
    }

    fn has_index(&self, table: &str, index: &str) -> String {
        format!(
            "SELECT count(*) FROM pg_index JOIN pg_class c ON c.oid = indexrelid \
             WHERE indrelid = '{table}'::regclass AND relname = '{index}'"
        )
    }

    fn drop_index(&self, table: &str, index: &str) -> String {
        let (schema, _) = table.split_once('.').expect("a table has its schema before it");
        format!("DROP INDEX CONCURRENTLY {schema}.{index}")
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
