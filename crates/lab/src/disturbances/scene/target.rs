//! The server that is disturbed, as a disturbance comes to it, and what is said there in its SQL: whoever speaks its
//! protocol fills this in.

use crate::os::address::Address;
use model::Protocol;
use workload::session::{Answer, Fault};

pub trait Target: Send + Sync {
    /// A session for one statement at a time.
    fn session(&self) -> Result<Box<dyn Session>, Fault>;
    /// Where programs of others find the server, and as whom.
    fn account(&self) -> Account<'_>;
    /// Whose SQL it speaks.
    fn dialect(&self) -> Protocol;
    /// Asks for the number of the session at hand.
    fn number(&self) -> &'static str;
    /// Has the session of that number give up what it asks.
    fn give_up(&self, number: &str) -> String;
    /// Asks for name and rows of the largest table in these schemas.
    fn largest(&self, schemas: &[String]) -> String;
    /// The isolation of this session's transactions from here on.
    fn isolation(&self, level: &str) -> String;
    /// A condition that no row meets and no optimizer answers beforehand.
    fn never(&self) -> &'static str;
    /// Makes a schema with a table `canary` of an id and a number in it, held by that engine.
    fn canary(&self, schema: &str, engine: &str) -> Vec<String>;
    fn drop_schema(&self, schema: &str) -> String;
    /// What that engine says of what the session at hand holds, and the question; `None` where it tells nothing.
    fn held(&self, engine: &str) -> Option<(&'static str, &'static str)>;
}

pub struct Account<'a> {
    pub address: &'a Address,
    pub user: &'a str,
    pub password: &'a str,
}

pub trait Session {
    fn execute(&mut self, sql: &str) -> Result<Answer, Fault>;
    /// Rows as text, NULL as `None`.
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Fault>;
    fn quit(self: Box<Self>);
}
