//! The lab's own session with a PostgreSQL, as `sessions::control` is with a MySQL: one question at a time over a
//! blocking socket, rows as text.

use super::Session;
use crate::backends::endpoint::SqlEndpoint;
use crate::executor::block_on;
use std::time::Duration;
use workload::session::{Answer, Class, Fault, Sql};

pub struct Control {
    session: Session<()>,
}

/// A row as text, NULL as `None`.
pub type TextRow = Vec<Option<String>>;

impl Control {
    /// For somebody who waits at most so long for each answer.
    pub fn connect(endpoint: &SqlEndpoint, patience: Duration) -> Result<Self, Fault> {
        Ok(Self { session: Session::blocking(endpoint, patience, ())? })
    }

    /// The server's version as it told it.
    pub fn version(&self) -> &str {
        self.session.version()
    }

    /// By which way the server let us in.
    pub fn method(&self) -> &'static str {
        self.session.method()
    }

    /// TLS version and cipher, where there is TLS.
    pub fn cipher(&self) -> Option<(String, String)> {
        self.session.cipher()
    }

    pub fn rows(&mut self, sql: &str) -> Result<Vec<TextRow>, Fault> {
        block_on((&mut self.session as &mut dyn Sql).read(Class(0), sql))?;
        let kept = self.session.kept();
        Ok((0..kept.rows()).map(|r| (0..kept.columns()).map(|c| kept.text(r, c)).collect()).collect())
    }

    /// The first value of the first row.
    pub fn value(&mut self, sql: &str) -> Result<Option<String>, Fault> {
        Ok(self.rows(sql)?.into_iter().next().and_then(|row| row.into_iter().next().flatten()))
    }

    pub fn execute(&mut self, sql: &str) -> Result<Answer, Fault> {
        block_on((&mut self.session as &mut dyn Sql).query(Class(0), sql))
    }

    /// A COPY from its client, with what it asks for.
    pub fn copy(&mut self, sql: &str, lines: Vec<u8>) -> Result<Answer, Fault> {
        self.session.bring(lines);
        self.execute(sql)
    }

    pub fn quit(self) {
        block_on(self.session.quit());
    }
}
