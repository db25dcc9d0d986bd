//! A replayed session's line to the server: opened under its client's account, in its schema and its character set;
//! what is asked of it is asked as it was.

use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::session::replaying::{Answered, Replaying};
use crate::backends::opening::Opening;
use crate::executor::Handle;
use crate::os::clock;
use model::Nanos;
use model::upgrade::{Fate, Heard};
use std::collections::HashMap;
use trace::{Ask, Statement};
use workload::session::Fault;

/// A statement that is not answered within it has no server any more.
const DEADLINE: Nanos = Nanos(3_600_000_000_000);

/// Where sessions come to.
pub struct Target {
    pub endpoint: SqlEndpoint,
    /// How a session is told that its client speaks in one, by its number.
    pub collations: HashMap<u16, String>,
    pub handle: Handle,
}

#[derive(Default)]
pub struct Line {
    line: Option<Replaying>,
    database: String,
    /// As its client named it at login.
    collation: u16,
    /// Statements that the server would not prepare.
    refused: HashMap<u32, (u16, String)>,
}

impl Line {
    pub async fn quit(&mut self) {
        if let Some(line) = self.line.take() {
            line.quit().await;
        }
    }

    /// It is gone: the next statement opens another.
    pub fn lose(&mut self) {
        self.line = None;
    }

    /// When its last answer came.
    pub fn moment(&self) -> Nanos {
        self.line.as_ref().map_or_else(clock::now, Replaying::moment)
    }

    /// Has a session of the right schema; whether that took anything.
    pub async fn come(&mut self, statement: &Statement, target: &Target) -> Result<bool, Fault> {
        if let Ask::Connect { collation } | Ask::ChangeUser { collation } = statement.ask {
            self.collation = collation;
        }
        if matches!(statement.ask, Ask::ChangeUser { .. }) {
            self.line = None;
        }
        let is_new = self.line.is_none();
        if is_new {
            let user = if statement.user.is_empty() { "root" } else { &statement.user };
            let endpoint = SqlEndpoint { user: user.to_string(), ..target.endpoint.clone() };
            let connect = target.handle.connecting(&endpoint.address, DEADLINE);
            let opening = Opening { endpoint, connect, setup: Vec::new(), again: None };
            let mut line = Replaying::open(&opening).await?;
            // A number that the server does not know stays what every session of ours begins with.
            if let Some(names) = target.collations.get(&self.collation) {
                line.query(names.as_bytes()).await?;
            }
            self.line = Some(line);
            self.database.clear();
        }
        let moves = !statement.database.is_empty() && *statement.database != *self.database;
        if moves {
            let line = self.line.as_mut().expect("it was opened");
            line.init_db(&statement.database).await?;
            self.database = statement.database.to_string();
        }
        Ok(is_new || moves)
    }

    /// `None` for what is not asked.
    pub async fn ask(&mut self, statement: &Statement) -> Result<Option<Answered>, Fault> {
        let line = self.line.as_mut().expect("somebody came before");
        match &statement.ask {
            Ask::Query(text) => line.query(text).await.map(Some),
            Ask::Prepare { statement, text } => self.prepare(*statement, text).await.map(Some),
            Ask::Execute(execute) => {
                let Some(text) = &execute.text else { return Ok(None) };
                let known = line.is_prepared(execute.statement) || self.refused.contains_key(&execute.statement);
                if !known {
                    self.prepare(execute.statement, text).await?;
                }
                self.execute(execute).await
            }
            Ask::Close { statement } => {
                line.close(*statement);
                self.refused.remove(statement);
                Ok(None)
            }
            Ask::InitDb(schema) => {
                self.database = schema.to_string();
                line.init_db(schema).await.map(Some)
            }
            Ask::ResetConnection => line.reset_connection().await.map(Some),
            Ask::Ping => line.ping().await.map(Some),
            Ask::Connect { .. }
            | Ask::ChangeUser { .. }
            | Ask::Fetch { .. }
            | Ask::Reset { .. }
            | Ask::SetOption(_)
            | Ask::Quit
            | Ask::Other(_) => Ok(None),
        }
    }

    async fn prepare(&mut self, number: u32, text: &[u8]) -> Result<Answered, Fault> {
        let line = self.line.as_mut().expect("somebody came before");
        let answered = line.prepare(number, text).await?;
        match &answered.error {
            Some(error) => drop(self.refused.insert(number, (answered.heard.error, error.clone()))),
            None => drop(self.refused.remove(&number)),
        }
        Ok(answered)
    }

    /// All its rows of values, one after the other; the answer is their sum.
    async fn execute(&mut self, execute: &trace::Execute) -> Result<Option<Answered>, Fault> {
        if let Some((error, text)) = self.refused.get(&execute.statement) {
            let heard = Heard { fate: Fate::Refused, error: *error, ..Heard::default() };
            return Ok(Some(Answered { heard, error: Some(text.clone()) }));
        }
        let line = self.line.as_mut().expect("somebody came before");
        let mut all: Option<Answered> = None;
        let none = vec![Vec::new()];
        let rows = if execute.rows.is_empty() { &none } else { &execute.rows };
        for row in rows {
            let one = line.execute(execute.statement, row).await?;
            all = Some(match all {
                Some(mut sum) if one.error.is_none() => {
                    sum.heard.affected = sum.heard.affected.saturating_add(one.heard.affected);
                    sum.heard.warnings = sum.heard.warnings.saturating_add(one.heard.warnings);
                    sum
                }
                Some(_) | None => one,
            });
            if all.as_ref().is_some_and(|all| all.error.is_some()) {
                break;
            }
        }
        Ok(all)
    }
}
