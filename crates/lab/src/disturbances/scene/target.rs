//! The server that is disturbed, as a disturbance comes to it, and what is said there in its SQL: whoever speaks its
//! protocol fills this in.

use workload::session::{Answer, Fault};

pub trait Target: Send + Sync {
    /// A session for one statement at a time.
    fn session(&self) -> Result<Box<dyn Session>, Fault>;
    /// How a program of others reads all of these schemas.
    fn dump(&self, schemas: &[String]) -> Dump<'_>;
    /// Asks for the number of the session at hand.
    fn number(&self) -> &'static str;
    /// Has the session of that number give up what it asks.
    fn give_up(&self, number: &str) -> String;
    /// Asks for name and rows of the largest table in these schemas.
    fn largest(&self, schemas: &[String]) -> String;
    /// Has a session wait for locks as long as a phase may be.
    fn waits_long(&self) -> &'static str;
    /// Asks for the first column of this table outside its primary key that an index can take whole.
    fn indexable(&self, table: &str) -> String;
    /// Builds it while others write.
    fn add_index(&self, table: &str, column: &str, index: &str) -> String;
    /// Asks how many indexes the table has by that name, whole or not.
    fn has_index(&self, table: &str, index: &str) -> String;
    fn drop_index(&self, table: &str, index: &str) -> String;
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

pub struct Dump<'a> {
    /// By any of these, the family's own first.
    pub programs: &'static [&'static str],
    pub arguments: Vec<String>,
    /// The variable that it reads its password from: never on a command line, where everybody can read it.
    pub password: (&'static str, &'a str),
}

pub trait Session {
    fn execute(&mut self, sql: &str) -> Result<Answer, Fault>;
    /// Rows as text, NULL as `None`.
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Fault>;
    fn quit(self: Box<Self>);
}
