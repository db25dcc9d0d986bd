//! A server of this protocol as a disturbance comes to it.

use super::control::{Control, PATIENCE};
use crate::backends::endpoint::SqlEndpoint;
use crate::disturbances::scene::target::{Dump, Session, Target};
use crate::os::address::Address;
use workload::session::{Answer, Fault};

impl Target for SqlEndpoint {
    fn session(&self) -> Result<Box<dyn Session>, Fault> {
        Ok(Box::new(Control::connect_with(self, PATIENCE)?))
    }

    fn dump(&self, schemas: &[String]) -> Dump<'_> {
        let whole = ["--no-defaults", "--single-transaction", "--quick", "--skip-lock-tables"];
        let mut arguments: Vec<String> = whole.map(String::from).into();
        arguments.push(format!("--user={}", self.user));
        match &self.address {
            Address::Unix(path) => arguments.push(format!("--socket={}", path.display())),
            Address::Tcp { host, port } => arguments.extend([format!("--host={host}"), format!("--port={port}")]),
        }
        arguments.push("--databases".into());
        arguments.extend_from_slice(schemas);
        Dump { programs: &["mariadb-dump", "mysqldump"], arguments, password: ("MYSQL_PWD", &self.password) }
    }

    fn number(&self) -> &'static str {
        "SELECT CONNECTION_ID()"
    }

    fn give_up(&self, number: &str) -> String {
        format!("KILL QUERY {number}")
    }

    fn largest(&self, schemas: &[String]) -> String {
        let schemas: Vec<_> = schemas.iter().map(|schema| format!("'{schema}'")).collect();
        format!(
            "SELECT CONCAT('`', table_schema, '`.`', table_name, '`'), table_rows FROM information_schema.tables \
             WHERE table_schema IN ({}) AND table_type <> 'VIEW' ORDER BY table_rows DESC, table_name LIMIT 1",
            schemas.join(", ")
        )
    }

    fn waits_long(&self) -> &'static str {
        "SET SESSION lock_wait_timeout = 86400"
    }

    fn indexable(&self, table: &str) -> String {
        format!(
            "SELECT CONCAT('`', column_name, '`') FROM information_schema.columns WHERE {} AND column_key <> 'PRI' \
             AND data_type NOT LIKE '%blob' AND data_type NOT LIKE '%text' ORDER BY ordinal_position LIMIT 1",
            is(table)
        )
    }

    fn add_index(&self, table: &str, column: &str, index: &str) -> String {
        format!("ALTER TABLE {table} ADD INDEX {index} ({column}), ALGORITHM=INPLACE")
    }

    fn has_index(&self, table: &str, index: &str) -> String {
        format!("SELECT COUNT(*) FROM information_schema.statistics WHERE {} AND index_name = '{index}'", is(table))
    }

    fn drop_index(&self, table: &str, index: &str) -> String {
        format!("ALTER TABLE {table} DROP INDEX {index}")
    }

    fn isolation(&self, level: &str) -> String {
        format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}")
    }

    fn never(&self) -> &'static str {
        "RAND() < 0"
    }

    /// RocksDB compacts the column family of a table that is dropped, and would so tidy up behind the users; hence a
    /// family of the canary's own.
    fn canary(&self, schema: &str, engine: &str) -> Vec<String> {
        let key = "PRIMARY KEY (id) COMMENT 'cfname=cf_assay_canary'";
        let table = format!("CREATE TABLE {schema}.canary (id INT, sung BIGINT, {key}) ENGINE={engine}");
        vec![format!("CREATE DATABASE {schema}"), table]
    }

    fn drop_schema(&self, schema: &str) -> String {
        format!("DROP DATABASE IF EXISTS {schema}")
    }

    fn held(&self, engine: &str) -> Option<(&'static str, &'static str)> {
        match engine {
            "innodb" => Some((
                "its number of transactions in INNODB_TRX",
                "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = CONNECTION_ID()",
            )),
            "rocksdb" => Some((
                "the engine's number of snapshots",
                "SELECT value FROM information_schema.ROCKSDB_DBSTATS WHERE stat_type = 'DB_NUM_SNAPSHOTS'",
            )),
            _ => None,
        }
    }
}

/// The condition of a table's rows in the information schema.
fn is(table: &str) -> String {
    let (schema, name) = table.trim_matches('`').split_once("`.`").expect("a table has its schema before it");
    format!("table_schema = '{schema}' AND table_name = '{name}'")
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
