//! The server that is disturbed, as a disturbance comes to it: whoever speaks its protocol fills this in.

use crate::os::address::Address;
use workload::session::{Answer, Fault};

pub trait Target: Send + Sync {
    /// A session for one statement at a time.
    fn session(&self) -> Result<Box<dyn Session>, Fault>;
    /// Where programs of others find the server, and as whom.
    fn account(&self) -> Account<'_>;
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
