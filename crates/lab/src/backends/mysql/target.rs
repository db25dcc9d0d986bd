//! A server of this protocol as a disturbance comes to it.

use super::control::{Control, PATIENCE};
use crate::backends::endpoint::SqlEndpoint;
use crate::disturbances::scene::target::{Account, Session, Target};
use workload::session::{Answer, Fault};

impl Target for SqlEndpoint {
    fn session(&self) -> Result<Box<dyn Session>, Fault> {
        Ok(Box::new(Control::connect_with(self, PATIENCE)?))
    }

    fn account(&self) -> Account<'_> {
        Account { address: &self.address, user: &self.user, password: &self.password }
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
