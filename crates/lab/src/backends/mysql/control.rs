//! The session by which the lab itself talks to a server: one question at a time over a blocking socket, rows as text.
//! Used for setting up, loading, sampling and asking afterwards; never for load.

use super::locks::{self, LOCK_PATIENCE, LOCK_TIMEOUT, Waiter};
use super::session::{Carriage, Session};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::opening::{OPENING_PATIENCE, Opening, connecting, opened};
use crate::executor::block_on;
use crate::os::waits;
use std::rc::Rc;
use std::time::Duration;
use workload::session::{Answer, Class, Fault, Sql};

/// Long enough for an index build or a COUNT over a large table; a server that is silent longer is taken for dead.
pub const PATIENCE: Duration = Duration::from_secs(3600);
/// The same for a session that loads beside others of the lab: it waits for their tables, and its statement is said
/// again.
const LOAD_LOCK_PATIENCE: Duration = Duration::from_secs(60);
/// What the server's own variables cut off of an answer is cut off of what the lab asks about them, too.
pub const WHOLE_ANSWERS: &str = "sql_select_limit = 18446744073709551615";
/// Characters of a statement that are shown of one that is waited for.
const SHOWN: usize = 80;

pub struct Control {
    session: Session<()>,
    endpoint: SqlEndpoint,
    /// How long its statements wait for locks; `None` as the server has it.
    locks: Option<Duration>,
}

/// A row as text, NULL as `None`.
pub type TextRow = Vec<Option<String>>;

impl Control {
    /// For what the lab does with data that others may use too: a lock that somebody holds is waited for a while, and
    /// then told with its holder.
    pub fn connect(endpoint: &SqlEndpoint) -> Result<Self, Fault> {
        Self::bounded(endpoint, LOCK_PATIENCE)
    }

    /// For loading side by side into a schema of ours, where sessions of the lab wait for each other's tables.
    pub fn for_load(endpoint: &SqlEndpoint) -> Result<Self, Fault> {
        Self::bounded(endpoint, LOAD_LOCK_PATIENCE)
    }

    fn bounded(endpoint: &SqlEndpoint, locks: Duration) -> Result<Self, Fault> {
        let mut control = Self::connect_with(endpoint, PATIENCE)?;
        for variable in ["lock_wait_timeout", "innodb_lock_wait_timeout"] {
            match control.execute(&format!("SET SESSION {variable} = {}", locks.as_secs())) {
                // One without metadata locks or without InnoDB has nothing of that kind to wait for.
                Ok(_) | Err(Fault::Server { .. }) => {}
                Err(fault) => return Err(fault),
            }
        }
        control.locks = Some(locks);
        Ok(control)
    }

    /// For somebody who waits at most so long for each answer, and for locks as the server has it.
    pub fn connect_with(endpoint: &SqlEndpoint, patience: Duration) -> Result<Self, Fault> {
        let mut control = Self::as_any(endpoint, patience)?;
        match control.execute(&format!("SET SESSION {WHOLE_ANSWERS}, autocommit = 1")) {
            Ok(_) | Err(Fault::Server { .. }) => Ok(control),
            Err(fault) => Err(fault),
        }
    }

    /// A session as the server gives it to anybody.
    pub fn as_any(endpoint: &SqlEndpoint, patience: Duration) -> Result<Self, Fault> {
        let connect = connecting(&endpoint.address, patience);
        let opening = Rc::new(Opening { endpoint: endpoint.clone(), connect, setup: Vec::new(), again: None });
        let session = opened(&endpoint.address, patience, || block_on(Session::open(opening, ())))?;
        session.waits_at_most(patience);
        Ok(Self { session, endpoint: endpoint.clone(), locks: None })
    }

    /// How the conversation is carried, as it was agreed.
    pub fn carriage(&self) -> Carriage {
        self.session.carriage()
    }

    /// The server's version as it greeted.
    pub fn version(&self) -> &str {
        self.session.version()
    }

    pub fn execute(&mut self, sql: &str) -> Result<Answer, Fault> {
        self.heard(sql, |session| block_on((session as &mut dyn Sql).query(Class(0), sql)))
    }

    /// The session's answer; one whose statements may meet locks says what it waits for, and names who has the lock.
    fn heard<T>(&mut self, sql: &str, ask: impl FnOnce(&mut Session<()>) -> Result<T, Fault>) -> Result<T, Fault> {
        let Some(locks) = self.locks else { return ask(&mut self.session) };
        let shown: String = sql.chars().take(SHOWN).collect();
        let what = format!("the server to answer `{shown}` (for a lock {} s)", locks.as_secs());
        waits::during(&what, PATIENCE, || ask(&mut self.session)).map_err(|fault| self.explained(sql, locks, fault))
    }

    /// A lock that was not given is told with its holder, which a session of its own finds out: this one may be in the
    /// middle of something.
    fn explained(&mut self, statement: &str, locks: Duration, fault: Fault) -> Fault {
        let Fault::Server { code: LOCK_TIMEOUT, state, message } = &fault else { return fault };
        let holder = Self::connect_with(&self.endpoint, OPENING_PATIENCE).map(|mut control| {
            let own = self.locks.take();
            let us = [&mut control, self].map(|session| session.value("SELECT CONNECTION_ID()").ok().flatten());
            let schema = self.value("SELECT DATABASE()").ok().flatten();
            self.locks = own;
            // A server that has no such table, or shows it to others, has told nothing.
            let mut answers = |sql: &str| control.rows(sql).ok();
            let ours = us.map(Option::unwrap_or_default);
            let waiter = Waiter { ours: &ours, schema: schema.as_deref(), statement };
            let told = locks::told(&mut answers, &waiter);
            control.quit();
            told
        });
        let holder = holder.unwrap_or_else(|fault| format!("who holds it cannot be asked: {fault}"));
        let message = format!("{message} (the lab waits {} s for a lock): {holder}", locks.as_secs());
        Fault::Server { code: LOCK_TIMEOUT, state: *state, message }
    }

    /// A statement that asks for a local file (LOAD DATA LOCAL) and is given these bytes for it.
    pub fn load(&mut self, sql: &str, file: Vec<u8>) -> Result<Answer, Fault> {
        self.session.offer(file);
        self.execute(sql)
    }

    pub fn rows(&mut self, sql: &str) -> Result<Vec<TextRow>, Fault> {
        self.heard(sql, |session| block_on((session as &mut dyn Sql).read(Class(0), sql)))?;
        let kept = self.session.kept();
        Ok((0..kept.rows()).map(|r| (0..kept.columns()).map(|c| kept.text(r, c)).collect()).collect())
    }

    /// The first cell of the first row.
    pub fn value(&mut self, sql: &str) -> Result<Option<String>, Fault> {
        Ok(self.rows(sql)?.into_iter().next().and_then(|row| row.into_iter().next().flatten()))
    }

    pub fn quit(self) {
        block_on(self.session.quit());
    }
}
